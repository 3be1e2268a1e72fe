/** Forms of agents, skills, hooks, rules and manifests that occur in other people's repositories, by class. */

import { createHooks } from "@runahead/agent";
import { describe, expect, test } from "vitest";
import { contentOf } from "../settings/content.ts";
import { mcpServersIn } from "../settings/mcp.ts";
import type { Setting } from "../settings/setting.ts";
import { type AgentFile, agentIn } from "./agent-file.ts";
import { marketplaceIn } from "./marketplace.ts";
import { manifestIn } from "./plugin-manifest.ts";
import { type PromptFile, promptIn } from "./prompt-file.ts";

const agent = (head: string, body = "Work."): Partial<AgentFile> | undefined =>
  agentIn(`---\n${head}\n---\n${body}`, "/p/.claude/agents/x.md").agent;
const skill = (head: string, body = "Do it."): Partial<PromptFile> | undefined =>
  promptIn(`---\n${head}\n---\n${body}`, { kind: "skill", path: "/p/s/x/SKILL.md", name: "x", prefix: "" })
    .file;

test.each([
  ["after a comment", "<!-- generated -->\n---\nname: a\ntools: Read\n---\nWork."],
  ["after a comment of several lines", "<!--\n---\nx: y\n-->\n\n---\nname: a\ntools: Read\n---\nWork."],
  ["in a code block", "```yaml\n---\nname: a\ntools: Read\n---\n```\nWork."],
  ["with old line ends", "---\rname: a\rtools: Read\r---\rWork."],
])("class 3: front matter is read %s, so that no restriction is lost", (_, text) => {
  expect(agentIn(text, "/p/.claude/agents/x.md").agent).toMatchObject({
    name: "a",
    tools: ["Read"],
    prompt: "Work.",
  });
});

const AGENTS: readonly (readonly [what: string, head: string, found: Partial<AgentFile>])[] = [
  ["tools as text with commas", "name: a\ntools: Read, Grep,Glob", { tools: ["Read", "Grep", "Glob"] }],
  ["tools separated by spaces", "tools: Read Grep", { tools: ["Read", "Grep"] }],
  ["tools as a list in brackets", "tools: [Read, Grep]", { tools: ["Read", "Grep"] }],
  ["tools as a JSON list", 'tools: ["Read", "Grep"]', { tools: ["Read", "Grep"] }],
  ["tools as an indented list", "tools:\n  - Read\n  - Grep", { tools: ["Read", "Grep"] }],
  ["tools in quotes", 'tools: "Read, Grep"', { tools: ["Read", "Grep"] }],
  ["tools with a star", "tools: *", { tools: undefined }],
  ["tools with a quoted star", 'tools: "*"', { tools: undefined }],
  ["tools with a star in a list", 'tools: ["*"]', { tools: undefined }],
  ["all tools in words", "tools: All tools", { tools: undefined }],
  ["an empty list of tools", "tools: []", { tools: [] }],
  ["tools without a value", "tools:\nname: a", { tools: undefined }],
  [
    "a rule with a comma inside",
    "tools: Bash(git add:*, -n), Read",
    { tools: ["Bash(git add:*, -n)", "Read"] },
  ],
  ["all tools of a server", "tools: mcp__github__*, Read", { tools: ["mcp__github__*", "Read"] }],
  ["a trailing comma", "tools: Read, Grep,", { tools: ["Read", "Grep"] }],
  ["tools separated by semicolons", "tools: Read; Grep", { tools: ["Read", "Grep"] }],
  ["tools in lower case", "tools: read, bash(git log:*)", { tools: ["Read", "Bash(git log:*)"] }],
  [
    "denied tools in lower case",
    "disallowedTools: [write, webfetch]",
    { disallowedTools: ["Write", "WebFetch"] },
  ],
  [
    "tools that are turned on and off",
    "tools:\n  read: true\n  write: false",
    { tools: ["Read"], disallowedTools: ["Write"] },
  ],
  ["tools that are turned off", "tools: {edit: false}", { tools: undefined, disallowedTools: ["Edit"] }],
  ["an anchor", "tools: &common [Read, Grep]", { tools: ["Read", "Grep"] }],
  ["an anchor above a list", "tools: &common\n  - Read\n  - Grep", { tools: ["Read", "Grep"] }],
  ["front matter that is indented", "\tname: a\n\ttools: Read", { name: "a", tools: ["Read"] }],
  ["tabs between key and value", "name:\ta\ntools:\tRead", { name: "a", tools: ["Read"] }],
  ["other spellings of a key", "disallowed-tools: Bash", { disallowedTools: ["Bash"] }],
  ["snake case", "permission_mode: plan", { permissionMode: "plan" }],
  ["a mode in other letters", "permissionMode: acceptedits", { permissionMode: "acceptEdits" }],
  ["the word for the usual mode", "permissionMode: manual", { permissionMode: "default" }],
  ["model: inherit", "model: inherit", { model: undefined }],
  ["model: default", "model: default", { model: undefined }],
  ["a model in capitals", "model: Sonnet", { model: "Sonnet" }],
  ["a model with a context suffix", "model: sonnet[1m]", { model: "sonnet[1m]" }],
  ["a quoted model", "model: 'claude-opus-4-6'", { model: "claude-opus-4-6" }],
  ["a model with a comment", "model: opus  # best", { model: "opus" }],
  ["a number as text", 'maxTurns: "12"', { maxTurns: 12 }],
  ["a flag in words", "background: yes", { background: true }],
  ["a flag in quotes", "background: 'true'", { background: true }],
  [
    "fields of the SDK",
    "omit-claude-md: true\ninitialPrompt: /start now\nautoCompactWindow: 50000",
    { omitClaudeMd: true, initialPrompt: "/start now", autoCompactWindow: 50_000 },
  ],
  ["isolation", "isolation: worktree", { isolation: "worktree" }],
  ["memory in capitals", "memory: Project", { memory: "project" }],
  ["servers as text", "mcpServers: github, linear", { mcpServers: ["github", "linear"] }],
  ["servers as an object", "mcpServers:\n  db:\n    command: x", { mcpServers: [{ db: { command: "x" } }] }],
  ["skills as a list", "skills:\n  - a\n  - b", { skills: ["a", "b"] }],
  [
    "a description with colons and quotes",
    `description: Use when: the user says "ship": now`,
    { description: `Use when: the user says "ship": now` },
  ],
  [
    "a description with escaped line breaks and examples",
    String.raw`description: "Use this.\n\n<example>\nuser: \"hi\"\n</example>"`,
    { description: 'Use this.\n\n<example>\nuser: "hi"\n</example>' },
  ],
  ["a description in block text", "description: |\n  One: two\n  Three", { description: "One: two\nThree" }],
  ["a folded description", "description: >-\n  One\n  two", { description: "One two" }],
  [
    "a description over lines that are not indented",
    "description: One\nExamples: <example>x</example>\nname: a",
    { name: "a" },
  ],
  ["emoji and other scripts", "description: 🚀 部署 приложение", { description: "🚀 部署 приложение" }],
  ["a name with spaces", "name: Code Reviewer", { name: "Code Reviewer" }],
];

describe("class 3: sub-agents as people write them", () => {
  test.each(AGENTS)("%s", (_, head, found) => {
    expect(agent(head)).toMatchObject(found);
  });

  test("Windows line ends and a byte order mark", () => {
    const text = "\uFEFF---\r\nname: a\r\ntools: Read\r\n---\r\nWork.\r\n";
    expect(agentIn(text, "/x.md").agent).toMatchObject({ name: "a", tools: ["Read"], prompt: "Work." });
  });

  test("a closing line with more dashes", () => {
    const text = "---\nname: a\ntools: Read\n------\n\nWork.\n";
    expect(agentIn(text, "/x.md").agent).toMatchObject({ name: "a", tools: ["Read"], prompt: "Work." });
  });

  test("an empty file and a file with only a heading are used or reported, and never throw", () => {
    for (const text of ["", "\n", "---\n---\n", "# Title", "---", "------", "---\n\n---\n# T"])
      expect(() => agentIn(text, "/p/.claude/agents/x.md")).not.toThrow();
  });

  test.each([
    "disalowedTools: Bash",
    "tool: Read",
    "permisionMode: plan",
    "maxTurn: 3",
    "allowed_paths: [src]",
    "onlyFolders: src",
  ])("a misspelt restriction is never dropped in silence: %s", (head) => {
    const { problems } = agentIn(`---\nname: a\n${head}\n---\nx`, "/x.md");
    expect(problems.some(({ severity }) => severity !== "note")).toBe(true);
  });
});

const SKILLS: readonly (readonly [what: string, head: string, found: Partial<PromptFile>])[] = [
  ["allowed-tools as text", "allowed-tools: Bash(git:*), Read", { allowedTools: ["Bash(git:*)", "Read"] }],
  [
    "allowed-tools as a list",
    "allowed-tools:\n  - Bash(git *)\n  - Read",
    { allowedTools: ["Bash(git *)", "Read"] },
  ],
  ["allowed_tools", "allowed_tools: Read", { allowedTools: ["Read"] }],
  ["allowedTools", "allowedTools: [Read]", { allowedTools: ["Read"] }],
  ["all tools allow nothing", "allowed-tools: '*'", { allowedTools: [] }],
  ["a hint in brackets", "argument-hint: [file] [--force]", { argumentHint: "[file] [--force]" }],
  ["a hint as a list", "argument-hint: [file]", { argumentHint: "[file]" }],
  ["a quoted hint", 'argument-hint: "<name>"', { argumentHint: "<name>" }],
  ["only the user can load it", "disable-model-invocation: true", { isForModel: false }],
  ["only the model can load it", "user-invocable: false", { isForUser: false }],
  ["the other spelling", "user-invokable: no", { isForUser: false }],
  ["context: fork", "context: fork\nagent: Explore", { isForked: true, agent: "Explore" }],
  ["paths as text", "paths: 'src/**/*.ts, lib/**'", { paths: ["src/**/*.ts", "lib/**"] }],
  ["paths as a list", "paths:\n  - '**/*.go'", { paths: ["**/*.go"] }],
  ["a name in quotes", "name: 'x'", { name: "x" }],
  ["a name that is a title", "name: My Great Skill", { name: "x" }],
  ["effort", "effort: High", { effort: "high" }],
  ["when_to_use over lines", "when_to_use: |\n  a\n  b", { whenToUse: "a\nb" }],
  [
    "tools, which restrict in the file of a sub-agent, allow nothing",
    "tools: Bash, Write",
    { allowedTools: [] },
  ],
  [
    "a hint that is called args",
    'args: "<file> [--force]"',
    { argumentHint: "<file> [--force]", argumentNames: [] },
  ],
  ["names that are called args", "args: file mode", { argumentHint: "", argumentNames: ["file", "mode"] }],
  ["names of arguments", "arguments: [file, mode]", { argumentNames: ["file", "mode"] }],
  [
    "descriptions of arguments",
    "arguments:\n  - name: file\n    description: d",
    { argumentNames: ["file"] },
  ],
];

describe("class 4: skills and commands as people write them", () => {
  test.each(SKILLS)("%s", (_, head, found) => {
    expect(skill(head)).toMatchObject(found);
  });

  test("a command without front matter is its text", () => {
    const place = { kind: "command", path: "/p/c/x.md", name: "x", prefix: "" } as const;
    expect(promptIn("Fix $ARGUMENTS.\n", place).file).toMatchObject({
      body: "Fix $ARGUMENTS.",
      allowedTools: [],
    });
  });
});

function hooksOf(hooks: unknown): { readonly list: readonly string[]; readonly notices: readonly string[] } {
  const notices: string[] = [];
  const runner = createHooks({
    configs: [{ source: "s", root: "/p", trusted: true, hooks }],
    cwd: "/p",
    projectDir: "/p",
    env: {},
    sessionId: "",
    transcriptPath: "",
    permissionMode: () => "default",
    onNotice: (message) => notices.push(message),
  });
  const list = runner.list().map(({ event, matcher, runs }) => `${event} ${matcher} ${String(runs)}`);
  void runner.close();
  return { list, notices };
}

describe("class 6: hooks as people write them", () => {
  const hooks = [{ type: "command", command: "x" }];
  test.each([
    ["a matcher that is a list", [{ matcher: ["Edit", "Write"], hooks }], "PreToolUse Edit|Write true"],
    ["an empty matcher", [{ matcher: "", hooks }], "PreToolUse  true"],
    ["a star", [{ matcher: "*", hooks }], "PreToolUse * true"],
    ["null as matcher", [{ matcher: null, hooks }], "PreToolUse  true"],
    ["a regular expression", [{ matcher: "mcp__.*__write.*", hooks }], "PreToolUse mcp__.*__write.* true"],
    ["spaces in a list", [{ matcher: "Edit | Write", hooks }], "PreToolUse Edit | Write true"],
  ])("%s", (_, groups, line) => {
    expect(hooksOf({ PreToolUse: groups })).toEqual({ list: [line], notices: [] });
  });

  test("a limit in milliseconds is reported and shortened, and the hook runs", () => {
    const { list, notices } = hooksOf({ Stop: [{ hooks: [{ ...hooks[0], timeout: 30_000_000 }] }] });
    expect(list).toEqual(["Stop  true"]);
    expect(notices.join()).toContain("timeout is longer than");
  });

  test("groups without hooks and events that are remarks break nothing", () => {
    expect(hooksOf({ Stop: [], PreToolUse: [{ matcher: "Bash", hooks: [] }] })).toEqual({
      list: [],
      notices: [],
    });
  });
});

const keysOf = (value: object): string[] =>
  contentOf("s.json", value as Record<string, unknown>).settings.map((setting: Setting) =>
    setting.type === "other" ? setting.key : setting.type,
  );

describe("class 1: settings as people write them", () => {
  test.each([
    ["numbers and flags in env", { env: { A: 1, B: true, C: "x" } }, ["variable", "variable", "variable"]],
    ["one deny rule instead of a list", { permissions: { deny: "Read(.env)" } }, ["rule"]],
    ["an empty object", {}, []],
    ["null values", { model: null, outputStyle: null }, ["outputStyle"]],
  ])("%s", (_, value, types) => {
    expect(keysOf(value)).toEqual(types);
  });

  test.each(["permisions", "permission", "sandBox", "hook", "allowedMcpServer", "disableAllHook"])(
    "a misspelt key is reported with a suggestion: %s",
    (key) => {
      const { problems } = contentOf("s.json", { [key]: {} });
      expect(problems[0]?.message).toMatch(/Did you mean "/);
    },
  );
});

describe("class 7: manifests and servers as people write them", () => {
  test.each([
    [
      "one path instead of a list",
      { name: "p", commands: "./commands" },
      { commands: [{ path: "./commands" }] },
    ],
    ["a list of paths", { name: "p", agents: ["./a.md", "./b.md"] }, { agents: ["./a.md", "./b.md"] }],
    ["hooks inside", { name: "p", hooks: { Stop: [] } }, { hooks: [{ Stop: [] }] }],
    ["a path of hooks", { name: "p", hooks: "./hooks.json" }, { hookPaths: ["./hooks.json"] }],
    ["an author as text", { name: "p", author: "me" }, { name: "p" }],
  ])("%s", (_, manifest, found) => {
    const read = manifestIn(JSON.stringify(manifest), "plugin.json");
    expect(read.manifest).toMatchObject(found);
    expect(read.problems).toEqual([]);
  });

  test("what a marketplace asks for without effect is named", () => {
    const plugins = [
      { name: "a", source: "github:acme/a" },
      { name: "b", source: { source: "archive", url: "https://x.test/b.zip" } },
    ];
    const file = { name: "m", owner: { name: "o" }, $schema: "s", plugins, forceRemoveDeletedPlugins: true };
    const read = marketplaceIn(JSON.stringify(file), "f");
    expect(read.plugins[0]?.source).toMatchObject({ type: "git", url: "https://github.com/acme/a.git" });
    expect(read.problems.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      "note f: forceRemoveDeletedPlugins: has no effect",
      "warning f: plugin b cannot be added: archives are not supported; ask its author for a git address",
    ]);
  });

  test("a marketplace without a list of plugins is an error that names the key", () => {
    const { problems } = marketplaceIn(JSON.stringify({ name: "m", plugins: {} }), "marketplace.json");
    expect(problems.map(({ message }) => message).join()).toContain("plugins");
  });

  test.each([
    ["with the wrapper", { mcpServers: { a: { command: "x" } } }, ["a stdio"]],
    ["without the wrapper", { a: { command: "x", args: ["-y"] } }, ["a stdio"]],
    ["an address without a type", { mcpServers: { a: { url: "https://x.dev/mcp" } } }, ["a http"]],
    ["serverUrl", { mcpServers: { a: { serverUrl: "https://x.dev/mcp" } } }, ["a http"]],
    ["streamable-http", { mcpServers: { a: { type: "streamable-http", url: "https://x.dev" } } }, ["a http"]],
    ["turned off", { mcpServers: { a: { command: "x", disabled: true } } }, []],
    ["an empty list", { mcpServers: {} }, []],
    ["an empty file", "", []],
  ])("%s", (_, value, found) => {
    const text = value === "" ? "" : JSON.stringify(value);
    const read = mcpServersIn(text, { path: ".mcp.json", isTrusted: true, env: {} });
    expect(read.servers.map(({ name, server }) => `${name} ${server.type}`)).toEqual(found);
  });
});

test("class 10: mode of another program is not a permission mode", () => {
  expect(agent("name: a\nmode: subagent")).toMatchObject({ name: "a", permissionMode: undefined });
  expect(agent("name: a\nmode: plan")).toMatchObject({ permissionMode: "plan" });
  expect(agent("name: a\npermissionMode: anything")).toBeUndefined();
});

const SERVERS: readonly (readonly [what: string, entry: object, server: object])[] = [
  ["another word for http", { type: "streamableHttp", url: "https://x" }, { type: "http", url: "https://x" }],
  ["a type in capitals", { type: "SSE", url: "https://x" }, { type: "sse" }],
  ["remote", { type: "remote", url: "https://x" }, { type: "http" }],
  ["local", { type: "local", command: "x" }, { type: "stdio", command: "x" }],
  [
    "a command as a list",
    { command: ["npx", "-y", "x"], args: ["z"] },
    { command: "npx", args: ["-y", "x", "z"] },
  ],
  [
    "numbers among the arguments",
    { command: "x", args: ["--port", 8080, true] },
    { args: ["--port", "8080", "true"] },
  ],
];

test.each(SERVERS)("class 10: an MCP server with %s is understood", (_what, entry, expected) => {
  for (const form of [{ mcpServers: { a: entry, _comment: "why" } }, { servers: { a: entry }, inputs: [] }]) {
    const { servers, problems } = mcpServersIn(JSON.stringify(form), { path: "x", isTrusted: true, env: {} });
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([{ name: "a", server: expected }]);
  }
});

test("class 10: an MCP server of an unknown type is ignored alone", () => {
  const text = JSON.stringify({
    mcpServers: { a: { type: "carrier-pigeon", url: "x" }, b: { command: ["x", {}] } },
  });
  const { servers, problems } = mcpServersIn(text, { path: "x", isTrusted: true, env: {} });
  expect([servers, problems.length]).toEqual([[], 2]);
});

test("class 10: members of an MCP server without effect are named", () => {
  const entry = {
    command: "x",
    arg: ["y"],
    alwaysAllow: ["t"],
    description: "d",
    complexity: "low",
    url: null,
  };
  const text = JSON.stringify({ mcpServers: { a: entry, b: { url: "http://x", env: { A: "1" } } } });
  const { servers, problems } = mcpServersIn(text, { path: "x", isTrusted: true, env: {} });
  expect(servers).toHaveLength(2);
  expect(problems.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    'warning x: mcpServers.a: arg has no effect. Did you mean "args"?',
    "warning x: mcpServers.a: alwaysAllow has no effect: put rules such as mcp__server__tool into permissions.allow of the settings",
    "note x: mcpServers.a: complexity has no effect",
    "note x: mcpServers.b: env has no effect",
  ]);
});
