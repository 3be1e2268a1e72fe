import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as agent from "../packages/agent/src/index.ts";
import * as timeline from "../packages/agent/src/timeline/index.ts";
import * as engine from "../packages/engine/src/index.ts";
import * as fleet from "../packages/fleet/src/index.ts";
import * as harness from "../packages/harness/src/index.ts";
import * as mcp from "../packages/mcp/src/index.ts";
import { createPermissions } from "../packages/permissions/src/index.ts";
import * as testing from "../packages/testing/src/index.ts";
import * as tools from "../packages/tools/src/index.ts";
import { remote } from "../packages/workers/src/index.ts";
import { WRONG, rawErrorOf, shown, use } from "./wrong-values.ts";

const folder = mkdtempSync(join(tmpdir(), "runahead-wrong-methods-"));
const before = process.cwd();

beforeAll(() => {
  process.chdir(folder);
  for (const name of ["HOME", "RUNAHEAD_HOME"]) vi.stubEnv(name, folder);
  for (const name of Object.keys(process.env)) if (/_API_KEY$|_BASE_URL$/.test(name)) vi.stubEnv(name, "");
});

afterAll(() => {
  vi.unstubAllEnvs();
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const read = engine.defineTool({
  name: "Read",
  description: "Reads.",
  inputSchema: { type: "object" },
  isReadOnly: () => true,
  call: () => "text",
});
const validateJsonSchema = (): readonly [] => [];
const executor = { tools: [read], validateJsonSchema };
const model = (): agent.Model => agent.scripted([]);
const gateOptions = { settings: { mode: "default", sources: [] } };
const hooksOptions: agent.HooksOptions = {
  configs: [],
  projectDir: folder,
  cwd: folder,
  env: {},
  sessionId: "hooks",
  transcriptPath: join(folder, "hooks.jsonl"),
  permissionMode: () => "default",
  onNotice: () => {},
};

let made = 0;
const store = (): agent.SessionStore => agent.fileStore({ home: folder, cwd: folder });
const newSession = (): Promise<agent.Session> =>
  agent.sessions({ home: folder, cwd: folder }).create(`session-${++made}`);
async function storedSession(): Promise<agent.Session> {
  return agent.sessions({ store: store() }).create(`stored-${++made}`);
}
async function served(): Promise<object> {
  const queue = fleet.createAgentQueue({ store: store() });
  const server = await fleet.serveAgents({ queue, tokens: [{ token: "a-long-secret-token" }] });
  return server;
}

/** What the entry points return. A method that ends an object must not end the next one, so each is called on a new one. */
const OBJECTS: Readonly<Record<string, () => unknown>> = {
  executor: () => new engine.StreamingToolExecutor(executor),
  "runTools()": () => engine.runTools([], executor),
  "tool cache": () => engine.createToolCache(),
  locks: () => engine.createLocks(),
  "memory journal": () => engine.memoryJournal(),
  "memory results": () => engine.memoryResults(),
  agent: () => agent.createAgent({ model: model(), tools: [] }),
  "query()": () => agent.query({ model: model(), tools: [], prompt: "Hi" }),
  model,
  gate: () => agent.createPermissionGate(gateOptions),
  hooks: () => agent.createHooks(hooksOptions),
  limiter: () => agent.createLimiter({ requests: 1_000_000 }),
  sessions: () => agent.sessions({ home: folder, cwd: folder }),
  "stored sessions": () => agent.sessions({ store: store() }),
  session: newSession,
  "stored session": storedSession,
  "file store": store,
  lease: () => store().lease(`lease-${++made}`),
  "timeline recorder": () => timeline.createTimelineRecorder(),
  permissions: () => createPermissions({ settings: { mode: "default" }, cwd: folder }),
  "MCP connections": () => mcp.connectMcp({ servers: [], onNotice: () => {} }),
  "coding agent": () =>
    harness.codingAgent({ cwd: folder, home: folder, env: { ANTHROPIC_API_KEY: "unused" } }),
  queue: () => fleet.createAgentQueue({ store: store() }),
  worker: () =>
    fleet.startAgentWorker({
      queue: fleet.createAgentQueue({ store: store() }),
      agent: () => ({ model: model(), tools: [] }),
    }),
  server: served,
  "fleet metrics": () => fleet.createFleetMetrics(),
  "language servers": () =>
    tools.createLanguageServers({ root: folder, home: folder, env: {}, servers: [], usesInstalled: false }),
  "file memory": () => tools.createFileMemory(),
  "fake clock": () => testing.createFakeClock(),
  "remote tools": () => remote([read], { connection: "redis://127.0.0.1:1", queue: "tools" }),
};

const PORT = "A program passes the object on, and our own code calls this.";

/** Methods that are left out, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "memory results.store": PORT,
  "model.stream": PORT,
  "gate.ask": PORT,
  "gate.asks": PORT,
  "lease.append": PORT,
  "lease.release": PORT,
  "lease.storeResult": PORT,
  "fleet metrics.onEvent": PORT,
  "fleet metrics.onRunEnded": PORT,
  "fleet metrics.count": PORT,
  "fleet metrics.change": PORT,
  "language servers.connectionFor": PORT,
  "fleet metrics.set": PORT,
  "language servers.written": PORT,
  "language servers.takeNews": PORT,
  "memory journal.record": PORT,
  "memory results.read": PORT,
  "session.hasTaken": PORT,
  "stored session.hasTaken": PORT,
  "stored session.beside": PORT,
  "stored session.delivers": PORT,
  "stored session.keepOpen": PORT,
  "fake clock.cancel": PORT,
  "query().return": "The language defines it.",
  "query().throw": "The language defines it.",
};

type Method = (...args: readonly unknown[]) => unknown;

/** The methods of an object and of its class. An object of the language, such as an array, has its own. */
function methodsOf(object: object): readonly string[] {
  const names = new Set<string>();
  const foreign: readonly unknown[] = [Object.prototype, Array.prototype];
  for (let at: unknown = object; at !== null && !foreign.includes(at); at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === "function" && name !== "constructor") names.add(name);
  return [...names];
}

async function ended(object: unknown): Promise<void> {
  const { close, drain } = object as { close?: () => unknown; drain?: () => unknown };
  await Promise.resolve((close ?? drain)?.call(object)).catch(() => {});
}

async function problemsOf(where: string, make: () => unknown): Promise<string[]> {
  const problems: string[] = [];
  const names = methodsOf((await sample(make)) as object);
  for (const name of names) {
    if (LEFT_OUT[`${where}.${name}`] !== undefined) continue;
    const object = (await make()) as Record<string, Method>;
    for (const wrong of WRONG)
      for (const args of [[wrong], [wrong, wrong, wrong]]) {
        const raw = await rawErrorOf(() => object[name]?.(...args));
        if (raw !== undefined) problems.push(`${where}.${name}(${args.map(shown).join(", ")}): ${raw}`);
      }
    await ended(object);
  }
  return problems;
}

async function sample(make: () => unknown): Promise<unknown> {
  const object = await make();
  await ended(object);
  return object;
}

const ANY_NAME = "Models choose the names, so any value has an answer.";
const OPTIONAL = "Its parameter is optional.";

/** Methods with a required parameter that can be called without one, and why. */
const WITHOUT_ARGUMENTS: Readonly<Record<string, string>> = {
  "MCP connections.alwaysAsks": ANY_NAME,
  "MCP connections.alwaysLoads": ANY_NAME,
  "MCP connections.changedSinceApproval": ANY_NAME,
  "MCP connections.fingerprintOf": ANY_NAME,
  "gate.isHidden": ANY_NAME,
  "permissions.choices": ANY_NAME,
  "permissions.decide": ANY_NAME,
  "permissions.isHidden": ANY_NAME,
  "permissions.isReadOnly": ANY_NAME,
  "permissions.mayCheck": ANY_NAME,
  "permissions.mayShow": ANY_NAME,
  "agent.compact": OPTIONAL,
  "agent.moveToBackground": OPTIONAL,
  "coding agent.setModel": OPTIONAL,
  "coding agent.setMaxThinkingTokens": OPTIONAL,
  "file memory.takeChangedFiles": OPTIONAL,
  "file memory.touchedFiles": OPTIONAL,
  "file memory.restore": "It takes whatever a file contained, and returns whether it was usable.",
  "hooks.engineHooks": OPTIONAL,
  "sessions.create": OPTIONAL,
  "stored sessions.create": OPTIONAL,
};

/** The methods that need an argument, and accept a call without one. */
async function silentMethods(where: string, make: () => unknown): Promise<string[]> {
  const silent: string[] = [];
  const names = methodsOf((await sample(make)) as object);
  for (const name of names) {
    const known = LEFT_OUT[`${where}.${name}`] ?? WITHOUT_ARGUMENTS[`${where}.${name}`];
    const object = (await make()) as Record<string, Method>;
    const needsOne = (object[name]?.length ?? 0) > 0;
    if (known === undefined && needsOne && !(await isRefused(() => object[name]?.())))
      silent.push(`${where}.${name}()`);
    await ended(object);
  }
  return silent;
}

async function isRefused(call: () => unknown): Promise<boolean> {
  try {
    await use(call());
    return false;
  } catch (error) {
    return error instanceof TypeError || error instanceof RangeError;
  }
}

test.each(Object.entries(OBJECTS))(
  "a method of %s that needs an argument refuses a call without one",
  { timeout: 120_000 },
  async (where, make) => {
    expect(await silentMethods(where, make)).toEqual([]);
  },
);

test.each(Object.entries(OBJECTS))(
  "every method of %s answers wrong arguments by name",
  { timeout: 120_000 },
  async (where, make) => {
    expect(await problemsOf(where, make)).toEqual([]);
  },
);

test.each([
  ["a path", "/sessions"],
  ["sessions()", agent.sessions({ home: folder, cwd: folder })],
  ["an object", {}],
])("a queue whose store is %s is refused", (_what, given) => {
  expect(() => fleet.createAgentQueue({ store: given as never })).toThrow(
    'createAgentQueue: "store" must be a store, such as fileStore() or postgres(url)',
  );
});

test("an unknown option of the events of a queue is refused", () => {
  const queue = fleet.createAgentQueue({ store: store() });
  expect(() => queue.events("a", { form: 1 } as never)).toThrow('Did you mean "from"?');
});

test.each([undefined, null, {}, { type: 5 }, { type: "mesage" }])(
  "a session refuses the entry %j",
  async (entry) => {
    const session = await newSession();
    expect(() => session.append(entry as never)).toThrow(/^append: /);
    await session.close();
  },
);
