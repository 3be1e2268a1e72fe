import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Shell, refused, said } from "./shell.ts";

let shell: Shell;
const closing: (() => void)[] = [];
beforeEach(() => {
  shell = new Shell();
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await shell.close();
});

/** A proxy that forwards what is for the model to its port, and notes all addresses. */
async function proxyTo(port: () => number): Promise<{ readonly asked: string[]; readonly address: string }> {
  const asked: string[] = [];
  const proxy = createServer((asking, answer) => {
    const { host, pathname } = new URL(asking.url ?? "");
    asked.push(host);
    if (host !== "model.test") return void answer.writeHead(502).end();
    const { method, headers } = asking;
    const passed = request(
      { port: port(), host: "127.0.0.1", path: pathname, method, headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    asking.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  closing.push(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { asked, address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

test("models and MCP servers are reached through HTTP_PROXY, except for the names in NO_PROXY", async () => {
  let port = 0;
  const proxy = await proxyTo(() => port);
  const servers = shell.write("servers.json", {
    mcpServers: {
      far: { type: "http", url: "http://mcp.test/mcp" },
      near: { type: "http", url: "http://127.0.0.1:9/mcp" },
    },
  });
  const { child, ended, server } = await shell.start({
    args: ["-p", "x", "--mcp-config", servers],
    answers: [said("Through a proxy.")],
    stdin: "open",
    env: {
      ANTHROPIC_BASE_URL: "http://model.test",
      HTTP_PROXY: proxy.address,
      NO_PROXY: "127.0.0.1",
      MCP_TIMEOUT: "2000",
    },
  });
  port = Number(new URL(server.url).port);
  child.stdin.end();
  const { code, out } = await ended;
  expect([code, out]).toEqual([0, "Through a proxy.\n"]);
  expect(proxy.asked).toContain("model.test");
  expect(proxy.asked).toContain("mcp.test");
  expect(proxy.asked.filter((name) => name.startsWith("127.0.0.1"))).toEqual([]);
});

test("--fallback-model: the next model answers when the first is overloaded", async () => {
  const overloaded = { ...refused(529, "Overloaded"), headers: { "retry-after": "0" } };
  const { code, out, error, server } = await shell.run({
    args: [
      "-p",
      "x",
      "--model",
      "claude-opus-5",
      "--fallback-model",
      "claude-sonnet-5",
      "--output-format",
      "json",
    ],
    answers: [overloaded, overloaded, overloaded, said("From the other.")],
  });
  const result = JSON.parse(out) as { result: string; modelUsage: object };
  expect([code, result.result]).toEqual([0, "From the other."]);
  expect(result.modelUsage).toEqual({
    "claude-sonnet-5": expect.objectContaining({ contextWindow: 1_000_000, maxOutputTokens: 128_000 }),
  });
  expect(error).toContain("claude-opus-5 is overloaded. Switched to claude-sonnet-5.");
  const models = server.requests.map(({ text }) => (JSON.parse(text) as { model: string }).model);
  expect([models[0], models.at(-1)]).toEqual(["claude-opus-5", "claude-sonnet-5"]);
});
