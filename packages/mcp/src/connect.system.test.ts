import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  firstText,
  freePort,
  httpServer,
  misbehaving,
  newWorld,
  nothingLeft,
  packageServer,
  serverProcesses,
  stdioServer,
} from "../test/support/mcp-world.ts";
import { until } from "../../agent/test/support/until.ts";
import type { McpChannel } from "./channel.ts";
import type { FoundMcpServer } from "./mcp-server.ts";

afterEach(nothingLeft);

test("without servers there are no tools and no notices", async () => {
  const { mcp, notices } = newWorld([]);
  await mcp.settled();
  expect([mcp.tools(), mcp.servers(), notices]).toEqual([[], [], []]);
});

test("the protocol's client is loaded with the first server, not before", () => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const source = readFileSync(new URL(file, import.meta.url), "utf8").replaceAll(/import type [^;]*;/g, "");
    for (const [, name] of source.matchAll(/from "([^"]+)"/g))
      if (name?.startsWith("./")) visit(name);
      else reached.add(name ?? "");
  };
  visit("./connect.ts");
  expect(reached).toContain("./connection.ts");
  expect([...reached].filter((name) => /modelcontextprotocol|ajv|open\.ts/.test(name))).toEqual([]);
});

test("D17: servers of a folder that is not trusted are never started, and one notice says so", async () => {
  const untrusted = (name: string): FoundMcpServer => ({ ...misbehaving("well", name), trusted: false });
  const { mcp, notices } = newWorld([untrusted("one"), untrusted("two")]);
  await mcp.settled();
  expect(serverProcesses()).toEqual([]);
  expect(mcp.tools()).toEqual([]);
  expect(mcp.servers()).toEqual([
    { name: "one", path: "/repo/.mcp.json", state: { type: "untrusted" }, tools: [] },
    { name: "two", path: "/repo/.mcp.json", state: { type: "untrusted" }, tools: [] },
  ]);
  expect(notices).toEqual([
    "MCP servers not started: one, two (/repo/.mcp.json). The folder is not trusted; run `runahead trust` to enable them.",
  ]);
});

test("a silent server blocks nothing: the tools of the others are available, and its timeout is reported", async () => {
  const { mcp, notices } = newWorld([misbehaving("mute", "mute"), misbehaving("well", "good")], {
    limits: { connectMs: 5_000, mostRetries: 0 },
  });
  expect(mcp.tools().map(({ name }) => name)).toEqual(["ListMcpResources", "ReadMcpResource"]);
  await until(() => mcp.tools().some(({ name }) => name === "mcp__good__echo"));
  expect(mcp.servers()[0]).toMatchObject({ name: "mute", state: { type: "connecting" }, tools: [] });
  await mcp.settled();
  expect(mcp.servers()[0]?.state).toEqual({ type: "failed", why: "it did not answer within 5 s." });
  expect(notices).toEqual(["The MCP server mute is not available: it did not answer within 5 s."]);
});

test("H04: a server that exits at once is reported once, with its last output, bounded", async () => {
  const { mcp, notices } = newWorld([misbehaving("dies", "dead")], { limits: { mostRetries: 2 } });
  await until(() => mcp.servers()[0]?.state.type === "failed", "it to be left alone");
  const said = `${"noise\n".repeat(19)}cannot find the moon`;
  expect(notices).toEqual([
    `The MCP server dead is not available and will be retried: it exited with code 1. Last lines of its stderr:\n${said}`,
    `The MCP server dead is not available and will not be retried: it exited with code 1. Last lines of its stderr:\n${said}`,
  ]);
});

test("missing programs, closed ports and WebSockets fail with a clear message", async () => {
  const none = {
    ...stdioServer("none"),
    server: { type: "stdio", command: "/no/such/program", args: [], env: {} },
  } as const;
  const ws = {
    ...httpServer(1),
    name: "ws",
    server: { type: "ws", url: "ws://x", headers: {}, timeoutMs: undefined },
  } as const;
  const { mcp } = newWorld([none, { ...httpServer(await freePort()), name: "nobody" }, ws], {
    limits: { mostRetries: 0 },
  });
  await mcp.settled();
  expect(mcp.servers().map(({ state }) => ("why" in state ? state.why : state.type))).toEqual([
    "the program /no/such/program was not found",
    expect.stringMatching(/^cannot connect to http.*: connection refused$/),
    "WebSocket servers are not supported; use stdio or http",
  ]);
});

test("a server that exits on the new handshake is started again with the older one", async () => {
  const { mcp, call } = newWorld([misbehaving("old")]);
  await mcp.settled();
  expect((await call("mcp__odd__echo", { text: "still here" })).content).toEqual([
    { type: "text", text: "still here" },
  ]);
});

test("names are made to fit, collisions are reported, and invalid tools are left out", async () => {
  const { mcp, notices } = newWorld([
    misbehaving("odd-list", "my server"),
    misbehaving("well", "my.server"),
    misbehaving("well", "my  server"),
  ]);
  await mcp.settled();
  const names = mcp.tools().map(({ name }) => name);
  expect(names.filter((name) => name.includes("a_b") || name.endsWith("bad"))).toEqual([
    "mcp__my_server__a_b-2e7336dc",
    "mcp__my_server__a_b",
    "mcp__my_server__bad",
  ]);
  expect(mcp.tools().find(({ name }) => name.endsWith("__bad"))).toMatchObject({
    inputSchema: { type: "object" },
    description: '\nInput schema as the server gave it: {"type":"object","properties":5}',
  });
  expect(notices).toEqual([
    "The MCP server my.server is not used: its tools would have the same names as those of my server. Rename one of them.",
    "The MCP server my  server is not used: its tools would have the same names as those of my server. Rename one of them.",
    "The MCP server my server lists the tool echo twice; the second is ignored.",
    "The MCP server my server lists an entry that is not a valid tool; it is ignored.",
    "The MCP server my server has a tool a.b whose name cannot be used; it is offered as mcp__my_server__a_b-2e7336dc.",
    "The tool bad of the MCP server my server has an invalid input schema (data/properties must be object); its input is checked only by the server.",
  ]);
});

test("a server process inherits little, gets its configured environment, and runs in its own process group", async () => {
  const entry = misbehaving();
  const env = { ...(entry.server.type === "stdio" ? entry.server.env : {}), GIVEN: "yes" };
  const server = { ...entry.server, env } as FoundMcpServer["server"];
  const { mcp, call } = newWorld([{ ...entry, server }], {
    env: {
      PATH: "/bin",
      HOME: "/home/x",
      LC_ALL: "C",
      SECRET_TOKEN: "s",
      NODE_OPTIONS: "--no-warnings",
      SHELL: "() { :; }",
    },
  });
  await mcp.settled();
  const seen = JSON.parse(firstText(await call("mcp__odd__env"))) as Record<string, string>;
  expect({ ...seen, RUNAHEAD_MCP: "mark", RUNAHEAD_TEST_OWNER: "" }).toEqual({
    PATH: "/bin",
    HOME: "/home/x",
    LC_ALL: "C",
    GIVEN: "yes",
    RUNAHEAD_MCP: "mark",
    RUNAHEAD_TEST_OWNER: "",
  });
});

test("close ends servers that ignore SIGTERM, their processes in other sessions, and servers that are still starting", async () => {
  const { mcp, call } = newWorld([misbehaving("stubborn", "stubborn"), misbehaving("mute", "mute")]);
  await until(() => mcp.tools().some(({ name }) => name === "mcp__stubborn__child"));
  await call("mcp__stubborn__child");
  expect(serverProcesses().length).toBe(3);
  await mcp.close();
  expect(serverProcesses()).toEqual([]);
  expect(mcp.tools()).toEqual([]);
  expect(mcp.servers().map(({ state }) => state.type)).toEqual(["closed", "closed"]);
});

test("a server starts in the folder that its definition names, and a missing folder is named", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-cwd-")));
  mkdirSync(join(folder, "inner"));
  const found = packageServer("everything");
  if (found.server.type !== "stdio") throw new Error("not a process");
  const { command, args } = found.server;
  const telling = ["-c", 'pwd > started-here; exec "$0" "$@"', command, ...args];
  const server = { ...found.server, command: "/bin/sh", args: telling };
  const { mcp } = newWorld(
    [
      { ...found, name: "inner", server: { ...server, cwd: "inner" } },
      { ...found, name: "lost", server: { ...server, cwd: "/no/such/folder" } },
    ],
    { cwd: folder },
  );
  await mcp.settled();
  expect(mcp.servers().map(({ state }) => ("why" in state ? state.why : state.type))).toEqual([
    "ready",
    "its folder /no/such/folder does not exist",
  ]);
  expect(readFileSync(join(folder, "inner/started-here"), "utf8")).toBe(`${join(folder, "inner")}\n`);
  rmSync(folder, { recursive: true });
});

test("the reference servers from npm work: text, images, links, structured content, progress, resources", async () => {
  const { mcp, call, notices } = newWorld([packageServer("everything"), packageServer("filesystem", "/tmp")]);
  await mcp.settled();
  expect(notices).toEqual([]);
  const ran = async (tool: string, input?: object) => (await call(`mcp__${tool}`, input)).content;
  expect(await ran("everything__echo", { message: "hi" })).toEqual([{ type: "text", text: "Echo: hi" }]);
  expect(await ran("everything__get-tiny-image")).toMatchObject([
    { type: "text" },
    { type: "image", source: { type: "base64", media_type: "image/png" } },
    { type: "text" },
  ]);
  expect(await ran("everything__get-structured-content", { location: "New York" })).toMatchObject([
    { type: "text" },
  ]);
  const slow = await call("mcp__everything__trigger-long-running-operation", { duration: 0.3, steps: 3 });
  expect(slow.progress.slice(0, 2)).toEqual([
    { type: "status", message: "1/3", progress: 1, total: 3 },
    { type: "status", message: "2/3", progress: 2, total: 3 },
  ]);
  expect(await ran("filesystem__list_allowed_directories")).toMatchObject([
    { text: expect.stringContaining(process.cwd()) },
  ]);
  const readOnly = mcp
    .tools()
    .filter((tool) => tool.isReadOnly?.({}) === true)
    .map(({ name }) => name);
  expect(readOnly).toContain("mcp__filesystem__read_text_file");
  expect(readOnly).not.toContain("mcp__filesystem__write_file");
  const wrong = await call("mcp__everything__get-sum", { a: 1, c: "x" });
  expect([wrong.is_error, wrong.content]).toEqual([true, expect.stringContaining("b")]);
  expect((await call("ListMcpResources", { server: "everything" })).content).toContain(
    "demo://resource/static/document/",
  );
});

test("servers are added, turned off and on, connected again and removed while others keep their connection", async () => {
  const { mcp } = newWorld([misbehaving("well", "first")]);
  await mcp.settled();
  const names = (): string[] => mcp.tools().map(({ name }) => name);
  let changes = 0;
  mcp.onChange(() => void changes++);
  expect(mcp.add([misbehaving("well", "second"), misbehaving("well", "first")])).toEqual(["second"]);
  await mcp.settled();
  expect(names()).toEqual(expect.arrayContaining(["mcp__first__echo", "mcp__second__echo"]));
  await mcp.setEnabled("second", false);
  expect(names()).not.toContain("mcp__second__echo");
  expect(mcp.servers()[1]?.state).toEqual({ type: "disabled" });
  await mcp.reconnect("second");
  expect(names()).toContain("mcp__second__echo");
  const before = serverProcesses().length;
  await mcp.setEnabled("second", true);
  expect(serverProcesses()).toHaveLength(before);
  expect(await mcp.remove("second")).toBe(true);
  expect(names()).not.toContain("mcp__second__echo");
  expect(await mcp.remove("second")).toBe(false);
  expect(changes).toBeGreaterThan(3);
  await expect(mcp.reconnect("nobody")).rejects.toThrow("No MCP server is called nobody. Servers: first.");
});

test("a server that cannot be connected again is an error with the reason", async () => {
  const { mcp } = newWorld([misbehaving("dies", "dead")], { limits: { mostRetries: 0 } });
  await mcp.settled();
  await expect(mcp.reconnect("dead")).rejects.toThrow(/^The MCP server dead does not connect: it exited/);
});

test("only the tools that the entry of a server chooses are offered, and a name that it does not have is reported", async () => {
  const all = newWorld([packageServer("everything")]);
  await all.mcp.settled();
  const names = all.mcp.tools().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["mcp__everything__echo", "mcp__everything__get-sum"]));
  const tools = { only: ["echo", "get-*"], without: ["get-sum", "ecko"] };
  const { mcp, notices } = newWorld([{ ...packageServer("everything"), tools }]);
  await mcp.settled();
  const chosen = mcp.tools().flatMap(({ name }) => (name.startsWith("mcp__") ? [name] : []));
  expect(chosen).toEqual(names.filter((name) => /__(?:echo|get-(?!sum).*)$/.test(name)));
  expect(notices).toEqual([
    "The MCP server everything has no tool ecko, which /repo/.mcp.json names as one of its tools.",
  ]);
});

test("the entry of a server names tools whose calls need approval, also under the names that they are offered by", async () => {
  const long = `send_${"x".repeat(60)}_now`;
  const names = ["send.mail", "send_mail", long, "read"];
  const tools = names.map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
  const server: FoundMcpServer = {
    name: "own",
    path: "the program",
    trusted: true,
    server: { type: "host", connect: () => channelOf(tools) },
    tools: { ask: ["send.mail", "*_now"] },
  };
  const { mcp } = newWorld([server]);
  await mcp.settled();
  const offered = mcp.tools().flatMap(({ name }) => (name.startsWith("mcp__") ? [name] : []));
  const asking = offered.filter((name) => mcp.alwaysAsks(name) === "the program");
  expect([offered.length, asking]).toEqual([
    4,
    [expect.stringMatching(/^mcp__own__send_mail-/), expect.stringMatching(/^mcp__own__send_x+-/)],
  ]);
  // A call can wait while the server is gone.
  await mcp.setEnabled("own", false);
  expect(asking.map((name) => mcp.alwaysAsks(name))).toEqual(["the program", "the program"]);
});

/** A server inside the program. */
function channelOf(tools: readonly object[]): McpChannel {
  let tell: (message: Readonly<Record<string, unknown>>) => void = () => {};
  return {
    send: async ({ id, method, params }) => {
      const { protocolVersion } = (params ?? {}) as { readonly protocolVersion?: string };
      const serverInfo = { name: "own", version: "1" };
      const result =
        method === "initialize" ? { protocolVersion, capabilities: { tools: {} }, serverInfo } : { tools };
      if (id !== undefined) tell({ jsonrpc: "2.0", id, result });
    },
    onMessage: (listener) => (tell = listener),
  };
}

test("the entry of a server says whether its tools are always loaded", async () => {
  const { mcp } = newWorld([
    { ...misbehaving("well", "pinned"), alwaysLoad: true },
    { ...misbehaving("well", "searched"), alwaysLoad: false },
    misbehaving("well", "plain"),
  ]);
  await mcp.settled();
  const [first = ""] = mcp.tools().map(({ name }) => name.replace(/^mcp__[a-z]+__/, ""));
  expect(
    ["pinned", "searched", "plain", "other"].map((name) => mcp.alwaysLoads(`mcp__${name}__${first}`)),
  ).toEqual([true, false, undefined, undefined]);
});
