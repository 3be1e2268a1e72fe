import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProjectFiles } from "./project-files.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "runahead-files-"));
  for (const folder of ["src/deep", "node_modules/x"]) mkdirSync(join(cwd, folder), { recursive: true });
  for (const name of ["a.txt", "src/b c.ts", "src/deep/d.ts", "node_modules/x/i.js", "secret.log"])
    writeFileSync(join(cwd, name), "");
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const listed = async (): Promise<string[]> => (await new ProjectFiles(cwd).list()).names.toSorted();

test("without git, all files and folders are listed except those of packages", async () => {
  expect(await listed()).toEqual(["a.txt", "secret.log", "src/", "src/b c.ts", "src/deep/", "src/deep/d.ts"]);
});

test("D17: with git, ignored files are not listed, and nothing that its configuration names runs", async () => {
  writeFileSync(join(cwd, ".gitignore"), "*.log\nnode_modules\n");
  execFileSync("git", ["init", "--quiet"], { cwd });
  const hook = join(cwd, "hook.sh");
  writeFileSync(hook, "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
  execFileSync("git", ["config", "core.fsmonitor", hook], { cwd });
  expect(await listed()).toEqual([
    ".gitignore",
    "a.txt",
    "hook.sh",
    "src/",
    "src/b c.ts",
    "src/deep/",
    "src/deep/d.ts",
  ]);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("class 3: files of a repository elsewhere, that the folder names, are not listed", async () => {
  const other = mkdtempSync(join(tmpdir(), "runahead-other-"));
  execFileSync("git", ["init", "--quiet"], { cwd: other });
  writeFileSync(join(other, "private.txt"), "");
  execFileSync("git", ["add", "."], { cwd: other });
  writeFileSync(join(cwd, ".git"), `gitdir: ${other}/.git\n`);
  const names = await listed();
  rmSync(other, { recursive: true });
  expect(names).not.toContain("private.txt");
  expect(names).toContain("a.txt");
});

test("with respectGitignore: false, ignored files are listed too", async () => {
  writeFileSync(join(cwd, ".gitignore"), "*.log\n");
  execFileSync("git", ["init", "--quiet"], { cwd });
  const files = new ProjectFiles(cwd);
  files.respectsGitignore = false;
  expect((await files.list()).names).toContain("secret.log");
});
