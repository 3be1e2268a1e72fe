/**
 * A language server for tests. It reports every line that contains BAD, and misbehaves as its first argument says:
 * hang-start, die-start, die-open, garbage, flood, silent, stubborn. With denied, everything is defined in denied.fake.
 * With loading and loading-status, it knows nothing until there is a file `loaded`.
 */

import { spawn } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";

const [mode = "good", log] = process.argv.slice(2);
const note = (text) => log !== undefined && appendFileSync(log, `${text}\n`);
note(`started ${process.pid}`);
let held = Buffer.alloc(0);
const versions = new Map();

if (mode === "die-start") process.exit(7);
if (mode === "garbage") process.stdout.write("Welcome to the server!\r\n\r\n");
if (mode === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  note(`child ${child.pid}`);
}

function send(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const loads = mode.startsWith("loading");
let isLoading = loads;
function reportLoading() {
  if (mode === "loading-status")
    return send({ method: "experimental/serverStatus", params: { quiescent: !isLoading } });
  const value = isLoading ? { kind: "begin", title: "Loading" } : { kind: "end" };
  send({ method: "$/progress", params: { token: "load", value } });
}
if (loads) {
  const timer = setInterval(() => {
    if (!existsSync("loaded")) return;
    clearInterval(timer);
    isLoading = false;
    reportLoading();
  }, 20);
}

function problems(text) {
  return text.split("\n").flatMap((line, number) => {
    const at = line.indexOf("BAD");
    if (at < 0) return [];
    const range = { start: { line: number, character: at }, end: { line: number, character: at + 3 } };
    return [{ range, severity: 1, code: 1, source: "fake", message: line.slice(at) }];
  });
}

function publish(uri, version, text) {
  send({
    method: "textDocument/publishDiagnostics",
    params: { uri, version, diagnostics: problems(text) },
  });
}

function changed(uri, version, text) {
  versions.set(uri, text);
  note(`content ${version} ${JSON.stringify(text)}`);
  if (mode === "die-open") process.exit(9);
  if (mode === "silent" || mode === "stubborn" || loads) return;
  if (mode === "flood") {
    const message = "x".repeat(500);
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const diagnostics = Array.from({ length: 2_000 }, (_, code) => ({ range, code, message }));
    for (let count = 0; count < 20; count++)
      send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } });
    return;
  }
  publish(uri, version, text);
}

function handle({ id, method, params }) {
  if (mode === "hang-start") return;
  if (method === "initialize")
    return send({
      id,
      result: {
        capabilities: {
          textDocumentSync: 1,
          hoverProvider: true,
          definitionProvider: {},
          workspaceSymbolProvider: true,
          referencesProvider: true,
          ...(loads ? { diagnosticProvider: {} } : {}),
        },
      },
    });
  if (method === "initialized" && loads) return reportLoading();
  if (method === "textDocument/diagnostic" && loads) {
    note("pull");
    const items = isLoading ? [] : problems(versions.get(params.textDocument.uri));
    return send({ id, result: { kind: "full", items } });
  }
  if (method === "textDocument/didOpen")
    return changed(params.textDocument.uri, params.textDocument.version, params.textDocument.text);
  if (method === "textDocument/didChange")
    return changed(params.textDocument.uri, params.textDocument.version, params.contentChanges[0].text);
  if (method === "shutdown" && mode !== "silent" && mode !== "stubborn") return send({ id, result: null });
  if (method === "exit" && mode !== "stubborn") process.exit(0);
  if (mode === "silent" || mode === "stubborn" || id === undefined) return;
  if (method === "textDocument/hover")
    return send({
      id,
      result: { contents: { kind: "plaintext", value: `at ${JSON.stringify(params.position)}` } },
    });
  if (method === "textDocument/definition" && mode === "denied") {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    return send({ id, result: { uri: params.textDocument.uri.replace(/[^/]+$/, "denied.fake"), range } });
  }
  if (method === "textDocument/references") {
    note("references");
    if (isLoading) return send({ id, result: [] });
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    return send({ id, result: [...versions.keys()].map((uri) => ({ uri, range })) });
  }
  send({ id, error: { code: -32601, message: `no ${method}` } });
}

process.stdin.on("data", (bytes) => {
  held = Buffer.concat([held, bytes]);
  for (;;) {
    const end = held.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(held.toString("latin1", 0, end))[1]);
    if (held.length < end + 4 + length) return;
    const body = held.subarray(end + 4, end + 4 + length).toString("utf8");
    held = held.subarray(end + 4 + length);
    handle(JSON.parse(body));
  }
});
process.stdin.on("end", () => {
  if (mode !== "stubborn") process.exit(0);
});
