import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LoadedSettings } from "../settings/loaded.ts";
import { enabledPlugins } from "./enabled.ts";
import { pluginStore } from "./store.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "enabled-")));
  mkdirSync(join(root, "plug/.claude-plugin"), { recursive: true });
  writeFileSync(join(root, "plug/.claude-plugin/plugin.json"), '{"name": "plug"}');
  writeFileSync(join(root, "plug/.mcp.json"), '{"mcpServers": {"one": {"command": "x"}}}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const settings = (key?: string, value?: unknown): LoadedSettings =>
  ({
    other: new Map(key === undefined ? [] : [[key, [{ value, name: "x", level: "managed", trusted: true }]]]),
  }) as unknown as LoadedSettings;
const read = (found: LoadedSettings, given: object) =>
  enabledPlugins({ cwd: root, home: root, env: {} }, found, {
    folders: [],
    withoutServers: [],
    isBare: false,
    ...given,
  });

test("a plugin of a flag is used in this run, with or without its servers, also with --bare", async () => {
  const whole = await read(settings(), { folders: ["plug"] });
  expect(whole.plugins[0]?.servers.map(({ name }) => name)).toEqual(["plugin_plug_one"]);
  expect(whole.plugins[0]?.servers[0]?.server).toMatchObject({
    env: { CLAUDE_PLUGIN_ROOT: join(root, "plug") },
  });
  const rest = await read(settings(), { withoutServers: ["plug"], isBare: true });
  expect(rest.plugins.map(({ name, servers }) => [name, servers])).toEqual([["plug", []]]);
});

test("managed settings refuse plugins of flags, and a folder that does not exist is an error", async () => {
  const asked = { folders: ["plug"] };
  await expect(read(settings("disableSideloadFlags", true), asked)).rejects.toThrow("disableSideloadFlags");
  await expect(read(settings("strictKnownMarketplaces", []), asked)).rejects.toThrow(
    "is not one of strictKnownMarketplaces",
  );
  await expect(read(settings(), { folders: ["none"] })).rejects.toThrow("none is not a folder");
});

test("only a value that says yes turns a plugin on", async () => {
  const store = pluginStore({ home: root, env: {} });
  await store.add({ id: "plug", path: join(root, "plug"), source: join(root, "plug"), isEnabled: true });
  const used = async (value: unknown): Promise<string[]> =>
    (await read(settings("enabledPlugins", { plug: value }), {})).plugins.map(({ name }) => name);
  for (const value of [true, "true", ["^1.0.0"]]) expect(await used(value)).toEqual(["plug"]);
  for (const value of [false, "false", "off", 0, null, {}]) expect(await used(value)).toEqual([]);
});
