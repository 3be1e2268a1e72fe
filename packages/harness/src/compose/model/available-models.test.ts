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
  expect(compactWindow(settings({ autoCompactWindow: 50_000 }), model)).toEqual({ contextTokens: 50_000 });
  expect(compactWindow(settings({ autoCompactWindow: 500_000 }), model)).toEqual({});
  expect(compactWindow(settings({}), model)).toEqual({});
});
