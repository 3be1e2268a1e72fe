import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { NotSaved } from "../settings/error.ts";
import { loadSettings } from "../settings/load.ts";
import { trustIn } from "./trust.ts";

afterEach(removeWorlds);

test("a folder is trusted by the real path of its git root, with everything in it and nothing next to it", async () => {
  const world = await newWorld();
  await mkdir(join(world.project, "deep", "er"), { recursive: true });
  await symlink(world.project, join(world.folder, "link"));
  const trust = trustIn(world.options);
  const asked = ["project", "project/deep/er", "link", "link/deep", "home", "."];
  const answers = () => Promise.all(asked.map((path) => trust.isTrusted(join(world.folder, path))));
  expect(await answers()).toEqual([false, false, false, false, false, false]);
  await trust.trust(join(world.folder, "link", "deep"));
  expect(await answers()).toEqual([true, true, true, true, false, false]);
  expect(JSON.parse(await readFile(trust.path, "utf8"))).toEqual({ trusted: [world.project] });
});

test("a repository or worktree inside of a trusted one is not trusted, whatever its .git file says", async () => {
  const world = await newWorld();
  const trust = trustIn(world.options);
  await trust.trust(world.project);
  await world.write("project/vendor/.git", `gitdir: ${world.project}/.git/worktrees/vendor\n`);
  await mkdir(join(world.project, "other", ".git"), { recursive: true });
  const folders = ["vendor", "other", "plain"].map((name) => join(world.project, name));
  await mkdir(join(world.project, "plain"));
  expect(await Promise.all(folders.map((folder) => trust.isTrusted(folder)))).toEqual([false, false, true]);
});

test("without a git root, trust is for the folder itself", async () => {
  const world = await newWorld();
  await mkdir(join(world.folder, "plain", "inner"), { recursive: true });
  const trust = trustIn(world.options);
  await trust.trust(join(world.folder, "plain"));
  const folders = ["plain", "plain/inner"].map((name) => join(world.folder, name));
  expect(await Promise.all(folders.map((folder) => trust.isTrusted(folder)))).toEqual([true, false]);
});

test("E04: the file is private, and one that others can write to, or that cannot be read, trusts nothing", async () => {
  const world = await newWorld();
  const trust = trustIn(world.options);
  await trust.trust(world.project);
  expect((await stat(trust.path)).mode & 0o777).toBe(0o600);
  const good = await readFile(trust.path, "utf8");
  const changes: [string, () => Promise<void>][] = [
    ["other users can write to it; restrict its permissions", () => chmod(trust.path, 0o666)],
    [
      "invalid JSON at line 1, column 2: expected a property name in double quotes, but the file ends here",
      () => writeFile(trust.path, "{"),
    ],
    ['expected {"trusted": [paths]}', () => writeFile(trust.path, '{"trusted": true}')],
  ];
  for (const [why, change] of changes) {
    await change();
    expect(await trust.isTrusted(world.project)).toBe(false);
    const { isTrusted, problems } = await loadSettings(world.options);
    const message = `${trust.path}: no folder is trusted: ${why}`;
    expect([isTrusted, problems]).toEqual([
      false,
      [{ severity: "error", path: trust.path, key: "", message }],
    ]);
    const before = await readFile(trust.path, "utf8");
    await expect(trust.trust(world.home)).rejects.toThrow(new NotSaved(trust.path, why));
    expect(await readFile(trust.path, "utf8")).toBe(before);
    await chmod(trust.path, 0o600);
    await writeFile(trust.path, good);
  }
  expect(await trust.isTrusted(world.project)).toBe(true);
});
