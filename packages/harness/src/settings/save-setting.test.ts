import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeRule, saveSetting } from "./save-setting.ts";

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "runahead-save-setting-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const own = (): { home: string; env: Record<string, never> } => ({ home, env: {} });

test("a key is added to a new file, then replaced, and everything else stays as it was", async () => {
  const path = await saveSetting("theme", "light", { home, env: {} });
  expect(path).toBe(join(home, ".runahead", "settings.json"));
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ theme: "light" });
  await writeFile(path, '{\n  "_comment": "mine",\n  "theme": "light",\n  "env": { "A": "1" }\n}\n');
  await saveSetting("theme", "dark", { home, env: {} });
  await saveSetting("editorMode", "vim", { home, env: {} });
  expect(await readFile(path, "utf8")).toBe(
    '{\n  "_comment": "mine",\n  "theme": "dark",\n  "env": { "A": "1" },\n  "editorMode": "vim"\n}\n',
  );
});

test("a broken file is not changed", async () => {
  await mkdir(join(home, ".runahead"));
  const path = join(home, ".runahead", "settings.json");
  await writeFile(path, "{ broken");
  await expect(saveSetting("theme", "dark", { home, env: {} })).rejects.toThrow("invalid JSON");
  expect(await readFile(path, "utf8")).toBe("{ broken");
});

test("a rule is removed with its comma, wherever it is in the list", async () => {
  const path = join(home, "settings.json");
  const cases = [
    ['["a"]', "[]"],
    ['["a", "b"]', '["b"]'],
    ['["b", "a"]', '["b"]'],
    ['[\n  "b",\n  "a",\n  "c"\n]', '[\n  "b",\n  "c"\n]'],
    ['[\n  "a"\n]', "[]"],
  ] as const;
  for (const [before, after] of cases) {
    await writeFile(path, `{ "permissions": { "deny": ["a"], "allow": ${before} } }`);
    expect(await removeRule({ path, behavior: "allow", rule: "a" }, own())).toBe(true);
    expect(await readFile(path, "utf8")).toBe(`{ "permissions": { "deny": ["a"], "allow": ${after} } }`);
  }
  expect(await removeRule({ path, behavior: "ask", rule: "a" }, own())).toBe(false);
});
