import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { explain } from "./explain.ts";
import { loadSettings } from "./load.ts";

afterEach(removeWorlds);

const FOLDER = fileURLToPath(new URL("../../test/fixtures/settings/", import.meta.url));
const NAMES = (await readdir(FOLDER)).filter((name) => name.endsWith(".json"));

/** The keys that are reported for each fixture, as the user's own file. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "attribution.json": ["gitAttribution"],
  "helpers.json": ["awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper"],
  "login.json": ["forceLoginMethod", "forceLoginOrgUUID"],
  "model-choices.json": ["modelOverrides"],
  "spinner-list.json": ["tui"],
  "status-line.json": ["subagentStatusLine"],
  "managed-like.json": [
    "allowManagedPermissionRulesOnly",
    "allowManagedHooksOnly",
    "strictKnownMarketplaces",
  ],
  "sandbox.json": ["sandbox.network.httpProxyPort"],
  "unknown-permission-keys.json": ["permissions.blockReadsOutsideWorkingDirectories"],
  "wrong-deny-string.json": ["permissions.deny"],
  "wrong-entries.json": ["permissions.allow[1]", "permissions.allow[2]", "permissions.defaultMode", "env.A"],
  "wrong-hook-map.json": ["hooks.PreToolUse"],
};

test("there are a few dozen shapes of settings files", () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(40);
});

test.each(NAMES)("%s loads, and only the expected problems are reported", async (name) => {
  const world = await newWorld();
  const text = await readFile(join(FOLDER, name), "utf8");
  await world.write("home/.claude/settings.json", text);
  const loaded = await loadSettings(world.options);
  const reported = loaded.problems.filter(({ severity }) => severity !== "note");
  expect(reported.map(({ key }) => key)).toEqual(EXPECTED[name] ?? []);
  expect(loaded.isIncomplete).toBe(false);
  // Nothing is dropped: every top-level key is there again, unless all in it was wrong or empty.
  const keys = new Set(explain(loaded).values.map(({ key }) => key.split(".")[0]));
  const given = Object.entries(JSON.parse(text) as Record<string, unknown>);
  const held = given.filter(
    ([, value]) => !/^(\{\}|\{[^\]]*:\[\](,[^\]]*:\[\])*\})$/.test(JSON.stringify(value)),
  );
  expect(held.map(([key]) => key).filter((key) => !keys.has(key))).toEqual([]);
});

test.each(NAMES)("%s in a project that is not trusted grants and runs nothing", async (name) => {
  const world = await newWorld();
  const text = await readFile(join(FOLDER, name), "utf8");
  await world.write("project/.claude/settings.json", text);
  const { sources, hooks, env, mode, isIncomplete, other } = await loadSettings(world.options);
  expect([sources.map(({ trusted }) => trusted), mode, isIncomplete, env]).toEqual([
    [false],
    "default",
    false,
    {},
  ]);
  expect([...hooks, ...[...other.values()].flat()].filter(({ trusted }) => trusted)).toEqual([]);
  const denied = (JSON.parse(text) as { permissions?: { deny?: string | string[] } }).permissions?.deny ?? [];
  expect(sources[0]?.deny).toEqual([denied].flat());
});

test.each([
  ["on one line", '{"permissions":{"allow":["Bash(ls:*)"],"deny":[]}}'],
  ["with tabs", '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"Bash(ls:*)"\n\t\t]\n\t}\n}\n'],
  ["with CRLF", '{\r\n  "permissions": { "allow": ["Bash(ls:*)"] }\r\n}\r\n'],
  ["with a byte order mark", '\uFEFF{ "permissions": { "allow": ["Bash(ls:*)"] } }'],
])("a file %s is read as any other", async (_, text) => {
  const world = await newWorld();
  await world.write("home/.claude/settings.json", text);
  const { sources, problems } = await loadSettings(world.options);
  expect([sources.map(({ allow }) => allow), problems]).toEqual([[["Bash(ls:*)"]], []]);
});
