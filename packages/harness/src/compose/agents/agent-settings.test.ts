import { expect, test } from "vitest";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { concurrencyOf } from "./agent-settings.ts";

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

test("an invalid limit is reported and ignored", () => {
  const notices: string[] = [];
  const settings = settingsWith(["many", true], [{ agents: 0, calls: 2 }, true]);
  expect(concurrencyOf(undefined, settings, (message) => notices.push(message))).toEqual({
    limit: 2,
    limits: {},
  });
  expect(notices).toHaveLength(2);
});
