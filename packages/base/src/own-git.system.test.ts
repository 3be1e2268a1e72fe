import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeHostileRepository } from "../test/support/hostile-repository.ts";
import { workspaceSnapshots } from "../../harness/src/snapshots/snapshots.ts";
import { findGit, ownGit } from "./own-git.ts";

let folder = "";
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), "own-git-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The output of our git in a folder; undefined if it does not look there. */
async function said(cwd: string, ...args: string[]): Promise<string | undefined> {
  const git = await ownGit(cwd, process.env);
  if (git === undefined) return undefined;
  const { program, options, env } = git;
  return execFileSync(program, [...options, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
}

test("class 3: the repository of the test would run programs, without our git", () => {
  const { root, hasRun } = makeHostileRepository(join(folder, "hostile"));
  spawnSync("git", ["status"], { cwd: root, stdio: "ignore" });
  expect(hasRun()).toBe(true);
});

test("class 3: our git runs nothing that a repository names", async () => {
  const { root, hasRun } = makeHostileRepository(join(folder, "hostile"));
  const files = await said(root, "ls-files", "--cached", "--others", "--exclude-standard");
  expect(files).toBe(".gitattributes\na.txt\nsub/b.txt\n");
  expect(await said(join(root, "sub"), "ls-files")).toBe("b.txt\n");
  await said(root, "rev-parse", "HEAD");
  await said(root, "log", "--oneline", "-1");
  expect(hasRun()).toBe(false);
});

test("class 3: a snapshot of a hostile repository, and going back to it, run nothing", async () => {
  const { root, hasRun } = makeHostileRepository(join(folder, "hostile"));
  const snapshots = workspaceSnapshots({ workspace: root, folder: join(folder, "store") });
  const taken = await snapshots.take();
  if (taken.type !== "taken") throw new Error(taken.type);
  writeFileSync(join(root, "a.txt"), "later\n");
  await snapshots.changes(taken.id);
  await snapshots.restore(taken.id);
  expect(hasRun()).toBe(false);
});

test("class 3: a repository elsewhere is looked at only if it knows of the folder", async () => {
  const other = join(folder, "other");
  mkdirSync(other);
  execFileSync("git", ["init", "-q"], { cwd: other });
  writeFileSync(join(other, "private.txt"), "");
  execFileSync("git", ["add", "."], { cwd: other });
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
      cwd: other,
      stdio: "ignore",
    });
  git("commit", "-qm", "first");

  const byFile = join(folder, "by-file");
  mkdirSync(byFile);
  writeFileSync(join(byFile, ".git"), `gitdir: ${other}/.git\n`);
  expect(await said(byFile, "ls-files")).toBeUndefined();

  const byLink = join(folder, "by-link");
  mkdirSync(byLink);
  symlinkSync(join(other, ".git"), join(byLink, ".git"));
  expect(await said(byLink, "ls-files")).toBeUndefined();

  const byCommon = join(folder, "by-common");
  mkdirSync(join(byCommon, ".git"), { recursive: true });
  writeFileSync(join(byCommon, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(byCommon, ".git/commondir"), `${other}/.git\n`);
  expect(await said(byCommon, "ls-files")).toBeUndefined();

  const byTree = join(folder, "by-tree");
  mkdirSync(byTree);
  execFileSync("git", ["init", "-q"], { cwd: byTree });
  writeFileSync(join(byTree, "mine.txt"), "");
  execFileSync("git", ["config", "core.worktree", other], { cwd: byTree });
  expect(await said(byTree, "ls-files", "--others")).toBe("mine.txt\n");

  git("worktree", "add", "-q", join(folder, "linked"));
  expect(await said(join(folder, "linked"), "ls-files")).toBe("private.txt\n");
});

test("class 3: a git program in the workspace is not used", async () => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), "#!/bin/sh\n", { mode: 0o755 });
  expect(findGit(folder, `${bin}:.:${process.env["PATH"]}`)).not.toContain(folder);
  expect(existsSync(join(bin, "git"))).toBe(true);
});
