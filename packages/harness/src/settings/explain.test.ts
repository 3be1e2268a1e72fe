import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { explain } from "./explain.ts";
import { loadSettings } from "./load.ts";

afterEach(removeWorlds);

const IN_FORCE = { type: "in-force" };

test("every value is listed with its source, and why it applies or not", async () => {
  const world = await newWorld();
  const managed = await world.write("managed.json", {
    model: "haiku",
    disableBypassPermissionsMode: "disable",
  });
  await world.write("project/.claude/settings.json", {
    model: "opus",
    env: { PATH: "." },
    hooks: { Stop: [{ hooks: [] }] },
    statusLine: { type: "command", command: "./x" },
    permissions: { deny: ["Bash(rm *)"], allow: ["Bash(ls)"], defaultMode: "bypassPermissions" },
  });
  await world.write("home/.claude/settings.json", { model: "sonnet", permissions: { allow: ["Bash(ls)"] } });
  const explained = explain(await loadSettings(world.options));
  const [own, project] = ["~/.claude/settings.json", ".claude/settings.json"];
  const why = "disableBypassPermissionsMode forbids it";
  expect(explained).toEqual({
    root: world.project,
    isTrusted: false,
    isIncomplete: false,
    mode: "default",
    files: [
      { name: managed, path: managed, level: "managed", state: "read", trusted: true },
      ...["settings.local.json", "settings.json"].flatMap((file) =>
        [".runahead", ".claude"].map((folder) => ({
          name: `${folder}/${file}`,
          path: join(world.project, folder, file),
          level: file === "settings.json" ? "project" : "local",
          state: `${folder}/${file}` === project ? "read" : "missing",
          trusted: false,
        })),
      ),
      ...[".runahead", ".claude"].map((folder) => ({
        name: `~/${folder}/settings.json`,
        path: join(world.home, folder, "settings.json"),
        level: "user",
        state: folder === ".claude" ? "read" : "missing",
        trusted: true,
      })),
    ],
    values: [
      { key: "disableBypassPermissionsMode", value: "disable", from: managed, status: IN_FORCE },
      { key: "env.PATH", value: ".", from: project, status: { type: "untrusted" } },
      { key: "hooks.Stop", value: { hooks: [] }, from: project, status: { type: "untrusted" } },
      { key: "model", value: "haiku", from: managed, status: IN_FORCE },
      { key: "model", value: "opus", from: project, status: { type: "untrusted" } },
      { key: "model", value: "sonnet", from: own, status: { type: "shadowed", by: managed } },
      { key: "permissions.allow", value: "Bash(ls)", from: project, status: { type: "untrusted" } },
      { key: "permissions.allow", value: "Bash(ls)", from: own, status: IN_FORCE },
      {
        key: "permissions.defaultMode",
        value: "bypassPermissions",
        from: project,
        status: { type: "ignored", why },
      },
      { key: "permissions.deny", value: "Bash(rm *)", from: project, status: IN_FORCE },
      {
        key: "statusLine",
        value: { type: "command", command: "./x" },
        from: project,
        status: { type: "untrusted" },
      },
    ],
    problems: [
      {
        severity: "warning",
        path: join(world.project, project),
        key: "permissions.defaultMode",
        message: `${join(world.project, project)}: permissions.defaultMode: ignored: ${why}`,
      },
    ],
  });
});

test("while a file cannot be read, suspended values say so", async () => {
  const world = await newWorld();
  await world.write("home/.runahead/settings.json", "{");
  await world.write("home/.claude/settings.json", {
    permissions: {
      allow: ["Read"],
      ask: ["Edit"],
      additionalDirectories: ["/srv"],
      defaultMode: "acceptEdits",
    },
  });
  const { values, mode, isIncomplete, files } = explain(await loadSettings(world.options));
  const suspended = { type: "suspended", why: "a settings file cannot be read" };
  expect([mode, isIncomplete, files.map(({ state }) => state).slice(-2)]).toEqual([
    "default",
    true,
    ["unreadable", "read"],
  ]);
  expect(values.map(({ key, status }) => [key, status])).toEqual([
    ["permissions.additionalDirectories", suspended],
    ["permissions.allow", suspended],
    ["permissions.ask", IN_FORCE],
    ["permissions.defaultMode", suspended],
  ]);
});
