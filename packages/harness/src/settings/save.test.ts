import { chmod, mkdir, readFile, readdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { NotSaved } from "./error.ts";
import { loadSettings } from "./load.ts";
import { saveRule } from "./save.ts";

afterEach(removeWorlds);

const LOCAL = "project/.runahead/settings.local.json";

/** What a file with this text becomes when a rule is added. */
async function saved(text: string, rule = "Bash(x)"): Promise<string> {
  const world = await newWorld();
  const path = await world.write(LOCAL, text);
  await saveRule({ level: "local", behavior: "allow", rule, cwd: world.project });
  return readFile(path, "utf8");
}

test("a rule is saved to the local settings at the git root, which are created if needed, and then applies", async () => {
  const world = await newWorld();
  const cwd = join(world.project, "packages", "a");
  await mkdir(cwd, { recursive: true });
  const path = join(world.folder, LOCAL);
  const rule = 'Bash(echo "a\\b" *)';
  expect(await saveRule({ level: "local", behavior: "allow", rule, cwd })).toEqual({ path, isNew: true });
  expect(await saveRule({ level: "local", behavior: "allow", rule, cwd })).toEqual({ path, isNew: false });
  expect(await saveRule({ level: "local", behavior: "deny", rule: "WebFetch", cwd })).toEqual({
    path,
    isNew: true,
  });
  expect(await readFile(path, "utf8")).toBe(
    `${JSON.stringify({ permissions: { allow: [rule], deny: ["WebFetch"] } }, undefined, 2)}\n`,
  );
  const { sources } = await loadSettings({ ...world.options, cwd, isTrusted: true });
  expect(sources.map(({ allow, deny }) => [allow, deny])).toEqual([[[rule], ["WebFetch"]]]);
  expect(await readdir(join(world.project, ".runahead"))).toEqual(["settings.local.json"]);
  expect(await readFile(join(world.project, ".git", "info", "exclude"), "utf8")).toBe(
    "/.runahead/settings.local.json\n",
  );
});

test("what Runahead saved itself needs no trust, until somebody else changes the file", async () => {
  const world = await newWorld();
  const own = world.options;
  const save = (rule: string) =>
    saveRule({ level: "local", behavior: "allow", rule, cwd: world.project, own });
  const allowed = async () =>
    (await loadSettings(world.options)).sources
      .filter(({ trusted }) => trusted)
      .flatMap(({ allow }) => allow);
  await save("Bash(one)");
  await save("Bash(two)");
  expect((await loadSettings(world.options)).isTrusted).toBe(false);
  expect(await allowed()).toEqual(["Bash(one)", "Bash(two)"]);
  const path = join(world.folder, LOCAL);
  await writeFile(path, (await readFile(path, "utf8")).replace("Bash(one)", "Bash(curl *)"));
  expect(await allowed()).toEqual([]);
  // A rule that is added to a file of others does not vouch for the rest of it.
  await save("Bash(three)");
  expect(await allowed()).toEqual([]);
});

test("a file that others can write to vouches for nothing", async () => {
  const world = await newWorld();
  const own = world.options;
  await saveRule({ level: "local", behavior: "allow", rule: "Bash(one)", cwd: world.project, own });
  await chmod(join(world.home, ".runahead", "own-files.json"), 0o666);
  expect(
    (await loadSettings(world.options)).sources
      .filter(({ trusted }) => trusted)
      .flatMap(({ allow }) => allow),
  ).toEqual([]);
});

test("a link or a file in the place of .git is not written through", async () => {
  const world = await newWorld();
  const elsewhere = join(world.folder, "elsewhere");
  await mkdir(elsewhere);
  await mkdir(join(world.project, ".git"), { recursive: true });
  await symlink(elsewhere, join(world.project, ".git", "info"));
  await saveRule({ level: "local", behavior: "allow", rule: "Bash(one)", cwd: world.project });
  expect(await readdir(elsewhere)).toEqual([]);
});

test("the rest of the file does not change: order, layout, unknown keys, numbers", async () => {
  const cases: [string, string][] = [
    ["{}", '{\n  "permissions": {\n    "allow": [\n      "Bash(x)"\n    ]\n  }\n}'],
    [
      '{"z": 1.0, "2": 1e400, "1": 0}',
      '{"z": 1.0, "2": 1e400, "1": 0, "permissions": {"allow":["Bash(x)"]}}',
    ],
    ['{"permissions":{"allow":["a"]}}\n', '{"permissions":{"allow":["a", "Bash(x)"]}}\n'],
    [
      '{\n\t"b": 12345678901234567890,\n\t"permissions": {\n\t\t"deny": []\n\t},\n\t"a": {}\n}\n',
      '{\n\t"b": 12345678901234567890,\n\t"permissions": {\n\t\t"deny": [],\n\t\t"allow": [\n\t\t\t"Bash(x)"\n\t\t]\n\t},\n\t"a": {}\n}\n',
    ],
    [
      '{\n    "permissions": {\n        "allow": []\n    }\n}',
      '{\n    "permissions": {\n        "allow": [\n            "Bash(x)"\n        ]\n    }\n}',
    ],
    [
      '\uFEFF{\r\n  "permissions": {\r\n    "allow": [\r\n      "a"\r\n    ]\r\n  }\r\n}',
      '\uFEFF{\r\n  "permissions": {\r\n    "allow": [\r\n      "a",\r\n      "Bash(x)"\r\n    ]\r\n  }\r\n}',
    ],
  ];
  const found = [];
  for (const [text] of cases) found.push(await saved(text));
  expect(found).toEqual(cases.map(([, text]) => text));
});

test("the content of the file keeps its meaning, whatever its layout", async () => {
  const value = { a: [1, { b: null }], permissions: { ask: ["q"], allow: ["1", "2"], other: {} }, z: "ü" };
  for (const layout of [undefined, 0, 1, 2, 4, "\t"]) {
    const next = JSON.parse(await saved(JSON.stringify(value, undefined, layout), "3")) as unknown;
    expect(next).toEqual({ ...value, permissions: { ...value.permissions, allow: ["1", "2", "3"] } });
  }
});

test("a file that cannot be parsed, or has another value there, is not changed", async () => {
  const cases: [string, string][] = [
    ["", "invalid JSON at line 1, column 1: expected a value, but the file ends here"],
    ['{"permissions": {},}', "invalid JSON at line 1, column 19: trailing comma"],
    ["[]", "expected an object, { … }"],
    ['{"permissions": []}', "permissions: expected an object"],
    ['{"permissions": {"allow": "a"}}', "permissions.allow: expected an array"],
  ];
  for (const [text, why] of cases) {
    const world = await newWorld();
    const path = await world.write(LOCAL, text);
    const save = saveRule({ level: "local", behavior: "allow", rule: "Bash(x)", cwd: world.project });
    await expect(save).rejects.toThrow(new NotSaved(path, why));
    expect([await readFile(path, "utf8"), await readdir(join(path, ".."))]).toEqual([
      text,
      ["settings.local.json"],
    ]);
  }
  const world = await newWorld();
  const save = saveRule({ level: "local", behavior: "allow", rule: " ", cwd: world.project });
  await expect(save).rejects.toThrow("a rule must have 1 to 20000 characters");
});

test("a link inside the project is followed, and a repository cannot redirect the write elsewhere", async () => {
  const world = await newWorld();
  const save = () => saveRule({ level: "local", behavior: "allow", rule: "Bash(x)", cwd: world.project });
  const inside = await world.write("project/config/local.json", {});
  await mkdir(join(world.project, ".runahead"));
  await symlink(inside, join(world.folder, LOCAL));
  expect(await save()).toEqual({ path: inside, isNew: true });
  const outside = await world.write("home/.claude/settings.json", "{}");
  await rename(join(world.folder, LOCAL), join(world.folder, "old"));
  await symlink(outside, join(world.folder, LOCAL));
  await expect(save()).rejects.toThrow("a symbolic link points outside the project");
  await rename(join(world.project, ".runahead"), join(world.folder, "older"));
  await symlink(join(world.home, ".claude"), join(world.project, ".runahead"));
  await expect(save()).rejects.toThrow("a symbolic link points outside the project");
  expect([await readFile(outside, "utf8"), await readdir(join(world.home, ".claude"))]).toEqual([
    "{}",
    ["settings.json"],
  ]);
});

test("a file keeps its mode", async () => {
  const world = await newWorld();
  const path = await world.write(LOCAL, "{}");
  await chmod(path, 0o640);
  await saveRule({ level: "local", behavior: "allow", rule: "Bash(x)", cwd: world.project });
  expect((await stat(path)).mode & 0o777).toBe(0o640);
});
