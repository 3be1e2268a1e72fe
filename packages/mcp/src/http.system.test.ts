import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { firstText, httpServer, newWorld, nothingLeft, startHttp } from "../test/support/mcp-world.ts";
import { until } from "../../agent/test/support/until.ts";

afterEach(nothingLeft);

test("an HTTP server works: calls, progress, cancellation, changing lists", async () => {
  const { port } = await startHttp();
  const { mcp, call } = newWorld([httpServer(port)]);
  await mcp.settled();
  expect((await call("mcp__odd__echo", { text: "hi" })).content).toEqual([{ type: "text", text: "hi" }]);
  const steps = await call("mcp__odd__steps", { count: 2, everyMs: 20 });
  expect(steps.progress).toEqual([
    { type: "status", message: "step 1 (1/2)", progress: 1, total: 2 },
    { type: "status", message: "step 2 (2/2)", progress: 2, total: 2 },
  ]);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  await call("mcp__odd__silent", {}, stop.signal);
  // The stream of the call that was stopped is let go.
  await until(async () => firstText(await call("mcp__odd__streams")) === "1");
  expect((await call("mcp__odd__cancelled")).content).toEqual([
    { type: "text", text: '["the call was cancelled"]' },
  ]);
  await call("mcp__odd__change", { to: [{ name: "other", inputSchema: { type: "object" } }] });
  await until(() => mcp.tools().some(({ name }) => name === "mcp__odd__other"));
});

test("H02: an answer that breaks off fails its call at once, and no other", async () => {
  const { port } = await startHttp();
  const { mcp, call } = newWorld([httpServer(port)]);
  await mcp.settled();
  const [cut, slow] = await Promise.all([call("mcp__odd__cut"), call("mcp__odd__slow", { ms: 200 })]);
  expect(cut.content).toBe(
    "Error: The MCP server odd failed: the connection closed before the answer was complete. The call may have run and had effects.",
  );
  expect(slow.content).toEqual([{ type: "text", text: "done" }]);
});

test("H02: a restarted server does not know the session: the call is made in a new one, and nothing is reported", async () => {
  const first = await startHttp(0, "no-stream");
  const { mcp, call, notices } = newWorld([httpServer(first.port)]);
  await mcp.settled();
  await first.end();
  await startHttp(first.port);
  expect((await call("mcp__odd__echo", { text: "one" })).content).toEqual([{ type: "text", text: "one" }]);
  expect(notices).toEqual([]);
});

test("H02: calls to a server that is gone do not run, and it is reconnected when it is back", async () => {
  const first = await startHttp(0, "no-stream");
  const { mcp, call } = newWorld([httpServer(first.port)], { limits: { mostRetries: 100 } });
  await mcp.settled();
  await first.end();
  expect((await call("mcp__odd__echo", { text: "one" })).content).toMatch(
    /connection (?:was )?\w+\. The call (?:was not|may have) run/,
  );
  const waiting = call("mcp__odd__echo", { text: "two" });
  await startHttp(first.port);
  expect((await waiting).content).toEqual([{ type: "text", text: "two" }]);
});

test("H02: the loss and the return of a server are noticed without a call", async () => {
  const first = await startHttp();
  const { mcp, notices } = newWorld([httpServer(first.port)], { limits: { mostRetries: 100 } });
  await mcp.settled();
  await first.end();
  await until(() => notices.length === 1, "it to be noticed");
  expect(notices[0]).toContain("The MCP server odd is not available and will be retried: ");
  await startHttp(first.port);
  await until(() => mcp.servers()[0]?.state.type === "ready", "it to be back");
});

test("H01: an HTTP call that is never answered ends at its idle limit", async () => {
  const { port } = await startHttp();
  const { mcp, call } = newWorld([httpServer(port)], { limits: { idleMs: 300 } });
  await mcp.settled();
  expect((await call("mcp__odd__silent")).content).toContain("sent nothing for 0.3 s");
});

test("H04: an event above the limit fails its call, and the connection stays", async () => {
  const { port } = await startHttp();
  const { mcp, call } = newWorld([httpServer(port)]);
  await mcp.settled();
  expect((await call("mcp__odd__huge", { megabytes: 16 })).content).toBe(
    "Error: The MCP server odd failed: it sent a message larger than 8000000 bytes. The call may have run and had effects.",
  );
  expect((await call("mcp__odd__huge", { megabytes: 2 })).is_error).toBe(false);
});

test("H04: many small events can exceed the limit together", async () => {
  const { port } = await startHttp();
  const { mcp, call } = newWorld([httpServer(port)], { limits: { mostMessageBytes: 5_000 } });
  await mcp.settled();
  const { content } = await call("mcp__odd__steps", { count: 100, everyMs: 1 });
  expect(content).toEqual([{ type: "text", text: "done" }]);
});

test("a server that requires authentication fails with a message, and is not retried", async () => {
  const server = createServer((_, response) => response.writeHead(401).end("who are you?"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { mcp, notices } = newWorld([httpServer(port)]);
  await mcp.settled();
  const why = "it requires authentication (HTTP 401): add a token as a header in /repo/.mcp.json";
  expect(mcp.servers()[0]?.state).toEqual({ type: "needs-auth", why });
  expect(notices).toEqual([`The MCP server odd is not available: ${why}`]);
  server.close();
});

test("a login that expired is named by the call that needs it, and a call that is forbidden is not taken for one", async () => {
  const refused = { status: 200 };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "x", version: "1" },
    },
    "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { id, method } = JSON.parse(body === "" ? "{}" : body) as { id?: number; method?: string };
      if (method === "tools/call") return void response.writeHead(refused.status).end("no");
      if (id === undefined) return void response.writeHead(request.method === "POST" ? 202 : 405).end();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method ?? ""] ?? {} }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { mcp, call } = newWorld([httpServer((server.address() as AddressInfo).port)]);
  await mcp.settled();
  refused.status = 401;
  expect((await call("mcp__odd__hello")).content).toBe(
    "Error: The MCP server odd failed: it requires authentication (HTTP 401): add a token as a header in /repo/.mcp.json. The call was not run.",
  );
  refused.status = 403;
  expect((await call("mcp__odd__hello")).content).toMatch(/failed: HTTP 403: .*The call was not run\.$/);
  expect(mcp.servers()[0]?.state.type).toBe("ready");
  await mcp.close();
  server.close();
});

test("H02: a server of the older transport is found at an address for the newer one, and again when its stream ends", async () => {
  const old = oldServer();
  const port = await old.listen();
  for (const type of ["http", "sse"] as const) {
    const { mcp, call, notices } = newWorld([httpServer(port, type)]);
    await mcp.settled();
    expect((await call("mcp__odd__hello")).content).toEqual([{ type: "text", text: "hello" }]);
    old.cut();
    await until(() => notices.length > 0);
    expect((await call("mcp__odd__hello")).content).toEqual([{ type: "text", text: "hello" }]);
    expect(notices.at(-1)).toBe("The MCP server odd is connected again.");
    await mcp.close();
  }
  await old.close();
});

/** HTTP with a stream for everything that the server says, and an address to post to. */
function oldServer() {
  const streams = new Set<(message: object) => void>();
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "old", version: "1" },
    },
    "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "hello" }] },
  };
  const server = createServer((request, response) => {
    if (request.headers["x-key"] !== "secret") return void response.writeHead(401).end();
    if (request.method === "GET" && request.headers.accept === "text/event-stream") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /messages\n\n");
      streams.add((message) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
      return;
    }
    if (request.url !== "/messages") return void response.writeHead(405).end();
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      response.writeHead(202).end();
      if (id !== undefined)
        for (const send of streams) send({ jsonrpc: "2.0", id, result: results[method] ?? {} });
    });
  });
  return {
    cut(): void {
      streams.clear();
      server.closeAllConnections();
    },
    async listen(): Promise<number> {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return (server.address() as AddressInfo).port;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("headersHelper adds headers before each connection; one that fails is retried with its reason", async () => {
  const seen: (string | string[] | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["x-token"]);
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const entry = (headersHelper: string) => ({
    ...httpServer(port),
    server: {
      type: "http",
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { "x-token": "old" },
      timeoutMs: undefined,
      headersHelper,
    } as const,
  });
  const good = newWorld([entry(`echo "{\\"x-token\\": \\"$CLAUDE_CODE_MCP_SERVER_NAME-new\\"}"`)]);
  await good.mcp.settled();
  expect(seen[0]).toBe("odd-new");
  const bad = newWorld([entry("echo broken >&2; exit 1")]);
  await bad.mcp.settled();
  expect(bad.notices[0]).toContain("its headersHelper failed: broken");
  server.close();
});
