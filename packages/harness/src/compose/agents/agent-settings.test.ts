import { expect, test } from "vitest";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { concurrencyOf, fastModelOf } from "./agent-settings.ts";

function settingsWith(...values: readonly (readonly [value: unknown, trusted: boolean])[]): LoadedSettings {
  const found = values.map(([value, trusted]) => ({ value, name: "settings.json", trusted }));
  return { other: new Map([["maxConcurrency", found]]) } as unknown as LoadedSettings;
}

test("limits of calls, agents, tools and places come from the option, then from trusted settings", () => {
  const notices: string[] = [];
  const settings = settingsWith([{ calls: 4, "mcp:/github": 2 }, true], [{ agents: 3, WebFetch: 1 }, false]);
  expect(concurrencyOf({ calls: 6, WebFetch: 2 }, settings, (message) => notices.push(message))).toEqual({
    limit: 6,
    limits: { "mcp:/github": 2, "tool:/WebFetch": 2 },
  });
  expect(concurrencyOf(undefined, settingsWith([5, true]), (message) => notices.push(message))).toEqual({
    limit: 5,
    limits: {},
  });
  expect(notices).toEqual([]);
});

test("the fast model comes from the option, then from trusted settings, then from the environment", async () => {
  const world = (env: object) => ({ cwd: "/", home: "/", env: { ANTHROPIC_API_KEY: "key", ...env } });
  const settings = (...found: readonly object[]) =>
    ({ other: new Map([["fastModel", found]]) }) as unknown as LoadedSettings;
  const notices: string[] = [];
  const nameOf = async (flags: object, set: LoadedSettings, env: object = {}) =>
    (await fastModelOf(world(env), flags, { settings: set, onNotice: (one) => notices.push(one) }))?.name;
  const trusted = { value: "claude-haiku-4-5", trusted: true };
  const env = { ANTHROPIC_SMALL_FAST_MODEL: "claude-3-5-haiku-latest" };
  expect([
    await nameOf({ fastModel: "claude-sonnet-4-6" }, settings(trusted), env),
    await nameOf({}, settings({ value: "claude-opus-4-6", trusted: false }, trusted), env),
    await nameOf({}, settings(), env),
    await nameOf({}, settings()),
  ]).toEqual(["claude-sonnet-4-6", "claude-haiku-4-5", "claude-3-5-haiku-latest", undefined]);
  expect(notices).toEqual([]);
});

test("an invalid limit is reported and ignored", () => {
  const notices: string[] = [];
  const settings = settingsWith(["many", true], [{ agents: 0, calls: 2 }, true]);
  expect(concurrencyOf(undefined, settings, (message) => notices.push(message))).toEqual({
    limit: 2,
    limits: {},
  });
  expect(notices).toHaveLength(2);
});
