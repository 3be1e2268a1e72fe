import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";

const REQUEST = { system: "", tools: [], messages: [{ role: "user", content: "go" }], maxTokens: 9 } as const;

test("A04, promise 5: an abandoned response leaves no open connection", async () => {
  process.env["RUNAHEAD_STREAM_IDLE_MS"] = "1500";
  const closed: Promise<unknown>[] = [];
  const server = createServer((_request, response: ServerResponse) => {
    closed.push(once(response, "close"));
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const given = { model: "m", apiKey: "key", baseURL };
  try {
    for (const model of [anthropic(given), openai(given)]) {
      const read = async () => {
        for await (const _event of model.stream(REQUEST, new AbortController().signal));
      };
      await expect(read()).rejects.toMatchObject({ kind: "cut" });
    }
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
  } finally {
    delete process.env["RUNAHEAD_STREAM_IDLE_MS"];
    server.close();
    server.closeAllConnections();
  }
});

test("a request is sent as bytes, so that it is encoded once", async () => {
  const { fetch } = globalThis;
  const bodies: unknown[] = [];
  globalThis.fetch = async (_url, init) => {
    bodies.push(init?.body);
    return new Response("", { status: 400 });
  };
  try {
    const given = { model: "m", apiKey: "key", baseURL: "http://127.0.0.1:9" };
    for (const model of [anthropic(given), openai(given)]) {
      const read = async () => {
        for await (const _event of model.stream(REQUEST, new AbortController().signal));
      };
      await expect(read()).rejects.toThrow();
    }
  } finally {
    globalThis.fetch = fetch;
  }
  expect(bodies.map((body) => body instanceof Uint8Array)).toEqual([true, true]);
  expect(new TextDecoder().decode(bodies[0] as Uint8Array)).toContain('"go"');
});
