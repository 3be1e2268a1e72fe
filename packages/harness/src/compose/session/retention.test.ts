import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../../test/fixtures/settings/world.ts";
import { loadSettings } from "../../settings/load.ts";
import { DEFAULT_DAYS } from "../../settings/repository.ts";
import { cleanUpLater, cleanUpUnowned, retentionDays } from "./retention.ts";

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
  expect(await daysOf("project", 0)).toBe(0);
  expect(await daysOf("project", 1)).toBe(DEFAULT_DAYS);
});

test("a program that ends before the deletion starts deletes at its end, once a day", async () => {
  const world = await newWorld();
  const settings = await loadSettings({ ...world.options, isTrusted: true });
  const home = join(world.options.home, ".runahead");
  const folder = join(home, "projects", "one");
  await mkdir(folder, { recursive: true });
  const old = async (): Promise<string> => {
    const path = join(folder, `${randomUUID()}.jsonl`);
    await writeFile(path, "{}\n");
    await utimes(path, 0, 0);
    return path;
  };
  const [first, second] = [await old(), await old()];
  await cleanUpLater(home, settings)();
  expect([existsSync(first), existsSync(second)]).toEqual([false, false]);
  const third = await old();
  await cleanUpLater(home, settings)();
  expect(existsSync(third)).toBe(true);
  await utimes(join(home, "cleaned-up"), 0, 0);
  await cleanUpLater(home, settings)();
  expect(existsSync(third)).toBe(false);
});

test("outputs and pages that belong to no session are deleted after the same time, unless it is 0", async () => {
  const world = await newWorld();
  const home = join(world.options.home, ".runahead");
  const written = async (folder: string, isOld: boolean): Promise<string> => {
    const path = join(home, folder, `${randomUUID()}.txt`);
    await mkdir(join(home, folder), { recursive: true });
    await writeFile(path, "x");
    if (isOld) await utimes(path, 0, 0);
    return path;
  };
  const folders = ["output", "output/run", "timelines"];
  const old = await Promise.all(folders.map((folder) => written(folder, true)));
  const young = await Promise.all(folders.map((folder) => written(folder, false)));
  await world.write("home/.claude/settings.json", { cleanupPeriodDays: 0 });
  await cleanUpLater(home, await loadSettings({ ...world.options, isTrusted: true }))();
  expect([...old, ...young].map(existsSync)).not.toContain(false);
  await cleanUpUnowned(home);
  expect(old.map(existsSync)).not.toContain(true);
  expect(young.map(existsSync)).not.toContain(false);
});
