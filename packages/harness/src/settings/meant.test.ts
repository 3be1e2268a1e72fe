import { expect, test } from "vitest";
import { contentOf } from "./content.ts";

/** What is read of a file, and what is said about it. */
function read(value: object): { readonly settings: readonly object[]; readonly said: readonly string[] } {
  const { settings, problems } = contentOf("f", value as Record<string, unknown>);
  return { settings, said: problems.map(({ severity, key }) => `${severity} ${key}`) };
}

test.each([
  ["a flag in quotes", { includeCoAuthoredBy: "false" }, false],
  ["a number in quotes", { cleanupPeriodDays: "30" }, 30],
  ["one text for a list", { disabledMcpjsonServers: "github" }, ["github"]],
  ["a list of plugins", { enabledPlugins: ["a@b"] }, { "a@b": true }],
  ["a command alone", { statusLine: "~/line.sh" }, { type: "command", command: "~/line.sh" }],
])("class 1: %s is understood, and a note says how", (_, value, meant) => {
  const [key = ""] = Object.keys(value);
  expect(read(value)).toEqual({ settings: [{ type: "other", key, value: meant }], said: [`note ${key}`] });
});

test("class 1: null is the same as nothing, and a mode can have other separators", () => {
  const permissions = { allow: null, deny: null, additionalDirectories: null, defaultMode: "accept-edits" };
  expect(read({ permissions, env: { A: null }, hooks: { Stop: null } })).toEqual({
    settings: [{ type: "mode", mode: "acceptEdits" }],
    said: [],
  });
});

test("class 1: a single group, hook or command of an event is a list of one", () => {
  const hook = { type: "command", command: "x" };
  const groups = (hooks: object): readonly unknown[] =>
    read({ hooks }).settings.map((setting) => (setting as { group?: unknown }).group);
  expect(groups({ Stop: { hooks: [hook] } })).toEqual([{ hooks: [hook] }]);
  expect(groups({ Stop: hook })).toEqual([hook]);
  expect(groups({ Stop: "x" })).toEqual([{ hooks: [hook] }]);
});

test("class 1: what would allow more is not guessed", () => {
  expect(read({ permissions: { allow: "Bash", additionalDirectories: "/" } })).toEqual({
    settings: [],
    said: ["error permissions.allow", "error permissions.additionalDirectories"],
  });
  expect(read({ allow: ["Bash"], deny: ["Read(.env)"], defaultMode: "plan" }).said).toEqual([
    "note allow",
    "warning deny",
    "warning defaultMode",
  ]);
});

test.each([
  ["permissions.denied", { permissions: { denied: ["Bash"] } }, "permissions.deny"],
  ["permissions.block", { permissions: { block: ["Bash"] } }, "permissions.deny"],
  ["permissions.Bash", { permissions: { Bash: "deny" } }, "permissions.deny"],
  ["deniedTools", { deniedTools: ["Bash"] }, "permissions.deny"],
  ["disabledMcpServers", { disabledMcpServers: ["x"] }, "deniedMcpServers"],
  ["disabledPlugins", { disabledPlugins: ["x"] }, "enabledPlugins"],
  ["blockedModels", { blockedModels: ["opus"] }, "deniedModels"],
  ["permissions.mode", { permissions: { mode: "plan" } }, "permissions.defaultMode"],
])("class 2: %s restricts nothing, and a warning names what does", (key, value, instead) => {
  const { problems } = contentOf("f", value);
  expect(problems.map(({ severity, message }) => [severity, message])).toEqual([
    ["warning", `f: ${key}: is not a known setting and restricts nothing; use ${instead}`],
  ]);
});

test("class 2: a mode at the wrong place is a warning if it restricts, and a note if it does not", () => {
  expect(read({ defaultMode: "plan" }).said).toEqual(["warning defaultMode"]);
  expect(read({ defaultMode: "acceptEdits" }).said).toEqual(["note defaultMode"]);
});

test("class 2: a sandbox in another form restricts, and what would allow more is not guessed", () => {
  expect(read({ sandbox: true }).settings).toEqual([{ type: "sandbox-switch", name: "enabled", isOn: true }]);
  const filesystem = { denyRead: "~/.ssh", allowWrite: "/" };
  expect(read({ sandbox: { enabled: "true", filesystem } })).toEqual({
    settings: [
      { type: "sandbox-switch", name: "enabled", isOn: true },
      { type: "sandbox-entry", list: "filesystem.denyRead", entry: "~/.ssh" },
    ],
    said: ["note sandbox.filesystem.denyRead", "error sandbox.filesystem.allowWrite"],
  });
});

test("class 2: an override of a skill that is not known turns it off, with a warning", () => {
  expect(read({ skillOverrides: { a: "disabled" } }).said).toEqual(["warning skillOverrides"]);
  expect(read({ skillOverrides: { a: "off", b: true, c: "name-only" } }).said).toEqual([]);
});

test("class 1: a level of effort that does not exist is said, with those that do", () => {
  expect(contentOf("f", { effortLevel: "hgh" }).problems.map(({ message }) => message)).toEqual([
    'f: effortLevel: expected low, medium, high, xhigh, max or auto, found "hgh"; this entry is ignored',
  ]);
  expect(read({ effortLevel: "auto" }).said).toEqual([]);
});
