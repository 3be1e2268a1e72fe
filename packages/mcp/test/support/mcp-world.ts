/** MCP servers for tests, with calls run by the engine, and a check for processes that are left. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { StreamingToolExecutor, type ToolResult } from "@runahead/engine";
import { expect } from "vitest";
import { type McpConnections, type McpOptions, connectMcp } from "../../src/connect.ts";
import type { FoundMcpServer } from "../../src/mcp-server.ts";
import { validateJsonSchema } from "../../src/validate.ts";

const SCRIPT = fileURLToPath(new URL("../mcp/misbehaving-server.mjs", import.meta.url));

/** Servers and the processes that they start inherit it. */
const OWNER = "RUNAHEAD_TEST_OWNER";
const closing: (() => Promise<void>)[] = [];

export function stdioServer(name: string, ...args: readonly string[]): FoundMcpServer {
  const env = { [OWNER]: String(process.pid) };
  const server = { type: "stdio", command: process.execPath, args, env } as const;
  return { name, path: "/repo/.mcp.json", trusted: true, server };
}

export function misbehaving(mode = "well", name = "odd"): FoundMcpServer {
  return stdioServer(name, SCRIPT, "stdio", mode);
}

const PACKAGES = {
  everything: import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
  filesystem: import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
};

export function packageServer(name: keyof typeof PACKAGES, ...args: readonly string[]): FoundMcpServer {
  return stdioServer(name, fileURLToPath(PACKAGES[name]), ...args);
}

export function httpServer(port: number, type: "http" | "sse" = "http"): FoundMcpServer {
  const server = {
    type,
    url: `http://127.0.0.1:${port}/mcp`,
    headers: { "X-Key": "secret" },
    timeoutMs: undefined,
  } as const;
  return { name: "odd", path: "/repo/.mcp.json", trusted: true, server };
}

/** A misbehaving server on HTTP; `end` kills it. */
export async function startHttp(
  port = 0,
  option: "stream" | "no-stream" = "stream",
): Promise<{ readonly port: number; end(): Promise<void> }> {
  const child = spawn(process.execPath, [SCRIPT, "http", String(port), option], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  closing.push(end);
  return { port: Number(line.toString()), end };
}

type Called = ToolResult & { readonly progress: readonly unknown[] };

export interface McpWorld {
  readonly mcp: McpConnections;
  readonly notices: readonly string[];
  readonly call: (toolName: string, input?: object, signal?: AbortSignal) => Promise<Called>;
}

/** Short pauses, so that tests are fast. */
const QUICK = { retryMs: 20, mostRetryMs: 100 } as const;

export function newWorld(servers: readonly FoundMcpServer[], options: Partial<McpOptions> = {}): McpWorld {
  const notices: string[] = [];
  const mcp = connectMcp({
    servers,
    onNotice: (message) => void notices.push(message),
    ...options,
    limits: { ...QUICK, ...options.limits },
  });
  closing.unshift(() => mcp.close());
  return { mcp, notices, call: (toolName, input, signal) => callTool(mcp, { toolName, input }, signal) };
}

interface Asked {
  readonly toolName: string;
  readonly input: object | undefined;
}

async function callTool(
  mcp: McpConnections,
  { toolName, input = {} }: Asked,
  signal?: AbortSignal,
): Promise<Called> {
  const executor = new StreamingToolExecutor({
    tools: mcp.tools(),
    validateJsonSchema,
    ...(signal === undefined ? {} : { signal }),
  });
  executor.add({ id: "call", name: toolName, input });
  const progress: unknown[] = [];
  for await (const update of executor.remaining()) {
    if (update.type === "result") return { ...update.result, progress };
    progress.push(update.data);
  }
  throw new Error("no result");
}

/** Returns the text of a result that begins with text. */
export function firstText({ content }: Pick<ToolResult, "content">): string {
  const [first] = typeof content === "string" ? [] : content;
  if (first?.type !== "text") throw new Error(`no text: ${JSON.stringify(content)}`);
  return first.text;
}

/** A port where nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** For `afterEach`: closes everything, and expects that no server process is left. */
export async function nothingLeft(): Promise<void> {
  for (const close of closing.splice(0)) await close();
  expect(serverProcesses()).toEqual([]);
}

/** Processes that a connection of this test process started, and their children. */
export function serverProcesses(): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    const environment = read(`/proc/${pid}/environ`).split("\0");
    return environment.includes(`${OWNER}=${process.pid}`) && !isZombie(pid);
  });
}

function isZombie(pid: string): boolean {
  return /\) Z /.test(read(`/proc/${pid}/stat`));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
