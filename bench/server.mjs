/**
 * Replays the traces like a model API, in its own process. It keeps no state: the path of a request names the trace
 * (`/t/<trace>/v1/messages`), and its results show the turn. A request that lacks a result of the previous turn, or contains
 * an error, is refused, so that a library whose loop does not work cannot look fast.
 */

import { createServer } from "node:http";
import { callsOf, findTrace } from "./traces.mjs";
import { render } from "./render.mjs";

const DIALECTS = {
  "/v1/messages": { name: "anthropic", resultsOf: anthropicResults },
  "/v1/chat/completions": { name: "chat", resultsOf: chatResults },
  "/v1/responses": { name: "responses", resultsOf: responsesResults },
};

function anthropicResults({ messages }) {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter((block) => block.type === "tool_result")
    .map((block) => ({ id: block.tool_use_id, ok: block.is_error !== true && succeeded(block.content) }));
}

function chatResults({ messages }) {
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ tool_call_id, content }) => ({ id: tool_call_id, ok: succeeded(content) }));
}

function responsesResults({ input }) {
  return (Array.isArray(input) ? input : [])
    .filter(({ type }) => type === "function_call_output")
    .map(({ call_id, output }) => ({ id: call_id, ok: succeeded(output) }));
}

/** Every tool of the benchmark returns "done …"; libraries wrap it in different ways. */
const succeeded = (content) => JSON.stringify(content ?? "").includes("done");

/** Returns the turn of a request, or the problem with it. */
function nextTurn(trace, results) {
  const turns = results.map(({ id }) => Number(id.split("_")[1]));
  const last = turns.reduce((most, turn) => Math.max(most, turn), -1);
  const answered = new Set(
    results.filter(({ ok }, index) => ok && turns[index] === last).map(({ id }) => id),
  );
  const expected = last < 0 ? 0 : callsOf(trace.turns[last]).length;
  if (answered.size !== expected)
    return { error: `turn ${last}: ${answered.size} of ${expected} good results` };
  return last + 1 < trace.turns.length ? { turn: last + 1 } : { error: "the trace has no further turn" };
}

const rendered = new Map();

function bytesOf(dialect, trace, turn) {
  const key = `${dialect} ${trace.name} ${turn}`;
  if (!rendered.has(key)) rendered.set(key, render(dialect, trace, turn));
  return rendered.get(key);
}

/** `setTimeout` is up to 2 ms late, so the last part is polled. */
function until(atMs) {
  return new Promise((resolve) => {
    const poll = () => (performance.now() >= atMs ? resolve() : setImmediate(poll));
    const waitMs = atMs - performance.now() - 2;
    if (waitMs > 0) setTimeout(poll, waitMs);
    else poll();
  });
}

const PIECE_BYTES = 65_536;

/** Waits until the client has read everything, or has disconnected. */
function drained(response) {
  return new Promise((resolve) => {
    const done = () => resolve(response.off("drain", done).off("close", done));
    response.on("drain", done).on("close", done);
  });
}

async function write(response, bytes) {
  for (let at = 0; at < bytes.length && !response.destroyed; at += PIECE_BYTES) {
    const more = response.write(bytes.subarray(at, at + PIECE_BYTES));
    if (!more) await drained(response);
  }
}

/** All times are relative to the arrival of the request, so that one delay does not add up. */
async function play(response, chunks, startedMs) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const { atMs, bytes } of chunks) {
    if (startedMs + atMs > performance.now()) await until(startedMs + atMs);
    if (response.destroyed) return;
    await write(response, bytes);
  }
  response.end();
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function answer(request, response) {
  const startedMs = performance.now();
  const [, traceName, path] = /^\/t\/([^/]+)(\/v1\/[^?]*)/.exec(request.url) ?? [];
  const dialect = DIALECTS[path];
  if (dialect === undefined) throw new Error(`nothing is served at ${request.url}`);
  const trace = findTrace(traceName);
  const { turn, error } = nextTurn(trace, dialect.resultsOf(await bodyOf(request)));
  if (error !== undefined) throw new Error(error);
  await play(response, bytesOf(dialect.name, trace, turn), startedMs);
}

function refuse(response, error) {
  const body = { type: "error", error: { type: "invalid_request_error", message: error.message } };
  if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => refuse(response, error));
});
// A tool can take longer than the default of 5 s between two requests of one connection.
server.keepAliveTimeout = 120_000;
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }));
// Exits when run.mjs, which started it, is gone.
process.on("disconnect", () => process.exit());
