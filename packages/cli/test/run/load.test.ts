/** `bin/load.mjs`: the compiled code of the bundle is kept, and a start never depends on it. */

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

interface Loaded {
  readonly sum: (one: number, other: number) => number;
  readonly url: string;
  readonly load: (specifier: string) => Promise<{ readonly sep: string }>;
}

type Load = (url: URL, resolve: (specifier: string) => string) => Loaded;

const { loadBundle } = (await import(new URL("../../bin/load.mjs", import.meta.url).href)) as {
  readonly loadBundle: Load;
};

const SOURCE = `(function (exports, require, module, __filename, __dirname, importMeta) {
exports.sum = (one, other) => one + other;
exports.url = importMeta.url;
exports.load = importMeta.load;
})`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runahead-load-"));
  vi.stubEnv("RUNAHEAD_HOME", join(folder, "home"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const kept = (): string[] => {
  try {
    return readdirSync(join(folder, "home/cache")).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
};

function start(id: string, source = SOURCE): Loaded {
  writeFileSync(join(folder, "main.cjs"), source);
  writeFileSync(join(folder, "id"), id);
  return loadBundle(pathToFileURL(join(folder, "main.cjs")), (name) => name);
}

test("the compiled code is kept after the first start, and replaced by that of another version", async () => {
  const first = start("one");
  expect([first.sum(1, 2), first.url]).toEqual([3, pathToFileURL(join(folder, "main.cjs")).href]);
  expect((await first.load("node:path")).sep).toBe("/");
  await expect.poll(kept).toEqual([expect.stringMatching(/-one$/)]);
  expect(start("one").sum(2, 3)).toBe(5);
  start("two", SOURCE.replace("one + other", "one - other"));
  await expect.poll(kept).toEqual([expect.stringMatching(/-two$/)]);
});

test("damaged code is not run, and a home that cannot be written changes nothing", async () => {
  start("one");
  await expect.poll(kept).toHaveLength(1);
  const path = join(folder, "home/cache", kept()[0] ?? "");
  const whole = readFileSync(path);
  const damaged = Buffer.from(whole);
  damaged.fill(7, whole.length - 40);
  writeFileSync(path, damaged);
  expect(start("one").sum(1, 2)).toBe(3);
  await expect.poll(() => readFileSync(path).equals(damaged)).toBe(false);
  vi.stubEnv("RUNAHEAD_HOME", join(folder, "main.cjs"));
  expect(start("one").sum(1, 2)).toBe(3);
});
