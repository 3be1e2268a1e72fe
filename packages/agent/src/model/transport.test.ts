import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { type ScriptedAnswer, modelServer, sse } from "../../test/support/model-server.ts";
import { anthropic } from "./anthropic.ts";
import type { ModelEvent } from "./event.ts";
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

test("an answer that is not a stream is read as a whole, with its calls and errors", async () => {
  let answer: object = {};
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer)),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const given = {
    model: "m",
    apiKey: "key",
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  const [messages, responses, chat] = [anthropic(given), openai(given), openai({ ...given, api: "chat" })];
  const read = async (model: typeof messages, whole: object): Promise<unknown[]> => {
    answer = whole;
    const events: ModelEvent[] = [];
    for await (const event of model.stream(REQUEST, new AbortController().signal)) events.push(event);
    // All of it arrives at once, so that the order of text and calls says nothing.
    return ["text", "call-complete", "stopped"].flatMap((type) =>
      events.filter((event) => event.type === type),
    );
  };
  const heard = (id: string) => [
    { type: "text", text: "Hi" },
    { type: "call-complete", call: { id, name: "Read", input: { x: 1 } } },
    { type: "stopped", reason: "tool_use", detail: "" },
  ];
  try {
    const used = { type: "tool_use", id: "a", name: "Read", input: { x: 1 } };
    const content = [{ type: "text", text: "Hi" }, used];
    const message = { type: "message", id: "m", role: "assistant", content, stop_reason: "tool_use" };
    expect(await read(messages, message)).toEqual(heard("a"));
    const output = [
      { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Hi" }] },
      { type: "function_call", id: "f", call_id: "b", name: "Read", arguments: '{"x":1}' },
    ];
    const response = { object: "response", id: "r", status: "completed", output };
    expect(await read(responses, response)).toEqual(heard("b"));
    const calls = [{ id: "c", type: "function", function: { name: "Read", arguments: '{"x":1}' } }];
    const choice = { index: 0, message: { content: "Hi", tool_calls: calls }, finish_reason: "tool_calls" };
    expect(await read(chat, { object: "chat.completion", choices: [choice] })).toEqual(heard("c"));
    const error = { code: 429, message: "slow down" };
    for (const model of [messages, responses, chat])
      for (const failed of [{ error }, [{ error }]])
        await expect(read(model, failed)).rejects.toMatchObject({ kind: "rate-limit" });
    await expect(read(chat, { status: "ok" })).rejects.toMatchObject({ kind: "protocol" });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

const CHUNKS = [
  { id: "c", choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }] },
  { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];

async function ask(answer: ScriptedAnswer) {
  const server = await modelServer(answer);
  try {
    const model = openai({ model: "m", baseURL: server.url, api: "chat" });
    const { events, error } = await collect(model.stream(REQUEST, new AbortController().signal));
    return { heard: events.flatMap((event) => (event.type === "text" ? [event.text] : [])), error };
  } finally {
    await server.close();
  }
}

test("events are read whatever content type the server names", async () => {
  const text = sse(CHUNKS);
  for (const type of ["application/json", "text/plain; charset=utf-8", "", "Text/Event-Stream"])
    for (const begins of ["", ": waiting\n\n", "\n\n", "\ufeff"])
      for (const pieces of [[begins + text], [...new TextEncoder().encode(begins + text)].map(byte)]) {
        const { heard, error } = await ask({ headers: { "content-type": type }, pieces });
        expect([type, begins, heard, error]).toEqual([type, begins, ["Hi"], undefined]);
      }
});

const byte = (value: number): Uint8Array => Uint8Array.of(value);

test("one JSON object is read although a stream was announced", async () => {
  const choice = { index: 0, message: { content: "Hi" }, finish_reason: "stop" };
  const { heard, error } = await ask({ pieces: [JSON.stringify({ choices: [choice] }, undefined, 2)] });
  expect([heard, error]).toEqual([["Hi"], undefined]);
  const failed = await ask({ pieces: ['{"error":{"code":429,"message":"slow down"}}'] });
  expect(failed.error).toMatchObject({ kind: "rate-limit", isRetryable: true });
});

test("a connection that is lost during an answer that is not a stream is retried", async () => {
  const headers = { "content-type": "application/json" };
  const { error } = await ask({ headers, pieces: ['{"choices":[{"index":0,'], after: "break" });
  expect(error).toMatchObject({ kind: "cut", isRetryable: true });
});

test("an error is known by its status, even if its explanation never ends", async () => {
  for (const text of ['{"error":', "x".repeat(100_000)]) {
    const { error } = await ask({ status: 503, pieces: [text], after: "hang" });
    expect(error).toMatchObject({ kind: "overloaded", status: 503 });
    expect(error?.message.length).toBeLessThan(2_000);
  }
});
