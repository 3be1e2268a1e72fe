import { expect, test } from "vitest";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { compactWindow } from "../session/compact-window.ts";
import { isAvailable } from "./available-models.ts";

function settings(values: Readonly<Record<string, unknown>>, trusted = true): LoadedSettings {
  const other = new Map(
    Object.entries(values).map(([key, value]) => [key, [{ value, name: "x", level: "project", trusted }]]),
  );
  return { other } as unknown as LoadedSettings;
}

test("deniedModels refuses models by name and family, wins over availableModels, and needs no trust", () => {
  const denied = settings({ deniedModels: ["opus", "gpt-5.2"] }, false);
  const isThere = (name: string): boolean => isAvailable(name, denied, {});
  expect([isThere("opus"), isThere("claude-opus-4-6"), isThere("gpt-5.2"), isThere("sonnet")]).toEqual([
    false,
    false,
    false,
    true,
  ]);
  const both = settings({ availableModels: ["opus", "sonnet"], deniedModels: ["opus"] });
  expect([isAvailable("opus", both, {}), isAvailable("sonnet", both, {})]).toEqual([false, true]);
  expect(isAvailable("haiku", both, {})).toBe(false);
});

test("autoCompactWindow only lowers the window of the model", () => {
  const model = { name: "m", facts: { contextTokens: 100_000 } } as never;
  const windowOf = (given: Record<string, unknown>, env: Record<string, string> = {}) =>
    compactWindow({ ...settings(given), env }, model, {});
  expect(windowOf({ autoCompactWindow: 50_000 })).toEqual({ contextTokens: 50_000 });
  expect(windowOf({ autoCompactWindow: 500_000 })).toEqual({});
  expect(windowOf({})).toEqual({});
  const percent = (value: string) => ({ CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: value });
  // The conversation is compacted at four fifths of the window that is left.
  expect(windowOf({}, percent("40"))).toEqual({ contextTokens: 50_000 });
  expect(windowOf({ autoCompactWindow: 50_000 }, percent("40"))).toEqual({ contextTokens: 25_000 });
  for (const value of ["80", "100", "0", "x"]) expect(windowOf({}, percent(value))).toEqual({});
});
