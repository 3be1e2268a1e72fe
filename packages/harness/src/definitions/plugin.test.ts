import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { enabledPlugins } from "../plugins/enabled.ts";
import { pluginStore } from "../plugins/store.ts";
import { definedAgents } from "../settings/agents.ts";
import { loadSettings } from "../settings/load.ts";
import { expanded } from "./expand.ts";
import { type Plugin, readPlugin } from "./plugin.ts";
import { promptFiles } from "./prompt-files.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-plugin-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content: unknown): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

async function commandsOf({ commands, skills }: Plugin) {
  const where = { cwd: root, home: join(root, "home"), env: {}, isTrusted: false };
  return (await promptFiles({ ...where, more: { commands, skills } })).files;
}

test("class 7: a manifest can give commands a name, fields and their text", async () => {
  put(".claude-plugin/plugin.json", {
    name: "rag",
    commands: {
      find: { source: "commands/search.md", description: "Finds.", allowedTools: ["Read"] },
      about: { content: "Say what rag is.", argumentHint: "[topic]" },
    },
  });
  put("commands/search.md", "---\ndescription: Old.\n---\nSearch $ARGUMENTS");
  put("commands/index.md", "Index.");
  const plugin = await readPlugin({ root, env: {} });
  const files = await commandsOf(plugin);
  expect(files.map(({ name, description, body }) => [name, description, body])).toEqual([
    ["rag:find", "Finds.", "Search $ARGUMENTS"],
    ["rag:about", "Say what rag is.", "Say what rag is."],
    ["rag:index", "Index.", "Index."],
  ]);
  expect(files[0]?.allowedTools).toEqual(["Read"]);
  expect(files[1]?.argumentHint).toBe("[topic]");
  expect(plugin.problems).toEqual([]);
});

test("class 7: a list of commands with names, and servers in a list", async () => {
  put(".claude-plugin/plugin.json", {
    name: "rag",
    commands: [{ name: "find", file: "commands/search.md" }],
    mcpServers: [{ name: "base", command: "python3" }],
    dependencies: { python: ">=3.11" },
  });
  put("commands/search.md", "Search.");
  const plugin = await readPlugin({ root, env: {} });
  expect((await commandsOf(plugin)).map(({ name }) => name)).toEqual(["rag:find"]);
  expect(plugin.servers.map(({ name }) => name)).toEqual(["plugin_rag_base"]);
  expect(plugin.problems.map(({ severity, key }) => [severity, key])).toEqual([["note", "dependencies"]]);
});

test("class 7: entries with a name and no path describe what is in the default folders", async () => {
  put(".claude-plugin/plugin.json", {
    name: "flow",
    commands: [{ name: "go", description: "Goes." }],
    agents: [{ name: "judge", description: "Judges." }],
    skills: [{ description: "Nobody." }],
  });
  put("commands/go.md", "Go.");
  const plugin = await readPlugin({ root, env: {} });
  expect((await commandsOf(plugin)).map(({ name }) => name)).toEqual(["flow:go"]);
  expect(plugin.problems.map(({ severity, message }) => [severity, message])).toEqual([
    ["note", expect.stringContaining("`agents` an entry without a path describes a file in agents/")],
    ["note", expect.stringContaining("`commands` an entry without a path describes a file in commands/")],
    ["warning", expect.stringContaining("`skills` must be paths")],
  ]);
});

test("class 7: options reach processes and texts, secret ones only processes", async () => {
  put(".claude-plugin/plugin.json", {
    name: "opt",
    userConfig: { "team-id": { default: "blue" }, key: { sensitive: true } },
    mcpServers: { api: { command: "api" } },
  });
  put("skills/use/SKILL.md", "---\ndescription: d\n---\n${user_config.team-id} ${user_config.key}");
  put("agents/one.md", "---\nname: one\ndescription: d\n---\n${user_config.team-id} ${user_config.key}");
  const plugin = await readPlugin({ root, env: {}, options: { key: "secret" } });
  const env = { CLAUDE_PLUGIN_OPTION_TEAM_ID: "blue", CLAUDE_PLUGIN_OPTION_KEY: "secret" };
  expect(plugin.env).toMatchObject(env);
  expect(plugin.servers[0]?.server).toMatchObject({ env });
  const [skill] = await commandsOf(plugin);
  const { variables = {} } = plugin.skills[0] ?? {};
  const given = { words: "", variables };
  expect(expanded(skill ?? { body: "", argumentNames: [] }, given)).toEqual([
    { type: "text", text: "blue ${user_config.key}" },
  ]);
  const { agents } = await definedAgents({
    cwd: root,
    home: root,
    env: {},
    isTrusted: false,
    more: plugin.agents,
  });
  expect(agents[0]?.prompt).toBe("blue ${user_config.key}");
});

test("class 7: hooks in one group count, and other members of the file are said", async () => {
  const hook = { type: "command", command: "x" };
  put("hooks/hooks.json", { description: "d", hooks: { Stop: { hooks: [hook] } }, modules: ["./a.ts"] });
  const { hooks, problems } = await readPlugin({ root, env: {} });
  expect(hooks).toEqual({ Stop: [{ hooks: [hook] }] });
  expect(problems.map(({ message }) => message)).toEqual([`${root}/hooks/hooks.json: modules has no effect`]);
});

test("class 7: what the entry of a marketplace names is used in every session", async () => {
  put("house/skills/read/SKILL.md", "---\nname: read\ndescription: Reads.\n---\nRead.");
  put("house/skills/other/SKILL.md", "---\nname: other\ndescription: Else.\n---\nElse.");
  const world = { cwd: root, home: join(root, "home"), env: {} };
  const entry = { name: "papers", strict: false, skills: ["./skills/read"], hooks: { Stop: [] } };
  const path = join(root, "house");
  await pluginStore(world).add({ id: "papers@house", path, source: path, isEnabled: true, entry });
  const given = { folders: [], withoutServers: [], isBare: false };
  const { plugins } = await enabledPlugins(world, await loadSettings(world), given);
  const [plugin] = plugins;
  expect(plugin).toMatchObject({ name: "papers", hooks: { Stop: [] } });
  expect((await commandsOf(plugin as Plugin)).map(({ name }) => name)).toEqual(["papers:read"]);
});

test("class 7: a plugin that another one needs and that is missing is said at the start", async () => {
  put("plugin/.claude-plugin/plugin.json", { name: "kit", dependencies: ["vault"] });
  const world = { cwd: root, home: join(root, "home"), env: {} };
  const given = { folders: [join(root, "plugin")], withoutServers: [], isBare: false };
  const { problems } = await enabledPlugins(world, await loadSettings(world), given);
  expect(problems.map(({ message }) => message)).toContain(
    "the plugin kit needs the plugin vault, which is not added or not enabled.",
  );
});
