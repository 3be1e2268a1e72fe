import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../../test/fixtures/settings/world.ts";
import { loadSettings } from "../../settings/load.ts";
import { DEFAULT_DAYS } from "../../settings/repository.ts";
import { retentionDays } from "./retention.ts";

afterEach(removeWorlds);

async function daysOf(level: "home" | "project", value: unknown): Promise<number> {
  const world = await newWorld();
  await world.write(`${level}/.claude/settings.json`, { cleanupPeriodDays: value });
  return retentionDays(await loadSettings({ ...world.options, isTrusted: true }));
}

test("cleanupPeriodDays of the user counts, and a value that is not a number from 0 does not", async () => {
  expect(await daysOf("home", 7)).toBe(7);
  expect(await daysOf("home", 0)).toBe(0);
  expect(await daysOf("home", "7")).toBe(7);
  for (const value of [-1, "seven", null, {}]) expect(await daysOf("home", value)).toBe(DEFAULT_DAYS);
});

test("without the setting, sessions are kept for 30 days", async () => {
  const world = await newWorld();
  expect(retentionDays(await loadSettings({ ...world.options, isTrusted: true }))).toBe(30);
});

test("a repository can keep sessions longer, but cannot delete the user's sessions earlier", async () => {
  expect(await daysOf("project", 90)).toBe(90);
  expect(await daysOf("project", 1)).toBe(DEFAULT_DAYS);
});
