/** Class 10: `.git` in the sandbox that can write, with real bubblewrap and real git. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, test } from "vitest";
import { namesBelow } from "../../test/support/names-below.ts";
import { makeWorld, nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";
import { type ShellWorld, isThere } from "../../test/support/shell-world.ts";
import { until } from "../../../agent/test/support/until.ts";
import { reapOrphans } from "../shell/background-ledger.ts";
import { GitGuard } from "./sandbox-git-guard.ts";
import { isWrittenByGit } from "./sandbox-git-names.ts";
import { removeBelow } from "./sandbox-remove.ts";

beforeAll(requireBubblewrap, 120_000);
afterEach(nothingLeft);

function git(folder: string, ...args: string[]): string {
  const as = ["-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "protocol.file.allow=always"];
  const { stdout, stderr, status } = spawnSync("git", [...as, ...args], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function makeHistory(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q", "-b", "main");
  git(folder, "config", "user.name", "me");
  git(folder, "config", "user.email", "me@localhost");
  writeFileSync(join(folder, "a.txt"), "1\n");
  writeFileSync(join(folder, ".gitignore"), "clones\ntrees\nbare.git\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
}

/** A workspace with every kind of repository in it. */
interface Repositories {
  readonly world: ShellWorld;
  /** Folders of repositories with a working tree, and the trees, relative to the workspace. */
  readonly trees: ReadonlyMap<string, string>;
}

async function makeRepositories(): Promise<Repositories> {
  const world = await makeWorld();
  const { root, folder } = world;
  makeHistory(root);
  makeHistory(join(folder, "library"));
  git(root, "submodule", "--quiet", "add", join(folder, "library"), "libs/one");
  for (const [name, value] of [
    ["user.name", "me"],
    ["user.email", "me@localhost"],
  ] as const)
    git(join(root, "libs/one"), "config", name, value);
  git(root, "commit", "-qam", "submodule");
  git(root, "worktree", "add", "-q", join(root, "trees/side"), "-b", "side");
  makeHistory(join(root, "clones/nested"));
  git(root, "clone", "-q", "--bare", join(folder, "library"), join(root, "bare.git"));
  writeFileSync(join(root, ".git/mine"), "kept\n");
  mkdirSync(join(root, ".git/tool/state"), { recursive: true });
  symlinkSync("HEAD", join(root, ".git/link"));
  return {
    world,
    trees: new Map([
      [".git", "."],
      [".git/modules/libs/one", "libs/one"],
      [".git/worktrees/side", "trees/side"],
      ["clones/nested/.git", "clones/nested"],
    ]),
  };
}

/** Everything in a repository's folder that is not git's to write, with its content. */
function kept(folder: string): string[] {
  const walk = (path: string): string[] => {
    const found = lstatSync(path);
    if (found.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
    if (!found.isDirectory()) return [`${path} ${found.ino} ${readFileSync(path, "utf8")}`];
    const isGit = existsSync(join(path, "HEAD"));
    const names = readdirSync(path).filter((name) => !isGit || !isWrittenByGit(name));
    return [path, ...names.toSorted().flatMap((name) => walk(join(path, name)))];
  };
  return walk(folder);
}

/** Each makes the path into something of the command's own, or takes away what is there. */
const ATTEMPTS: readonly ((path: string) => string)[] = [
  (path) => `echo evil > ${path}`,
  (path) => `echo evil >> ${path}`,
  (path) => `mkdir -p ${path} && echo evil > ${path}/evil`,
  (path) => `echo evil > made && mv -fT made ${path}`,
  (path) => `mkdir -p made.d/x && mv -T made.d ${path}`,
  (path) => `echo evil > made && ln -f made ${path}`,
  (path) => `ln -sfn /tmp ${path}`,
  (path) => `rm -rf ${path}; mkdir ${path}`,
  (path) => `mv -T ${path} away; echo evil > ${path}`,
  (path) => `echo evil > made && mv --exchange made ${path}`,
  (path) => `chmod 777 ${path}; touch -d yesterday ${path}`,
  (path) => `ln ${path} hard && echo evil > hard`,
  (path) => `echo evil > $(dirname ${path})/HEAD.lock && mv -fT $(dirname ${path})/HEAD.lock ${path}`,
  (path) => `unshare -Urm sh -c 'umount ${path}; echo evil > ${path}'`,
];

const UNLISTED = ["config", "hooks", "info", "mine", "tool", "link", "config.d", "gitdir", "HEADS", "x.lock"];

test("class 10: nothing in .git changes, appears or disappears except what git writes", async () => {
  const { world, trees } = await makeRepositories();
  const folders = [...trees.keys()].map((name) => join(world.root, name));
  const files = ["libs/one/.git", "trees/side/.git"].map((name) => join(world.root, name));
  const before = [...folders, ...files].flatMap(kept);
  for (const folder of folders) {
    const attempts = UNLISTED.flatMap((name) =>
      ATTEMPTS.map((attempt) => `(${attempt(join(folder, name))})`),
    );
    await world.bash(`{ ${attempts.join("; ")}; } >/dev/null 2>&1; rm -rf made made.d away hard`);
    expect([...folders, ...files].flatMap(kept), folder).toEqual(before);
  }
  const around = [...files, ...folders, ...folders.flatMap((path) => [`${path}/objects`, `${path}/refs`])];
  const attempts = around.flatMap((path) => [
    `mv -T ${path} ${path}.away`,
    `mv --exchange ${path} a.txt`,
    `rm -d ${path}`,
    `ln -sfnT /tmp ${path}`,
    `echo evil > made && mv -fT made ${path}`,
  ]);
  await world.bash(`{ ${attempts.join("; ")}; } >/dev/null 2>&1; rm -rf made`);
  expect([...folders, ...files].flatMap(kept)).toEqual(before);
  for (const path of around) expect([path, existsSync(path)]).toEqual([path, true]);
});

test("class 10: git's own names are a list, and what git only reads is not on it", () => {
  const written =
    "objects refs logs reftable HEAD HEAD.lock index index.lock packed-refs packed-refs.lock packed-refs.new ORIG_HEAD " +
    "FETCH_HEAD MERGE_HEAD MERGE_MSG MERGE_MODE MERGE_RR MERGE_AUTOSTASH CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD " +
    "rebase-merge rebase-apply sequencer BISECT_LOG BISECT_ANCESTORS_OK COMMIT_EDITMSG TAG_EDITMSG SQUASH_MSG AUTO_MERGE " +
    "NOTES_MERGE_WORKTREE shallow shallow.lock gc.pid gc.log sharedindex.0a1b next-index-12.lock index.stash.12";
  expect(written.split(" ").filter((name) => !isWrittenByGit(name))).toEqual([]);
  const others =
    "config config.lock config.worktree commondir gitdir hooks info modules worktrees branches remotes description " +
    "locked svn git-p4 annex HEADS head Index indexes objects2 refs.d logs.bak .lock x.lock x_HEAD hooks.lock";
  expect(others.split(" ").filter(isWrittenByGit)).toEqual([]);
});

test("class 10: what is removed and restored is reported", async () => {
  const { world } = await makeRepositories();
  const { text } = await world.bash("echo x > .git/unknown; ln -sfn /tmp .git/link; rm .git/HEAD; echo done");
  const at = (name: string): string => join(world.root, ".git", name);
  expect(text).toBe(
    "done\n" +
      `(Removed ${at("link")}, ${at("unknown")}: in a .git folder, commands can create only files that git itself writes.)\n` +
      `(Restored ${at("link")}, ${at("HEAD")}: git needs it or does not write it itself.)`,
  );
  expect(readlinkSync(at("link"))).toBe("HEAD");
  expect(readFileSync(at("HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
});

test("class 10: a bare repository in the workspace keeps its settings, and the workspace cannot become one", async () => {
  const { world } = await makeRepositories();
  const settings = readFileSync(join(world.root, "bare.git/config"), "utf8");
  const { text } = await world.bash(
    [
      "echo evil >> bare.git/config; echo evil > bare.git/hooks/update; echo /tmp > bare.git/commondir",
      "rm -rf .git/HEAD .git/objects .git/refs; mkdir -p objects refs; echo 'ref: refs/heads/main' > HEAD",
      "printf '[core]\\nfsmonitor = touch evil\\n' > config; git status",
    ].join("; "),
  );
  expect(text).not.toContain("On branch");
  expect(readFileSync(join(world.root, "bare.git/config"), "utf8")).toBe(settings);
  expect(existsSync(join(world.root, "bare.git/hooks/update"))).toBe(false);
  expect(existsSync(join(world.root, "bare.git/commondir"))).toBe(false);
  expect(git(world.root, "rev-parse", "--absolute-git-dir").trim()).toBe(join(world.root, ".git"));
  expect(existsSync(join(world.root, "evil"))).toBe(false);
});

/** What people and models do with git every day. */
const EVERYDAY = [
  "echo 2 >> a.txt && git add -A && git commit -qm second && git commit -q --amend -m better",
  "git branch topic$N && git switch -q topic$N && echo 3 > b.txt && git add b.txt && git commit -qm third",
  "git switch -q - && echo 4 > b.txt && git add b.txt && git commit -qm fourth",
  "! git merge -q topic$N && echo 5 > b.txt && git add b.txt && git commit -qm merged",
  "git reset -q --hard HEAD~1 && ! git merge topic$N && git merge --abort",
  "GIT_SEQUENCE_EDITOR='sed -i s/pick/reword/' GIT_EDITOR=true git rebase -q -i HEAD~1",
  "! git rebase -q topic$N && echo 6 > b.txt && git add b.txt && GIT_EDITOR=true git rebase --continue",
  "! git cherry-pick topic$N && git cherry-pick --abort; git revert --no-edit HEAD",
  "echo 7 >> a.txt && git stash -q && git stash pop -q && git checkout -q -- a.txt",
  "git tag v1$N && git tag -a v2$N -m two && git notes add -f -m note",
  "git branch -q -D topic$N",
  "git format-patch -q -1 --stdout > /tmp/p.patch && git reset -q --hard HEAD~1 && git am -q /tmp/p.patch",
  "! git am -q /tmp/p.patch && git am --abort",
  "git bisect start HEAD HEAD~1 && git bisect reset",
  "git fetch -q . HEAD:refs/heads/fetched$N && git fetch -q $LIBRARY main",
  "git update-index --split-index && git commit -qm split --allow-empty && git update-index --no-split-index",
  "git gc -q && git reflog expire --all && git pack-refs --all && git fsck",
  "git rm -q b.txt && git commit -qm removed && git status --short",
].map((line) => `{ ${line}; } >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }`);

test("class 10: everyday git works, in repositories, submodules, linked worktrees and clones", async () => {
  const { world, trees } = await makeRepositories();
  const before = [...trees.keys()].flatMap((name) => kept(join(world.root, name)));
  for (const [folder, tree] of trees) {
    const variables = `N=${tree.length}; LIBRARY=${world.root}/bare.git`;
    const { text } = await world.bash(["set -x", variables, `cd ${tree}`, ...EVERYDAY, "cd -"].join("\n"));
    expect([tree, text]).toEqual([tree, expect.not.stringMatching(/Exit code|Removed|Restored/)]);
    expect(git(join(world.root, tree), "log", "-1", "--format=%s")).toBe("removed\n");
    expect([folder, readdirSync(join(world.root, folder)).filter((name) => !isWrittenByGit(name))]).toEqual([
      folder,
      expect.not.arrayContaining(["config.lock", "unknown"]),
    ]);
  }
  expect([...trees.keys()].flatMap((name) => kept(join(world.root, name)))).toEqual(before);
});

test("class 10: what a killed agent's command left in .git is removed by the next agent", async () => {
  const { world } = await makeRepositories();
  const at = (name: string): string => join(world.root, ".git", name);
  const before = kept(at(""));
  const guard = new GitGuard(join(world.home, "shells", "999999.1.another-boot.1.some-id"));
  guard.hold([{ path: at(""), isStrict: true }]);
  writeFileSync(at("unknown"), "evil");
  symlinkSync("/tmp", at("logs/planted"));
  renameSync(at("HEAD"), at("HEADS"));
  writeFileSync(at("objects/info/alternates"), "/tmp\n");
  await reapOrphans(world.home);
  expect(kept(at(""))).toEqual(before);
  expect(existsSync(at("logs/planted"))).toBe(false);
  expect(existsSync(at("objects/info/alternates"))).toBe(false);
  expect(readFileSync(at("HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
});

test("class 10: after kill -9 of the agent nothing stays in .git and in the workspace, once the next one starts", async () => {
  const { world } = await makeRepositories();
  const whole = (): string[] => namesBelow(world.root).map((path) => path.slice(world.root.length + 1));
  const before = whole();
  const script = fileURLToPath(new URL("../../test/support/shell-child.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, "spoil", world.folder, "sandboxed"], {
    env: { ...process.env, RUNAHEAD_TEST_WORLD: world.folder },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await until(isThere(join(world.root, "ready")), "the command has run");
  child.kill("SIGKILL");
  await ended;
  expect(whole()).toEqual(expect.arrayContaining([".mcp.json", ".git/unknown", ".git/logs/planted"]));
  await reapOrphans(join(world.folder, "home-of-child"));
  expect(whole()).toEqual([...before, "ready"].toSorted());
  expect(git(world.root, "status", "--short")).toBe("?? ready\n");
});

test("class 10: parallel jobs do not make each other's names known to git", async () => {
  const { world } = await makeRepositories();
  await world.bash("echo x > .git/first; touch started; while [ ! -e end ]; do sleep 0.01; done", {
    run_in_background: true,
  });
  await until(isThere(join(world.root, "started")), "the job runs");
  await world.bash("true");
  expect(existsSync(join(world.root, ".git/first"))).toBe(false);
  await world.bash("echo x > .git/second; touch end");
  await until(() => world.living().length === 0, "the job has ended");
  expect(existsSync(join(world.root, ".git/second"))).toBe(false);
});

test("class 10: files that a running command creates are never mounted for the next one, because they could become links", async () => {
  const { world } = await makeRepositories();
  const made = ["evil/.git/objects", "evil/.git/refs", ".git/unknown", ".git/worktrees/side/objects"];
  await world.bash(
    `mkdir -p ${made.join(" ")}; touch evil/.git/HEAD started; while [ ! -e end ]; do sleep 0.01; done`,
    { run_in_background: true },
  );
  await until(isThere(join(world.root, "started")), "the job runs");
  await world.bash("cut -d' ' -f5 /proc/self/mountinfo > mounts; touch end");
  const mounts = readFileSync(join(world.root, "mounts"), "utf8");
  expect(mounts).toContain(join(world.root, ".git/worktrees/side\n"));
  expect(mounts).not.toMatch(/evil|unknown|side\/objects/);
  await until(() => world.living().length === 0, "the job has ended");
});

test("class 10: files that a running command creates next to the workspace are not mounted either", async () => {
  const { root, folder } = await makeWorld();
  const beside = join(folder, "beside");
  mkdirSync(join(beside, ".idea"), { recursive: true });
  const world = await makeWorld({ root, sandbox: { writable: [beside], hidden: ["deep/er/key"] } });
  world.cwd = root;
  await world.bash(
    `mkdir -p ${beside}/.git/objects ${beside}/.vscode deep/er; echo x > deep/er/key; touch started; ` +
      "while [ ! -e end ]; do sleep 0.01; done",
    { run_in_background: true },
  );
  await until(isThere(join(root, "started")), "the job runs");
  await world.bash("cut -d' ' -f5 /proc/self/mountinfo > mounts; cat deep/er/key > shown; touch end");
  const mounts = readFileSync(join(root, "mounts"), "utf8").split("\n");
  expect(mounts).toContain(join(beside, ".idea"));
  for (const name of [".git", ".vscode"]) expect(mounts).not.toContain(join(beside, name));
  for (const name of ["deep", "deep/er"]) expect(mounts).not.toContain(join(root, name));
  expect(readFileSync(join(root, "shown"), "utf8")).toBe("");
  await until(() => world.living().length === 0, "the job has ended");
});

test("class 10: git cannot be led into a submodule that is not checked out, nor into one in a protected folder", async () => {
  const { root } = await makeWorld();
  for (const name of [".", "vendor/one", ".claude/two"]) makeHistory(join(root, name));
  writeFileSync(join(root, ".gitmodules"), '[submodule "empty"]\n\tpath = libs/empty\n\turl = /x\n');
  mkdirSync(join(root, "libs/empty"), { recursive: true });
  const world = await makeWorld({ root, sandbox: { readOnly: ["vendor"] } });
  world.cwd = root;
  const before = ["vendor", ".claude", "libs"].flatMap((name) => namesBelow(join(root, name)));
  const { text } = await world.bash(
    "git init -q libs/empty; mv libs away; mv libs/empty away; echo 'gitdir: /x' > libs/empty/.git; " +
      "touch vendor/one/.git/index.lock .claude/two/.git/objects/x; echo ran",
  );
  expect(text).toContain("ran");
  expect(["vendor", ".claude", "libs"].flatMap((name) => namesBelow(join(root, name)))).toEqual(before);
});

test("class 10: a protected file that is replaced from outside while a command runs is reported", async () => {
  const { world } = await makeRepositories();
  const config = join(world.root, ".git/config");
  const call = world.bash("touch started; while [ ! -e end ]; do sleep 0.01; done");
  await until(isThere(join(world.root, "started")), "the command runs");
  git(world.root, "config", "user.name", "other");
  writeFileSync(join(world.root, "end"), "");
  expect((await call).text).toContain(
    `(A program outside the sandbox replaced ${config} while this command ran.`,
  );
});

test("class 10: what is deleted is never reached through a link", async () => {
  const { root } = await makeWorld();
  for (const name of ["git/real", "outside"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "outside/file"), "mine");
  symlinkSync(join(root, "outside"), join(root, "git/swapped"));
  symlinkSync("/tmp", join(root, "git/real/file"));
  expect(removeBelow(join(root, "git"), join(root, "git/swapped/file"))).toBe(false);
  expect(removeBelow(join(root, "git"), join(root, "git/real/file"))).toBe(true);
  expect(readFileSync(join(root, "outside/file"), "utf8")).toBe("mine");
  expect(removeBelow(join(root, "git"), join(root, "git/swapped"))).toBe(true);
  expect(existsSync(join(root, "outside/file"))).toBe(true);
});
