/**
 * Programs that are written with the Claude Agent SDK run on Runahead. The package is installed for the test, because
 * its optional dependencies are hundreds of megabytes that nothing else needs.
 */

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type ModelServer,
  type ScriptedAnswer,
  modelServer,
  sse,
} from "../../../agent/test/support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";

type Message = Readonly<Record<string, unknown>>;

interface Query extends AsyncGenerator<Message> {
  interrupt(): Promise<unknown>;
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: string): Promise<void>;
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
  mcpServerStatus(): Promise<readonly Message[]>;
  rewindFiles(id: string, options?: { dryRun?: boolean }): Promise<Message>;
  supportedAgents(): Promise<readonly Message[]>;
  setMcpServers(servers: object): Promise<Message>;
  toggleMcpServer(name: string, isEnabled: boolean): Promise<void>;
  reconnectMcpServer(name: string): Promise<void>;
  readFile(path: string): Promise<Message | null>;
  reloadSkills(): Promise<Message>;
  reloadOutputStyles(): Promise<Message>;
  reloadPlugins(): Promise<Message>;
  [method: string]: unknown;
}

interface Sdk {
  query(given: { prompt: unknown; options: object }): Query;
  tool(...given: readonly unknown[]): unknown;
  createSdkMcpServer(given: object): unknown;
}

const PACKAGE = "@anthropic-ai/claude-agent-sdk@0.3.328";
const PROGRAM = fileURLToPath(new URL("../../bin/runahead.mjs", import.meta.url));
const installed = mkdtempSync(join(tmpdir(), "agent-sdk-"));
let sdk: Sdk;
let zod: { number(): unknown };
let root: string;
let server: ModelServer | undefined;

beforeAll(async () => {
  writeFileSync(join(installed, "package.json"), '{"private":true,"type":"module"}');
  const args = ["install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE];
  const { status, stderr } = spawnSync("npm", args, { cwd: installed, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot install ${PACKAGE}: ${stderr}`);
  const load = async (path: string): Promise<unknown> =>
    import(pathToFileURL(join(installed, "node_modules", path)).href);
  sdk = (await load("@anthropic-ai/claude-agent-sdk/sdk.mjs")) as Sdk;
  zod = ((await load("zod/index.js")) as { z: typeof zod }).z;
}, 300_000);
afterAll(() => rmSync(installed, { recursive: true, force: true }), 120_000);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agent-sdk-run-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "project/a.txt"), "hello\n");
});
afterEach(async () => {
  await server?.close();
  rmSync(root, { recursive: true, force: true });
});

const response = (...events: readonly object[]): ScriptedAnswer => ({
  pieces: [sse([messageStart, ...events])],
});
const said = (text: string): ScriptedAnswer => response(...textBlock(0, text), ...messageEnd("end_turn"));
const uses = (name: string, input: object, id = "toolu_1"): ScriptedAnswer => {
  const blocks = callBlock(0, id, JSON.stringify(input)).map((event) =>
    "content_block" in event
      ? { ...event, content_block: { ...(event.content_block as object), name } }
      : event,
  );
  return response(...blocks, ...messageEnd("tool_use"));
};
const hanging: ScriptedAnswer = {
  pieces: [sse([messageStart, ...textBlock(0, "Working").slice(0, 2)])],
  after: "hang",
};

/** Begins a query whose model gives these answers. */
async function begin(
  prompt: unknown,
  answers: readonly ScriptedAnswer[],
  options: object = {},
): Promise<Query> {
  server = await modelServer(...answers);
  return sdk.query({
    prompt,
    options: {
      pathToClaudeCodeExecutable: PROGRAM,
      cwd: join(root, "project"),
      env: {
        PATH: process.env["PATH"],
        HOME: join(root, "home"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: server.url,
      },
      stderr: () => {},
      ...options,
    },
  });
}

async function run(
  prompt: unknown,
  answers: readonly ScriptedAnswer[],
  options: object = {},
): Promise<Message[]> {
  const all: Message[] = [];
  for await (const message of await begin(prompt, answers, options)) all.push(message);
  return all;
}

const kindOf = ({ type, subtype }: Message): string =>
  subtype === undefined ? String(type) : `${String(type)}/${String(subtype)}`;
const lastOf = (all: readonly Message[]): Message => all.at(-1) ?? {};

/** Prompts that are sent one after the other, each when the test says so. */
function prompts() {
  const waiting: (Message | undefined)[] = [];
  let wake = (): void => {};
  const send = (text: string, uuid?: string): void => {
    const message = { role: "user", content: text };
    waiting.push({
      type: "user",
      message,
      parent_tool_use_id: null,
      session_id: "",
      ...(uuid ? { uuid } : {}),
    });
    wake();
  };
  const end = (): void => {
    waiting.push(undefined);
    wake();
  };
  async function* stream(): AsyncGenerator<Message> {
    for (;;) {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const next = waiting.shift();
      if (next === undefined) return;
      yield next;
    }
  }
  return { send, end, stream: stream() };
}

test("a prompt is answered, with the lines that the SDK knows", async () => {
  const all = await run("look", [uses("Read", { file_path: "a.txt" }), said("It says hello.")]);
  expect(all.map(kindOf)).toEqual(["system/init", "assistant", "user", "assistant", "result/success"]);
  expect(lastOf(all)).toMatchObject({ result: "It says hello.", stop_reason: "end_turn", num_turns: 2 });
});

test("an error of the model is a result with errors", async () => {
  const refused = { status: 401, pieces: [JSON.stringify({ error: { message: "bad key" } })] };
  const all: Message[] = [];
  const end = await (async () => {
    for await (const message of await begin("x", [refused])) all.push(message);
  })().catch((error: unknown) => error);
  expect([lastOf(all), String(end)]).toMatchObject([
    { subtype: "error_during_execution", is_error: true },
    {},
  ]);
});

test("canUseTool allows with another input, and denies with a message", async () => {
  const asked: unknown[] = [];
  const canUseTool = async (name: string, input: Record<string, unknown>) => {
    asked.push([name, input["file_path"]]);
    return input["file_path"] === "no.txt"
      ? { behavior: "deny", message: "not this one" }
      : { behavior: "allow", updatedInput: { ...input, content: "changed\n" } };
  };
  const answers = [
    uses("Write", { file_path: "yes.txt", content: "x" }, "toolu_1"),
    uses("Write", { file_path: "no.txt", content: "x" }, "toolu_2"),
    said("Done."),
  ];
  const all = await run("write", answers, { canUseTool });
  expect(asked).toEqual([
    ["Write", "yes.txt"],
    ["Write", "no.txt"],
  ]);
  expect(readFileSync(join(root, "project/yes.txt"), "utf8")).toBe("changed\n");
  expect(existsSync(join(root, "project/no.txt"))).toBe(false);
  expect(JSON.stringify(all)).toContain("not this one");
  expect(lastOf(all)["permission_denials"]).toHaveLength(1);
});

test("a rule that canUseTool returns is used for the rest of the session", async () => {
  let asked = 0;
  const canUseTool = async (_name: string, input: object, { suggestions }: { suggestions?: object[] }) => {
    asked++;
    const updatedPermissions = suggestions?.slice(0, 1).map((one) => ({ ...one, destination: "session" }));
    return { behavior: "allow", updatedInput: input, updatedPermissions };
  };
  const bash = (id: string): ScriptedAnswer => uses("Bash", { command: "touch one" }, id);
  await run("go", [bash("toolu_1"), bash("toolu_2"), said("Done.")], { canUseTool });
  expect(asked).toBe(1);
});

test("hooks of the program block calls and add context", async () => {
  const heard: string[] = [];
  const hooks = {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          async (input: Message) => {
            heard.push(`${String(input["hook_event_name"])} ${String(input["tool_name"])}`);
            return {
              hookSpecificOutput: {
                hookEventName: "PreToolUse",
                permissionDecision: "deny",
                permissionDecisionReason: "no shell",
              },
            };
          },
        ],
      },
    ],
    UserPromptSubmit: [
      {
        hooks: [
          async () => ({
            hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "it is Monday" },
          }),
        ],
      },
    ],
  };
  const all = await run("go", [uses("Bash", { command: "ls" }), said("Done.")], { hooks });
  expect(heard).toEqual(["PreToolUse Bash"]);
  expect(JSON.stringify(all)).toContain("no shell");
  expect(server?.requests[0]?.text).toContain("it is Monday");
});

test("tools of the program run in the program", async () => {
  const shape = { a: zod.number(), b: zod.number() };
  const add = sdk.tool("add", "Adds two numbers.", shape, async ({ a, b }: { a: number; b: number }) => ({
    content: [{ type: "text", text: `sum ${a + b}` }],
  }));
  const calc = sdk.createSdkMcpServer({ name: "calc", version: "1.0.0", tools: [add] });
  const all = await run("add", [uses("mcp__calc__add", { a: 2, b: 3 }), said("5")], {
    mcpServers: { calc },
    allowedTools: ["mcp__calc__add"],
  });
  expect(all[0]?.["mcp_servers"]).toEqual([{ name: "calc", status: "connected" }]);
  expect(JSON.stringify(all)).toContain("sum 5");
});

test("streaming input: an interrupt ends the turn and not the session; models and modes switch", async () => {
  const input = prompts();
  const query = await begin(input.stream, [hanging, said("Second."), said("Third.")], {
    includePartialMessages: true,
    model: "claude-sonnet-5",
  });
  const results: Message[] = [];
  const modes: unknown[] = [];
  input.send("first");
  let isInterrupted = false;
  for await (const message of query) {
    if (message["type"] === "stream_event" && !isInterrupted) {
      isInterrupted = true;
      await query.interrupt();
    }
    if (kindOf(message) === "system/status") modes.push(message["permissionMode"]);
    if (message["type"] !== "result") continue;
    results.push(message);
    if (results.length === 1) {
      await query.setPermissionMode("acceptEdits");
      await query.setModel("claude-opus-4-6");
      await query.setMaxThinkingTokens(1000);
      input.send("second");
    } else if (results.length === 2) {
      await query.setModel(undefined);
      input.send("third");
    } else input.end();
  }
  expect(results.map(({ subtype }) => subtype)).toEqual(["error_during_execution", "success", "success"]);
  expect(modes).toEqual(["acceptEdits"]);
  expect(server?.requests.map(({ body }) => body["model"])).toEqual([
    "claude-sonnet-5",
    "claude-opus-4-6",
    "claude-sonnet-5",
  ]);
});

test("bypassPermissions is refused unless the program asked for it at the start", async () => {
  const input = prompts();
  const query = await begin(input.stream, [said("Done.")]);
  input.send("go");
  let refusal = "";
  for await (const message of query) {
    if (message["type"] !== "result") continue;
    refusal = await query.setPermissionMode("bypassPermissions").then(
      () => "",
      (error: unknown) => String(error),
    );
    input.end();
  }
  expect(refusal).toContain("bypassPermissions");
});

test("partial messages are the events of the API", async () => {
  const all = await run("go", [uses("Read", { file_path: "a.txt" }), said("Hello")], {
    includePartialMessages: true,
  });
  const events = all
    .filter(({ type }) => type === "stream_event")
    .map(({ event }) => (event as Message)["type"]);
  expect(events).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
});

test("a session is resumed, and forked", async () => {
  const first = await run("remember 7", [said("Yes.")]);
  const resume = String(lastOf(first)["session_id"]);
  await server?.close();
  const second = await run("which?", [said("7")], { resume });
  expect(server?.requests[0]?.text).toContain("remember 7");
  expect(lastOf(second)["session_id"]).toBe(resume);
  await server?.close();
  const third = await run("which?", [said("7")], { resume, forkSession: true });
  expect(lastOf(third)["session_id"]).not.toBe(resume);
});

test("structured output has the value", async () => {
  const schema = { type: "object", required: ["n"], properties: { n: { type: "number" } } };
  const all = await run("count", [said('{"n": 3}')], { outputFormat: { type: "json_schema", schema } });
  expect(lastOf(all)["structured_output"]).toEqual({ n: 3 });
});

test("sub-agents of the program are offered and run", async () => {
  const agents = { reviewer: { description: "Reviews.", prompt: "You review code.", tools: ["Read"] } };
  const task = { description: "d", prompt: "review a.txt", subagent_type: "reviewer" };
  const all = await run("go", [uses("Agent", task), said("Looks fine."), said("Done.")], { agents });
  expect(server?.requests[1]?.text).toContain("You review code.");
  expect(all.some(({ parent_tool_use_id }) => parent_tool_use_id === "toolu_1")).toBe(true);
  expect(all[0]?.["agents"]).toContain("reviewer");
});

test("files are rewound to the state before a prompt", async () => {
  const input = prompts();
  const id = "11111111-1111-4111-8111-111111111111";
  const write = uses("Write", { file_path: "new.txt", content: "x" });
  const query = await begin(input.stream, [write, said("Done.")], {
    enableFileCheckpointing: true,
    permissionMode: "acceptEdits",
  });
  input.send("go", id);
  let rewound: Message = {};
  let statuses: readonly Message[] = [];
  for await (const message of query) {
    if (message["type"] !== "result") continue;
    expect(existsSync(join(root, "project/new.txt"))).toBe(true);
    statuses = await query.mcpServerStatus();
    rewound = await query.rewindFiles(id);
    input.end();
  }
  expect([rewound["canRewind"], existsSync(join(root, "project/new.txt")), statuses]).toEqual([
    true,
    false,
    [],
  ]);
});

test("the system prompt of the program is used, and settings sources can be none", async () => {
  writeFileSync(join(root, "project/CLAUDE.md"), "Sails are red.");
  await run("go", [said("Done.")], { systemPrompt: "You are a parrot.", settingSources: [] });
  const text = server?.requests[0]?.text ?? "";
  expect([text.includes("You are a parrot."), text.includes("Sails are red.")]).toEqual([true, false]);
});

test("a hook that defers leaves the question in the session, and a later process answers it", async () => {
  const defers = async () => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" },
  });
  const hooks = { PreToolUse: [{ matcher: "Write", hooks: [defers] }] };
  const write = uses("Write", { file_path: "later.txt", content: "now\n" });
  const first = await run("write", [write], { hooks });
  expect(lastOf(first)).toMatchObject({
    stop_reason: "tool_deferred",
    deferred_tool_use: { name: "Write", input: { file_path: "later.txt" } },
  });
  const resume = String(lastOf(first)["session_id"]);
  await server?.close();
  const canUseTool = async (_name: string, input: object) => ({ behavior: "allow", updatedInput: input });
  const second = await run("", [said("Written.")], { resume, canUseTool });
  expect(readFileSync(join(root, "project/later.txt"), "utf8")).toBe("now\n");
  expect(lastOf(second)).toMatchObject({ subtype: "success", result: "Written." });
});

test("servers are set, turned off and connected again while the program runs", async () => {
  const shape = { a: zod.number() };
  const double = sdk.tool("double", "Doubles.", shape, async ({ a }: { a: number }) => ({
    content: [{ type: "text", text: `is ${a * 2}` }],
  }));
  const calc = sdk.createSdkMcpServer({ name: "calc", version: "1.0.0", tools: [double] });
  const input = prompts();
  const query = await begin(input.stream, [uses("mcp__calc__double", { a: 4 }), said("8"), said("Done.")], {
    allowedTools: ["mcp__calc__double"],
  });
  const changes = await query.setMcpServers({ calc });
  const statuses = async (): Promise<unknown[]> =>
    (await query.mcpServerStatus()).map(({ name, status }) => [name, status]);
  expect(changes["added"]).toEqual(["calc"]);
  await query.toggleMcpServer("calc", false);
  expect(await statuses()).toEqual([["calc", "disabled"]]);
  await query.reconnectMcpServer("calc");
  expect(await statuses()).toEqual([["calc", "connected"]]);
  input.send("double");
  const all: Message[] = [];
  for await (const message of query) {
    all.push(message);
    if (message["type"] === "result") input.end();
  }
  expect(JSON.stringify(all)).toContain("is 8");
});

test("a server of the program's settings asks the user through onElicitation", async () => {
  const talker = fileURLToPath(new URL("../../../mcp/test/support/talking-server.mjs", import.meta.url));
  const asked: Message[] = [];
  const all = await run("ask", [uses("mcp__talker__elicit", {}), said("Bonn.")], {
    mcpServers: { talker: { command: process.execPath, args: [talker] } },
    allowedTools: ["mcp__talker__elicit"],
    onElicitation: async (request: Message) => {
      asked.push(request);
      return { action: "accept", content: { city: "Bonn" } };
    },
  });
  expect(asked[0]).toMatchObject({ serverName: "talker", message: "Where?" });
  expect(server?.requests[1]?.text).toContain("Bonn");
  expect(lastOf(all)["subtype"]).toBe("success");
});

test("plugins, skills and an agent with an initial prompt come from the program", async () => {
  const file = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  file("plug/.claude-plugin/plugin.json", '{"name": "plug"}');
  file("plug/skills/one/SKILL.md", "---\nname: one\ndescription: The first skill.\n---\nOne.");
  file("plug/skills/two/SKILL.md", "---\nname: two\ndescription: The second skill.\n---\nTwo.");
  file("plug/commands/begin.md", "Begin with $ARGUMENTS.");
  const lead = { description: "Leads.", prompt: "You lead.", initialPrompt: "/plug:begin" };
  const all = await run("the plan", [said("Done.")], {
    plugins: [{ type: "local", path: join(root, "plug") }],
    skills: ["plug:one"],
    agents: { lead },
    agent: "lead",
  });
  const text = server?.requests[0]?.text ?? "";
  expect(text).toContain("Begin with the plan.");
  expect([text.includes("The first skill."), text.includes("The second skill.")]).toEqual([true, false]);
  expect(text).toContain("You lead.");
  expect(lastOf(all)["subtype"]).toBe("success");
});

test("files are read by the rules, and skills, styles and plugins are read again", async () => {
  writeFileSync(join(root, "project/secret.txt"), "hidden");
  const input = prompts();
  const query = await begin(input.stream, [said("Done.")], { disallowedTools: ["Read(secret.txt)"] });
  expect(await query.readFile("a.txt")).toMatchObject({ contents: "hello\n" });
  expect(await query.readFile("secret.txt").catch(() => null)).toBeNull();
  const skill = join(root, "home/.claude/skills/fresh");
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\nname: fresh\ndescription: New.\n---\nDo.");
  expect((await query.reloadSkills())["skills"]).toMatchObject([{ name: "fresh" }]);
  expect((await query.reloadOutputStyles())["available_output_styles"]).toContain("default");
  expect(await query.reloadPlugins()).toMatchObject({ plugins: [], error_count: 0 });
  input.send("go");
  for await (const message of query) if (message["type"] === "result") input.end();
});

const toolNames = (): string[] =>
  (server?.requests[0]?.body["tools"] as { name: string }[] | undefined)?.map(({ name }) => name) ?? [];

test("options: thinking, tools, prompts as written, nobody to ask, plugins of initialize, managed settings", async () => {
  const shape = { a: zod.number() };
  const double = sdk.tool("double", "Doubles.", shape, async () => ({ content: [] }));
  const calc = sdk.createSdkMcpServer({ name: "calc", version: "1.0.0", tools: [double] });
  await run("x", [said("Done.")], { thinking: { type: "disabled" }, tools: [], mcpServers: { calc } });
  expect(server?.requests[0]?.body["thinking"]).toEqual({ type: "disabled" });
  expect(toolNames()).toEqual(["mcp__calc__double"]);
  await server?.close();
  await run("see @a.txt", [said("Done.")], {
    tools: { type: "preset", preset: "claude_code" },
    verbatimPrompts: true,
    maxThinkingTokens: 0,
  });
  expect([toolNames().includes("Bash"), server?.requests[0]?.text.includes("hello")]).toEqual([true, false]);
  await server?.close();
  let asked = 0;
  const canUseTool = async () => ({ behavior: "allow", asked: ++asked });
  const nobody = await run("x", [uses("Write", { file_path: "w", content: "" }), said("No.")], {
    permissionPrompts: "none",
    canUseTool,
  });
  expect([asked, lastOf(nobody)["permission_denials"]]).toMatchObject([0, [{ tool_name: "Write" }]]);
  await server?.close();
  mkdirSync(join(root, "plug/commands"), { recursive: true });
  writeFileSync(join(root, "plug/commands/hello.md"), "Hello there.");
  const managed = await run("/plug:hello", [uses("Bash", { command: "touch z" }), said("Done.")], {
    plugins: [{ type: "local", path: join(root, "plug") }],
    pluginDelivery: "initialize",
    managedSettings: { permissions: { deny: ["Bash(touch:*)"] } },
    allowedTools: ["Bash"],
  });
  expect(server?.requests[0]?.text).toContain("Hello there.");
  expect(lastOf(managed)["permission_denials"]).toHaveLength(1);
});

test.each([
  ["betas", { betas: ["context-1m-2025-08-07"] }],
  ["debug", { debug: true }],
  ["taskBudget", { taskBudget: { total: 1000 } }],
  ["includeHookEvents", { includeHookEvents: true }],
  ["thinking.display", { thinking: { type: "adaptive", display: "summarized" } }],
  [
    "excludeDynamicSections",
    { systemPrompt: { type: "preset", preset: "claude_code", excludeDynamicSections: true } },
  ],
  ["title", { title: "Named" }],
])("%s has no effect, and a notice says so", async (name, options) => {
  const all = await run("x", [said("Done.")], options);
  const notices = all.filter(({ subtype }) => subtype === "notice").map(({ message }) => String(message));
  expect(notices).toEqual([expect.stringContaining(`${name} `)]);
  expect(lastOf(all)["subtype"]).toBe("success");
});

test.each([
  ["sessionStore", { sessionStore: { append: async () => {}, load: async () => null } }],
  ["resumeSessionAt", { resume: "11111111-1111-4111-8111-111111111111", resumeSessionAt: "2" }],
  ["projectConfigRoot", { projectConfigRoot: "/tmp" }],
])("%s is refused with an error that names it", async (name, options) => {
  await expect(run("x", [said("Done.")], options)).rejects.toThrow(`${name} (--`);
});

test("every method of a query works or is refused with words", async () => {
  const input = prompts();
  const query = await begin(input.stream, [said("Done.")]);
  const refused: string[] = [];
  for (const [method, ...args] of [
    ["initializationResult"],
    ["reinitialize"],
    ["supportedCommands"],
    ["supportedModels"],
    ["supportedAgents"],
    ["accountInfo"],
    ["getContextUsage"],
    ["backgroundTasks"],
    ["updateSettings", "localSettings", {}],
    ["seedReadState", "a.txt", 0],
    ["setMcpPermissionModeOverride", "calc", "default"],
  ] as const) {
    const call = query[method] as (...given: readonly unknown[]) => Promise<unknown>;
    await call.apply(query, args).catch((error: unknown) => refused.push(String(error)));
  }
  expect(refused).toEqual(
    ["update_settings", "seed_read_state", "set_mcp_permission_mode_override"].map(
      (name) => expect.stringContaining(`Unsupported control request subtype: ${name}`) as string,
    ),
  );
  input.send("go");
  for await (const message of query) if (message["type"] === "result") input.end();
});
