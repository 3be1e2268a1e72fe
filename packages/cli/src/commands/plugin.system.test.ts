import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runMain } from "../../test/support/run-main.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-plugin-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  const hook = { matcher: "Bash", hooks: [{ type: "command", command: "${CLAUDE_PLUGIN_ROOT}/guard.sh" }] };
  put("market/.claude-plugin/marketplace.json", {
    name: "house",
    plugins: [
      { name: "ops", source: "./plugins/ops" },
      { name: "docs", source: "./plugins/docs" },
    ],
  });
  put("market/plugins/ops/.claude-plugin/plugin.json", { name: "ops", description: "Ships." });
  put("market/plugins/ops/hooks/hooks.json", { hooks: { PreToolUse: [hook] } });
  put("market/plugins/ops/commands/ship.md", "---\nallowed-tools: Bash(git push:*)\n---\nShip.");
  put("market/plugins/docs/skills/write/SKILL.md", "---\nname: write\ndescription: Writes.\n---\nWrite.");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content: unknown): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

const run = (...args: string[]) => runMain(root, ["plugin", ...args]);

test("class 7: a plugin is shown first and added only with --yes", async () => {
  const folder = join(root, "market/plugins/ops");
  const shown = await run("add", folder);
  expect([shown.code, shown.error]).toEqual([0, ""]);
  expect(shown.out).toContain("Plugin ops: Ships.");
  expect(shown.out).toContain(`${folder}/guard.sh`);
  expect(shown.out).toContain("/ops:ship (allows Bash(git push:*))");
  expect(shown.out).toContain("Not added.");
  expect((await run("list")).out).toBe("No plugins.");
  await run("add", folder, "--yes");
  expect((await run("list")).out).toBe(`ops  enabled  ${folder}`);
  await run("disable", "ops");
  expect((await run("list")).out).toBe(`ops  disabled  ${folder}`);
  await run("enable", "ops");
  put("home/.runahead/settings.json", { enabledPlugins: { ops: false } });
  expect((await run("list")).out).toMatch(/^ops {2}disabled by \S*settings\.json {2}/);
  expect((await run("enable", "ops")).out).toMatch(
    /^ops is enabled, but enabledPlugins in \S*settings\.json turns it off\.$/,
  );
  expect((await run("add", "../nothing")).error).toBe(
    "runahead: ../nothing is neither a folder, a marketplace.json, a git address nor an npm package (npm:NAME)",
  );
  await run("remove", "ops");
  expect([(await run("list")).out, existsSync(folder)]).toEqual(["No plugins.", true]);
});

test("class 7: a plugin comes from a marketplace file or a git address", async () => {
  const asked = await run("add", join(root, "market"));
  expect([asked.code, asked.error]).toEqual([2, "runahead: name one of the plugins of house: ops, docs"]);
  await run("add", join(root, "market/.claude-plugin/marketplace.json"), "docs", "--yes");
  expect((await run("list")).out).toBe(`docs@house  enabled  ${join(root, "market/plugins/docs")}`);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
      cwd: join(root, "market"),
      stdio: "pipe",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  const added = await run("add", `file://${join(root, "market")}`, "ops", "--yes");
  expect([added.code, added.error]).toEqual([0, ""]);
  const store = join(root, "home/.runahead/plugins");
  expect((await run("list")).out).toContain(`ops@house  enabled  ${store}/`);
  await run("remove", "ops");
  expect((await run("list")).out).not.toContain("ops@house");
});

test("class 7: wrong sources and names are errors", async () => {
  expect((await run("add", "nowhere at all")).code).toBe(2);
  expect((await run("remove", "nothing")).error).toBe("runahead: there is no plugin nothing. Plugins: none");
});

test("class 7: NAME@MARKETPLACE comes from a marketplace of the settings", async () => {
  const known = { house: { source: { source: "directory", path: join(root, "market") } } };
  put("home/.claude/settings.json", { extraKnownMarketplaces: known });
  const added = await run("add", "ops@house", "--yes");
  expect([added.code, added.error]).toEqual([0, ""]);
  expect((await run("list")).out).toBe(`ops@house  enabled  ${join(root, "market/plugins/ops")}`);
  expect((await run("add", "ops@other")).error).toBe(
    "runahead: extraKnownMarketplaces has no marketplace other. Known: house",
  );
});

test("class 7: the entry of a marketplace names the plugin and more of its parts", async () => {
  put("house/.claude-plugin/marketplace.json", {
    name: "house",
    plugins: [
      {
        name: "papers",
        source: "./",
        strict: false,
        skills: ["./skills/read"],
        mcpServers: { store: { command: "store" } },
        lspServers: { demo: { command: "demo-server", extensionToLanguage: { ".demo": "demo" } } },
      },
      { name: "tools", source: "./" },
    ],
  });
  put("house/skills/read/SKILL.md", "---\nname: read\ndescription: Reads.\n---\nRead.");
  put("house/skills/other/SKILL.md", "---\nname: other\ndescription: Else.\n---\nElse.");
  const { out } = await run("add", join(root, "house"), "papers", "--yes");
  expect(out).toContain("Plugin papers");
  expect(out).toContain("/papers:read");
  expect(out).not.toContain("other");
  expect(out).toContain("plugin_papers_store");
  expect(out).toContain("demo-server");
  expect((await run("list")).out).toBe(`papers@house  enabled  ${join(root, "house")}`);
  expect((await run("add", join(root, "house"), "tools")).out).toContain("/tools:other");
});

test("class 7: plugins that a plugin needs are shown and added with it", async () => {
  const listed = ["kit", "vault", "log"].map((name) => ({ name, source: `./plugins/${name}` }));
  put("market/.claude-plugin/marketplace.json", { name: "house", plugins: listed });
  const needs = ["vault", { name: "log", version: "^1" }, { name: "far", marketplace: "away" }];
  put("market/plugins/kit/.claude-plugin/plugin.json", { name: "kit", dependencies: needs });
  put("market/plugins/vault/.claude-plugin/plugin.json", { name: "vault", dependencies: ["kit", "log"] });
  put("market/plugins/log/.claude-plugin/plugin.json", { name: "log" });
  const shown = await run("add", join(root, "market"), "kit");
  expect(shown.out).toMatch(/Plugin kit[^]*Plugin vault[^]*Plugin log/);
  expect(shown.out).toContain("kit needs the plugin far@away. Add it too");
  expect((await run("list")).out).toBe("No plugins.");
  await run("add", join(root, "market"), "kit", "--yes");
  expect((await run("list")).out.split("\n").map((line) => line.split(" ")[0])).toEqual([
    "kit@house",
    "vault@house",
    "log@house",
  ]);
});

test("a marketplace offers only folders of its own", async () => {
  put("secret/commands/a.md", "A.");
  const plugins = [
    { name: "up", source: "../secret" },
    { name: "link", source: "./link" },
  ];
  put("market/.claude-plugin/marketplace.json", { name: "house", plugins });
  symlinkSync(join(root, "secret"), join(root, "market/link"));
  for (const name of ["up", "link"]) {
    const { code, error } = await run("add", join(root, "market"), name, "--yes");
    expect([code, error]).toEqual([
      2,
      `runahead: the path of the plugin ${name} leads out of its marketplace`,
    ]);
  }
});
