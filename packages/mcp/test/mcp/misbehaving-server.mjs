/**
 * An MCP server that does what servers should not do, by the tool that is called or by its mode.
 * `node misbehaving-server.mjs stdio MODE`, or `… http PORT`, which prints the port that it listens on, and
 * with `no-stream` has no stream beside its answers.
 */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [kind, mode = "well", option = ""] = process.argv.slice(2);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const open = { type: "object" };
let tools = [
  {
    name: "echo",
    description: "Says it again.",
    inputSchema: { ...open, properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  ...[
    "silent",
    "die",
    "steps",
    "stray",
    "huge",
    "change",
    "answer",
    "env",
    "child",
    "cancelled",
    "ask",
    "cut",
    "fail",
    "slow",
    "last",
    "streams",
    "odd",
  ].map((name) => ({ name, inputSchema: open })),
  ...(mode === "odd-list"
    ? [
        { name: "a.b", inputSchema: open },
        { name: "a_b", inputSchema: open },
        { name: "echo", inputSchema: open },
        7,
        { name: "bad", inputSchema: { type: "object", properties: 5 } },
      ]
    : []),
];
const cancelled = [];
const waiting = new Map();
let asked = 0;
/** Answers on HTTP that are open. */
let streams = 0;

/** One connection: `send` for messages, `end` to break it. */
function answers(send, wire) {
  const ask = (method, params) => {
    const id = `ask-${++asked}`;
    send({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const calls = {
    echo: ({ text }) => words(text),
    silent: () => new Promise(() => {}),
    die() {
      process.stderr.write("something broke\nfatal: out of cheese\n");
      setTimeout(() => process.exit(3), 20);
      return new Promise(() => {});
    },
    async steps({ count, everyMs }, token) {
      for (let step = 1; step <= count; step++) {
        await pause(everyMs);
        send({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken: token, progress: step, total: count, message: `step ${step}` },
        });
      }
      await pause(everyMs);
      return words("done");
    },
    async stray({ lines }) {
      for (let line = 0; line < lines; line++)
        process.stdout.write(`log line ${line} of a server that knows no better\n`);
      process.stdout.write('{"looks": "like JSON"}\n');
      return words("done");
    },
    huge: ({ megabytes }) => words("x".repeat(megabytes * 1_000_000)),
    change({ to }) {
      tools = to;
      wire.notify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      return words("changed");
    },
    answer: ({ result }) => result,
    env: () => words(JSON.stringify(process.env)),
    child() {
      const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
      const child = spawn(process.execPath, ["-e", stay], { detached: true, stdio: "ignore" });
      child.unref();
      return words(String(child.pid));
    },
    cancelled: () => words(JSON.stringify(cancelled)),
    ask: async ({ method, params }) => words(JSON.stringify(await ask(method, params))),
    cut: () => (wire.cut(), new Promise(() => {})),
    odd: () => "hello",
    fail: ({ code }) => ({ error: { code, message: "I will not" } }),
    last({ text }, _, id) {
      const message = JSON.stringify({ jsonrpc: "2.0", id, result: words(text) });
      const script = "sleep 0.1; printf '%s\\n' \"$0\"";
      spawn("sh", ["-c", script, message], { stdio: ["ignore", "inherit", "ignore"] });
      setTimeout(() => process.exit(0), 20);
      return new Promise(() => {});
    },
    streams: () => words(String(streams)),
    slow: async ({ ms }) => (await pause(ms), words("done")),
  };
  return async (message) => {
    if (message.method === undefined)
      return waiting.get(message.id)?.(message.result ?? { error: message.error });
    if (message.method === "notifications/cancelled") return void cancelled.push(message.params.reason);
    if (message.id === undefined) return;
    const reply = await replyTo(message, calls);
    if (reply !== undefined) send({ jsonrpc: "2.0", id: message.id, ...reply });
  };
}

async function replyTo({ id, method, params }, calls) {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true }, resources: {} },
          serverInfo: { name: "misbehaving", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools } };
    case "resources/list":
      return { result: { resources: [{ uri: "test://one", name: "one", mimeType: "text/plain" }] } };
    case "resources/read":
      return params.uri === "test://one"
        ? { result: { contents: [{ uri: params.uri, text: "the first" }] } }
        : { error: { code: -32002, message: "no such thing" } };
    case "tools/call": {
      const run = calls[params.name] ?? (() => words(`ran ${params.name}`));
      const result = await run(params.arguments ?? {}, params._meta?.progressToken, id);
      return result?.error === undefined ? { result } : { error: result.error };
    }
    default:
      return { error: { code: -32601, message: `no method ${method}` } };
  }
}

function words(text) {
  return { content: [{ type: "text", text }] };
}

function overStdio() {
  const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const take = answers(send, { notify: send, cut: () => process.exit(0) });
  if (mode === "dies") {
    process.stderr.write(`${"noise\n".repeat(100_000)}cannot find the moon\n`, () => process.exit(1));
    return;
  }
  if (mode === "stubborn") process.on("SIGTERM", () => {});
  if (mode === "stubborn" || mode === "mute") setInterval(() => {}, 1000);
  if (mode === "flood") return flood();
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (mode === "mute") return;
    // As servers on some SDKs do.
    if (mode === "old" && message.method === "server/discover") process.exit(7);
    void take(message);
  });
}

function flood() {
  const line = `${"garbage ".repeat(100)}\n`;
  const more = () => {
    while (process.stdout.write(line));
    process.stdout.once("drain", more);
  };
  process.stdout.on("error", () => process.exit(0));
  more();
}

function overHttp(port) {
  const sessions = new Map();
  const answer = async (request, response) => {
    const id = request.headers["mcp-session-id"];
    if (request.headers["x-key"] !== "secret") return response.writeHead(401).end();
    const body = JSON.parse((await textOf(request)) || "null");
    if (request.method === "DELETE") return response.writeHead(sessions.delete(id) ? 200 : 404).end();
    if (body?.method === "initialize") return begin(body, response);
    if (id === undefined) return response.writeHead(400).end("no session");
    if (!sessions.has(id)) return response.writeHead(404).end("unknown session");
    if (request.method === "GET" && option === "no-stream") return response.writeHead(405).end();
    if (request.method === "GET") return void sessions.set(id, stream(response));
    if (body.id === undefined || body.method === undefined) {
      void answers(() => {}, {})(body);
      return response.writeHead(202).end();
    }
    const send = stream(response);
    streams++;
    response.once("close", () => streams--);
    const notify = (message) => sessions.get(id)?.(message);
    await answers(send, { notify, cut: () => response.destroy() })(body);
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  const begin = async (body, response) => {
    const id = randomUUID();
    sessions.set(id, undefined);
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": id });
    await answers((message) => response.end(JSON.stringify(message)), {})(body);
  };
  server.listen(port, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
  process.stdin.on("end", () => process.exit(0)).resume();
}

function stream(response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return (message) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

async function textOf(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

if (kind === "http") overHttp(Number(mode));
else overStdio();
