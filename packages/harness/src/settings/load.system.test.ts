import { execFileSync } from "node:child_process";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { loadSettings } from "./load.ts";
import type { LoadedSettings } from "./loaded.ts";
import { managedPaths, protectedPaths } from "./place.ts";
import { trustIn } from "../trust/trust.ts";

afterEach(removeWorlds);

const denies = ({ sources }: LoadedSettings): string[] => sources.flatMap(({ deny }) => deny);
const allows = ({ sources }: LoadedSettings): string[] =>
  sources.filter(({ trusted }) => trusted).flatMap(({ allow }) => allow);
const messages = ({ problems }: LoadedSettings): string[] => problems.map(({ message }) => message);

/** The same kinds of settings at every level, each with the level's name in it. */
async function everyLevel() {
  const world = await newWorld();
  const content = (name: string) => ({
    model: name,
    env: { SHARED: name, [name]: "1" },
    language: name,
    permissions: { allow: [`A(${name})`], ask: [`Q(${name})`], deny: [`D(${name})`] },
    hooks: { Stop: [{ hooks: [{ type: "command", command: name }] }] },
  });
  await world.write("managed.json", content("managed"));
  await world.write("project/.runahead/settings.local.json", content("local-ours"));
  await world.write("project/.claude/settings.local.json", content("local"));
  await world.write("project/.runahead/settings.json", content("project-ours"));
  await world.write("project/.claude/settings.json", content("project"));
  await world.write("home/.runahead/settings.json", content("user-ours"));
  await world.write("home/.claude/settings.json", content("user"));
  return { world, content };
}

const ORDER = ["managed", "flags", "local-ours", "local", "project-ours", "project", "user-ours", "user"];

test("the highest file's value wins, lists are merged, and nothing else is dropped", async () => {
  const { world, content } = await everyLevel();
  const flags = [content("flags")];
  const loaded = await loadSettings({ ...world.options, flags, isTrusted: true });
  expect(loaded.problems).toEqual([]);
  expect([loaded.model, loaded.env["SHARED"], Object.keys(loaded.env)]).toEqual([
    "managed",
    "managed",
    ["SHARED", ...ORDER],
  ]);
  expect(allows(loaded)).toEqual(ORDER.map((name) => `A(${name})`));
  expect(denies(loaded)).toEqual(ORDER.map((name) => `D(${name})`));
  expect(loaded.hooks.map(({ hooks }) => hooks)).toEqual(ORDER.map((name) => content(name).hooks));
  expect(loaded.other.get("language")?.map(({ value }) => value)).toEqual(ORDER);
  const without = [];
  for (const file of ["../managed.json", ".runahead/settings.local.json", ".claude/settings.local.json"]) {
    await rm(join(world.project, file));
    without.push((await loadSettings({ ...world.options, isTrusted: true })).model);
  }
  expect(without).toEqual(["local-ours", "local", "project-ours"]);
});

test("the root of a path rule is the project, the user's folder or the working directory", async () => {
  const { world } = await everyLevel();
  const cwd = join(world.project, "packages", "a");
  await mkdir(cwd, { recursive: true });
  const { sources, root, cwd: started } = await loadSettings({ ...world.options, cwd, flags: [{}] });
  expect([root, started]).toEqual([world.project, cwd]);
  expect(sources.map(({ name, root: anchor }) => [name, anchor])).toEqual([
    [join(world.folder, "managed.json"), world.project],
    ["command line", cwd],
    [".runahead/settings.local.json", cwd],
    [".claude/settings.local.json", cwd],
    [".runahead/settings.json", world.project],
    [".claude/settings.json", world.project],
    ["~/.runahead/settings.json", join(world.home, ".runahead")],
    ["~/.claude/settings.json", join(world.home, ".claude")],
  ]);
});

test("only the chosen sources are read, and managed settings and flags always", async () => {
  const { world, content } = await everyLevel();
  const loaded = await loadSettings({ ...world.options, sources: ["user"], flags: [content("flags")] });
  expect(denies(loaded)).toEqual(["managed", "flags", "user-ours", "user"].map((name) => `D(${name})`));
});

test("RUNAHEAD_HOME moves the user's folder, with its settings and its trust", async () => {
  const world = await newWorld();
  const options = { ...world.options, env: { RUNAHEAD_HOME: join(world.folder, "moved") } };
  await world.write("moved/settings.json", { model: "moved" });
  await world.write("home/.runahead/settings.json", { model: "stayed" });
  await trustIn(options).trust(world.project);
  const loaded = await loadSettings(options);
  expect([loaded.model, loaded.isTrusted, loaded.sources[0]?.name]).toEqual([
    "moved",
    true,
    join(world.folder, "moved", "settings.json"),
  ]);
  expect((await loadSettings(world.options)).isTrusted).toBe(false);
});

test("if the home folder is the project, its settings are the user's", async () => {
  const world = await newWorld();
  await mkdir(join(world.home, ".git"));
  await world.write("home/.claude/settings.json", { permissions: { allow: ["A(own)"] } });
  const { sources } = await loadSettings({ ...world.options, cwd: world.home });
  expect(sources.map(({ level, trusted, allow }) => [level, trusted, allow])).toEqual([
    ["user", true, ["A(own)"]],
  ]);
});

test("--settings accepts JSON or a file, and the file must exist", async () => {
  const world = await newWorld();
  await world.write("project/extra.json", { permissions: { deny: ["D(file)"] } });
  const flags = [
    { permissions: { deny: ["D(value)"] } },
    '{"permissions": {"deny": ["D(text)"]}}',
    "extra.json",
  ];
  expect(denies(await loadSettings({ ...world.options, flags }))).toEqual(["D(value)", "D(text)", "D(file)"]);
  const wrong = await loadSettings({ ...world.options, flags: ["{nope", "gone.json"] });
  expect([wrong.isIncomplete, messages(wrong)]).toEqual([
    true,
    [
      '--settings: invalid JSON at line 1, column 2: expected a property name in double quotes, found "n". Until it can be read, no allow rule applies.',
      `${join(world.project, "gone.json")}: the file does not exist. Until it can be read, no allow rule applies.`,
    ],
  ]);
});

test("D05: an unreadable file removes no deny rule, suspends every grant, and is reported", async () => {
  const makers: [string, (path: string) => unknown][] = [
    ["invalid JSON at line 1, column 16: trailing comma", (path) => writeFile(path, '{"model": "own",}')],
    [
      "invalid JSON at line 1, column 1: expected a value, but the file ends here",
      (path) => writeFile(path, ""),
    ],
    ["expected an object, { … }", (path) => writeFile(path, "[]")],
    [
      "it is larger than 3000000 bytes",
      (path) => writeFile(path, JSON.stringify({ a: "x".repeat(3_000_000) })),
    ],
    ["its symbolic links form a loop (ELOOP)", (path) => symlink(path, path)],
    ["is broken", (path) => symlink("/nowhere/at-all", path)],
    ["it is a folder", (path) => mkdir(path)],
    ["it is not a regular file", (path) => execFileSync("mkfifo", [path])],
    ["it is not UTF-8 text", (path) => writeFile(path, Buffer.from([0x7b, 0xff, 0x7d]))],
  ];
  for (const [words, make] of makers) {
    const { world } = await everyLevel();
    await world.write("home/.runahead/settings.json", {
      permissions: {
        defaultMode: "bypassPermissions",
        additionalDirectories: ["/srv"],
        rules: [
          { tool: "Bash", action: "allow" },
          { tool: "Read", action: "deny" },
        ],
      },
    });
    const path = join(world.project, ".claude", "settings.json");
    await rm(path);
    await make(path);
    const loaded = await loadSettings({ ...world.options, isTrusted: true });
    expect([loaded.isIncomplete, loaded.mode, allows(loaded)]).toEqual([true, "default", []]);
    expect(loaded.sources.flatMap(({ additionalDirectories }) => additionalDirectories)).toEqual([]);
    expect(loaded.sources.flatMap(({ rules }) => rules)).toEqual([{ tool: "Read", action: "deny" }]);
    expect(denies(loaded)).toEqual(
      ["managed", "local-ours", "local", "project-ours", "user"].map((name) => `D(${name})`),
    );
    expect(messages(loaded)).toEqual([expect.stringContaining(words)]);
    expect(messages(loaded)[0]).toMatch(/^\/.*\. Until it can be read, no allow rule applies\.$/);
  }
});

test("D05: a mode that is stricter than default stays when a file cannot be read", async () => {
  for (const mode of ["plan", "dontAsk"] as const) {
    const world = await newWorld();
    await world.write("home/.claude/settings.json", { permissions: { defaultMode: mode } });
    await world.write("project/.claude/settings.json", "{");
    expect((await loadSettings(world.options)).mode).toBe(mode);
  }
});

test("D05: a file without permission to read, and a folder of that name, count as existing", async () => {
  const world = await newWorld();
  const path = await world.write("home/.claude/settings.json", {});
  // To root nothing is forbidden.
  if (process.getuid?.() === 0) {
    await rm(path);
    await mkdir(path);
  } else await chmod(path, 0);
  expect((await loadSettings(world.options)).isIncomplete).toBe(true);
});

test("without files there are no problems, and the mode is default", async () => {
  const { options } = await newWorld();
  const { mode, sources, problems, isIncomplete } = await loadSettings(options);
  expect({ mode, sources, problems, isIncomplete }).toEqual({
    mode: "default",
    sources: [],
    problems: [],
    isIncomplete: false,
  });
});

test("an invalid entry is reported with file, key and expectation, and the others are used", async () => {
  const world = await newWorld();
  const path = await world.write("home/.claude/settings.json", {
    permissions: {
      allow: ["A(one)", 1, ""],
      ask: "Q(bare)",
      deny: ["D(one)", { tool: "x" }, "D(two)"],
      rules: [
        { tool: "Bash", action: "maybe" },
        { tool: "Bash", pattern: "x", action: "ask", note: "" },
      ],
      additionalDirectories: "../x",
      defaultMode: "hasOwnProperty",
    },
    env: { A: { b: 1 }, B: "2" },
    hooks: { Stop: ["x", { hooks: [] }], Start: 1 },
    model: 4,
    anything: [1],
  });
  const loaded = await loadSettings(world.options);
  expect(loaded.sources[0]).toMatchObject({
    allow: ["A(one)"],
    ask: ["Q(bare)"],
    deny: ["D(one)", "D(two)"],
    rules: [{ tool: "Bash", pattern: "x", action: "ask" }],
    additionalDirectories: [],
  });
  expect([loaded.env, loaded.hooks[0]?.hooks, loaded.mode, loaded.model, loaded.isIncomplete]).toEqual([
    { B: "2" },
    { Stop: [{ hooks: [] }] },
    "default",
    undefined,
    false,
  ]);
  expect(loaded.other.get("anything")).toEqual([
    { value: [1], name: "~/.claude/settings.json", level: "user", trusted: true },
  ]);
  expect(messages(loaded)).toEqual(
    [
      'permissions.allow[1]: expected a rule such as "Bash(npm test)", found 1; this entry is ignored',
      'permissions.allow[2]: expected a rule such as "Bash(npm test)", found ""; this entry is ignored',
      'permissions.ask: expected a list of rules; read as a list with one rule: "Q(bare)"',
      'permissions.deny[1]: expected a rule such as "Bash(npm test)", found {"tool":"x"}; this entry is ignored',
      'permissions.rules[0]: expected {"tool", "pattern", "action": "allow", "ask" or "deny"}, found {"tool":"Bash","action":"maybe"}; this entry is ignored',
      'permissions.additionalDirectories: expected an array, found "../x"; this entry is ignored',
      'permissions.defaultMode: expected default, acceptEdits, plan, auto, dontAsk or bypassPermissions, found "hasOwnProperty"; this entry is ignored',
      'env.A: expected a string, found {"b":1}; this entry is ignored',
      'hooks.Stop[0]: expected an object with "hooks", found "x"; this entry is ignored',
      "hooks.Start: expected an array, found 1; this entry is ignored",
      "model: expected a model name, found 4; this entry is ignored",
      "anything: is not a known setting and has no effect",
    ].map((words) => `${path}: ${words}`),
  );
});

test("D05: a deny rule under a repeated key is not lost", async () => {
  const world = await newWorld();
  const path = await world.write(
    "home/.claude/settings.json",
    '{\n "permissions": {"deny": ["D(one)"]},\n "permissions": {"deny": ["D(two)"]}\n}',
  );
  const loaded = await loadSettings(world.options);
  expect([denies(loaded), messages(loaded)]).toEqual([
    ["D(one)", "D(two)"],
    [`${path}: "permissions" appears twice (again at line 3, column 2); both are used`],
  ]);
});

test("D17: of a folder that is not trusted, denies and questions apply, and nothing that grants or runs", async () => {
  const { world, content } = await everyLevel();
  await world.write("project/.claude/settings.json", {
    ...content("project"),
    apiKeyHelper: "./steal.sh",
    permissions: {
      ...content("project").permissions,
      defaultMode: "acceptEdits",
      additionalDirectories: ["/"],
      rules: [
        { tool: "Bash", action: "allow" },
        { tool: "Edit", action: "deny" },
      ],
    },
  });
  const own = new Set(["managed", "user-ours", "user"]);
  const loaded = await loadSettings(world.options);
  expect([loaded.isTrusted, loaded.mode, Object.keys(loaded.env)]).toEqual([
    false,
    "default",
    ["SHARED", ...own],
  ]);
  expect(allows(loaded)).toEqual([...own].map((name) => `A(${name})`));
  expect(denies(loaded)).toHaveLength(7);
  expect(loaded.sources.flatMap(({ ask }) => ask)).toHaveLength(7);
  expect(loaded.hooks.filter(({ trusted }) => trusted)).toHaveLength(own.size);
  expect(loaded.other.get("apiKeyHelper")?.map(({ trusted }) => trusted)).toEqual([false]);
  await trustIn(world.options).trust(join(world.project));
  const trusted = await loadSettings(world.options);
  expect([trusted.isTrusted, trusted.mode, allows(trusted).length]).toEqual([true, "acceptEdits", 7]);
  expect(trusted.other.get("apiKeyHelper")?.map((found) => found.trusted)).toEqual([true]);
});

test("a repository does not choose auto or bypass by being trusted alone, by any of their names", async () => {
  for (const isTrusted of [false, true])
    for (const file of ["settings.json", "settings.local.json"])
      for (const mode of ["auto", "bypassPermissions", "allow"]) {
        const world = await newWorld();
        await world.write("home/.claude/settings.json", { permissions: { defaultMode: "plan" } });
        const path = await world.write(`project/.claude/${file}`, { permissions: { defaultMode: mode } });
        const loaded = await loadSettings({ ...world.options, isTrusted });
        const start = `${path}: permissions.defaultMode: ignored: a repository cannot set`;
        // Before the folder is trusted, the trust dialog lists what it asks for.
        const bypass = isTrusted
          ? [`${start} bypassPermissions, or run \`runahead trust --accept\` to accept this value`]
          : [];
        expect([loaded.mode, messages(loaded)]).toEqual([
          "plan",
          mode === "auto" ? [`${start} auto`] : bypass,
        ]);
      }
});

test("modes have aliases, and any source can forbid bypass", async () => {
  const modes = [];
  for (const defaultMode of ["ask", "manual", "deny", "accept_edits", "allow", "auto"]) {
    const { options } = await newWorld();
    const { mode, problems } = await loadSettings({ ...options, flags: [{ permissions: { defaultMode } }] });
    modes.push([mode, problems.length]);
  }
  expect(modes).toEqual([
    ["default", 0],
    ["default", 0],
    ["dontAsk", 0],
    ["acceptEdits", 0],
    ["bypassPermissions", 0],
    ["auto", 0],
  ]);
  const world = await newWorld();
  await world.write("project/.claude/settings.json", {
    permissions: { disableBypassPermissionsMode: "disable" },
  });
  const flags = [{ permissions: { defaultMode: "bypassPermissions" } }];
  const loaded = await loadSettings({ ...world.options, flags });
  expect([loaded.mode, loaded.forbiddenModes, messages(loaded)]).toEqual([
    "default",
    { bypassPermissions: "disableBypassPermissionsMode forbids it" },
    ["command line: permissions.defaultMode: ignored: disableBypassPermissionsMode forbids it"],
  ]);
});

test("root cannot use bypassPermissions, under any name and from any file, unless it is allowed to", async () => {
  for (const defaultMode of ["bypassPermissions", "allow"]) {
    const world = await newWorld();
    await world.write("home/.claude/settings.json", { permissions: { defaultMode } });
    const asRoot = process.getuid?.() === 0;
    const { mode, forbiddenModes } = await loadSettings({ ...world.options, env: {} });
    expect([mode, forbiddenModes]).toEqual(
      asRoot ? ["default", { bypassPermissions: "root cannot use it" }] : ["bypassPermissions", {}],
    );
    const allowed = await loadSettings(world.options);
    expect([allowed.mode, allowed.forbiddenModes]).toEqual(["bypassPermissions", {}]);
  }
});

test("only managed settings can restrict allow rules and hooks to managed ones", async () => {
  const { world, content } = await everyLevel();
  const only = { allowManagedPermissionRulesOnly: true, allowManagedHooksOnly: true };
  await world.write("managed.json", { ...content("managed"), ...only });
  const loaded = await loadSettings({ ...world.options, isTrusted: true });
  expect([allows(loaded), loaded.hooks.length, denies(loaded).length]).toEqual([["A(managed)"], 1, 7]);
  await world.write("managed.json", {});
  await world.write("home/.claude/settings.json", only);
  const other = await loadSettings({ ...world.options, isTrusted: true });
  expect([allows(other).length, other.hooks.length]).toEqual([5, 5]);
  expect(other.problems.map(({ key }) => key)).toEqual(Object.keys(only));
});

test("hooks can be turned off: by a repository only its own, and managed ones only by managed settings", async () => {
  const { world, content } = await everyLevel();
  await world.write("project/.claude/settings.json", { disableAllHooks: true });
  const counts = [];
  for (const isTrusted of [false, true])
    counts.push((await loadSettings({ ...world.options, isTrusted })).hooks.length);
  const levels = (await loadSettings({ ...world.options, isTrusted: true })).hooks.map(({ level }) => level);
  expect(levels).not.toContain("project");
  expect(levels).not.toContain("local");
  await world.write("home/.claude/settings.json", { disableAllHooks: true });
  counts.push((await loadSettings({ ...world.options, isTrusted: true })).hooks.length);
  await world.write("managed.json", { ...content("managed"), disableAllHooks: true });
  counts.push((await loadSettings(world.options)).hooks.length);
  expect(counts).toEqual([6, 3, 1, 0]);
});

test("D16: the files and folders that control permissions are protected", async () => {
  const { home, project } = await newWorld();
  const env = { RUNAHEAD_HOME: join(home, "elsewhere") };
  const { files, folders } = await protectedPaths({ cwd: project, home, env });
  expect(files.toSorted()).toEqual(
    [
      ...managedPaths(),
      ...[".claude", ".runahead"].flatMap((name) =>
        ["settings.json", "settings.local.json"].map((file) => join(project, name, file)),
      ),
      join(project, ".mcp.json"),
      join(home, ".claude.json"),
      join(home, ".claude/settings.json"),
      join(home, "elsewhere/settings.json"),
      join(home, "elsewhere/trust.json"),
      join(home, "elsewhere/mcp-approvals.json"),
    ].toSorted(),
  );
  expect(folders).toEqual([
    join(project, ".runahead"),
    join(project, ".claude"),
    join(home, "elsewhere"),
    join(home, ".claude"),
    "/etc/runahead",
    "/etc/claude-code",
  ]);
  expect(managedPaths("darwin")[1]).toBe("/Library/Application Support/ClaudeCode/managed-settings.json");
  expect(managedPaths("win32")[1]).toBe("C:\\Program Files\\ClaudeCode\\managed-settings.json");
});

test("class 11: nothing of an untrusted folder selects a model, a variable or a program", async () => {
  const world = await newWorld();
  await world.write("project/.claude/settings.json", {
    model: "of the folder",
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" },
    apiKeyHelper: "./helper",
    statusLine: { type: "command", command: "./line" },
    hooks: { Stop: [{ hooks: [{ type: "command", command: "./hook" }] }] },
    permissions: { allow: ["Bash"], additionalDirectories: ["/"], defaultMode: "acceptEdits" },
    sandbox: { enabled: false, autoAllowBashIfSandboxed: true },
  });
  const { model, env, mode, entries } = await loadSettings(world.options);
  expect([model, env, mode]).toEqual([undefined, {}, "default"]);
  expect([...new Set(entries.map(({ status }) => status.type))]).toEqual(["untrusted"]);
  const trusted = await loadSettings({ ...world.options, isTrusted: true });
  expect([trusted.model, trusted.mode]).toEqual(["of the folder", "acceptEdits"]);
});

test("managed settings of the embedding program win over everything, and cannot allow more than those of the machine", async () => {
  const world = await newWorld();
  const managed = JSON.stringify({ model: "host", permissions: { allow: ["A(host)"], deny: ["D(host)"] } });
  const flags = [{ model: "flags" }];
  const alone = await loadSettings({ ...world.options, flags, managed });
  expect([alone.model, allows(alone), denies(alone)]).toEqual(["host", ["A(host)"], ["D(host)"]]);
  expect(alone.sources[0]?.level).toBe("managed");
  await world.write("managed.json", { model: "machine", allowManagedPermissionRulesOnly: true });
  const below = await loadSettings({ ...world.options, flags, managed });
  expect([below.model, allows(below), denies(below)]).toEqual(["machine", [], ["D(host)"]]);
});
