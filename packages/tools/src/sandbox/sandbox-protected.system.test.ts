/** Protected places in the sandbox in which commands can write, with real bubblewrap and real git. */

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { namesBelow } from "../../test/support/names-below.ts";
import { makeWorld, nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";
import { type ShellWorld, isThere } from "../../test/support/shell-world.ts";
import { until } from "../../../agent/test/support/until.ts";
import { reapOrphans } from "../shell/background-ledger.ts";
import { StandIns } from "./sandbox-stand-ins.ts";

beforeAll(requireBubblewrap, 120_000);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await nothingLeft();
  for (const clean of cleanups.splice(0)) await clean();
});

function git(folder: string, ...args: string[]): string {
  const as = ["-c", "user.name=me", "-c", "user.email=me@localhost"];
  const { stdout, stderr, status } = spawnSync("git", [...as, ...args], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

async function makeRepository(): Promise<ShellWorld> {
  const world = await makeWorld();
  git(world.root, "init", "-q", "-b", "main");
  writeFileSync(join(world.root, "a.txt"), "1\n");
  git(world.root, "add", ".");
  git(world.root, "commit", "-qm", "first");
  return world;
}

/** Each makes the path into something that is the command's own. */
const MAKERS: readonly ((path: string) => string)[] = [
  (path) => `echo evil > ${path}`,
  (path) => `mkdir -p ${path} && echo evil > ${path}/evil`,
  (path) => `mkdir -p $(dirname ${path}); echo evil > ${path}/settings.json`,
  (path) => `echo evil > made && mv -f made ${path}`,
  (path) => `mkdir -p made.d && echo evil > made.d/evil && mv -T made.d ${path}`,
  (path) => `echo evil > made && ln -f made ${path}`,
  (path) => `ln -sfn /tmp ${path}`,
  (path) => `rm -rf ${path}; mkdir ${path}`,
  (path) => `rmdir ${path}; unlink ${path}; echo evil > ${path}`,
  (path) => `mv ${path} away; echo evil > ${path}`,
  (path) => `echo evil > made && mv --exchange made ${path}`,
  (path) => `umount ${path}; echo evil > ${path}`,
  (path) => `unshare -Urm sh -c 'umount ${path}; echo evil > ${path}'`,
  (path) => `python3 -c 'import os; open("made","w").write("evil"); os.replace("made","${path}")'`,
];

test("class 10: protected places that do not exist cannot be created, and nothing is left in their place", async () => {
  const world = await makeRepository();
  rmSync(join(world.root, ".git/hooks"), { recursive: true });
  rmSync(join(world.root, ".git/info"), { recursive: true });
  const before = namesBelow(world.root);
  const places = [
    ".claude",
    ".claude/settings.json",
    ".runahead",
    ".mcp.json",
    ".npmrc",
    ".envrc",
    ".husky",
    ".vscode",
    ".git/hooks",
    ".git/commondir",
    ".git/config.worktree",
    ".git/info",
    ".git/info/attributes",
    ".git/modules",
    ".git/worktrees",
    ".git/remotes",
  ];
  for (const place of places) {
    const script = MAKERS.map((make) => `(${make(place)})`).join("; ");
    await world.bash(`{ ${script}; } 2>/dev/null; grep -rl evil ${place}; rm -rf made made.d away`);
    expect(namesBelow(world.root), place).toEqual(before);
  }
});

test("class 10: in a folder without a repository, a command cannot create one or move its parents", async () => {
  const world = await makeWorld();
  mkdirSync(join(world.root, "sub"));
  const { text } = await world.bash(
    "git init -q . 2>&1; mkdir .git; echo 'gitdir: /tmp' > .git; mkdir x; mv x .git; mv ../project ../other",
  );
  expect(text).toMatch(/Read-only file system|exists|busy/);
  expect(namesBelow(world.root).map((path) => path.slice(world.root.length + 1))).toEqual(["sub", "x"]);
});

test("class 10: git works in the sandbox, and its configuration and hooks stay as they are", async () => {
  const world = await makeRepository();
  git(world.root, "config", "user.name", "me");
  git(world.root, "config", "user.email", "me@localhost");
  git(world.root, "worktree", "add", "-q", join(world.folder, "linked"));
  const config = readFileSync(join(world.root, ".git/config"), "utf8");
  const worked = await world.bash(
    [
      "set -e",
      "git status --short > status",
      "echo 2 >> a.txt && git add -A && git commit -qm second",
      "git checkout -qb side && echo 3 > b.txt && git add b.txt && git commit -qm third",
      "git checkout -q main && echo 4 > c.txt && git add c.txt && git commit -qm fourth",
      "git merge -q --no-edit side && git rebase -q HEAD~1 2>&1",
      "echo 5 >> a.txt && git stash -q && git stash pop -q && git reset -q --hard",
      "git tag v1 && git branch other && git branch -D other && git gc -q && git reflog expire --all",
      "git cherry-pick -n side~0 || git cherry-pick --abort; git reset -q --hard; git fsck",
      "git log --format=%s -1 && git ls-files",
    ].join("\n"),
  );
  expect(worked.text).toMatch(/fourth|third/);
  expect(worked.isError).toBe(false);
  // What stands in for missing files is not added.
  expect(worked.text).toMatch(/\na\.txt\nb\.txt\nc\.txt\nstatus$/);
  expect(readFileSync(join(world.root, "status"), "utf8")).toBe("?? status\n");
  const tried = await world.bash(
    [
      "git config core.fsmonitor ./evil",
      "git config --worktree core.fsmonitor ./evil",
      "git worktree add ../w2",
      "echo /tmp > .git/worktrees/linked/commondir",
      "echo x > .git/worktrees/linked/gitdir",
      "echo '*.txt filter=x' > .git/info/attributes",
      "echo evil > .git/hooks/pre-commit",
      "git remote add x ext::evil",
      "mv .git g; mv .git/hooks h; rm -rf .git/config",
    ].join("; "),
  );
  expect(tried.isError).toBe(true);
  expect(readFileSync(join(world.root, ".git/config"), "utf8")).toBe(config);
  expect(readdirSync(join(world.root, ".git/info"))).toEqual(["exclude"]);
  expect(existsSync(join(world.root, ".git/hooks/pre-commit"))).toBe(false);
  expect(existsSync(join(world.root, ".git/commondir"))).toBe(false);
  expect(readFileSync(join(world.root, ".git/worktrees/linked/commondir"), "utf8")).toBe("../..\n");
});

test("class 10: a repository that a .git file names inside the workspace is protected as well", async () => {
  const world = await makeWorld();
  git(world.root, "init", "-q", "--separate-git-dir", join(world.root, ".bare"));
  const config = readFileSync(join(world.root, ".bare/config"), "utf8");
  await world.bash(
    "echo evil > .bare/hooks/pre-commit; echo evil >> .bare/config; echo /tmp > .bare/commondir; echo 'gitdir: x' > .git; mv .bare b",
  );
  expect(readFileSync(join(world.root, ".bare/config"), "utf8")).toBe(config);
  expect(existsSync(join(world.root, ".bare/hooks/pre-commit"))).toBe(false);
  expect(existsSync(join(world.root, ".bare/commondir"))).toBe(false);
  expect(readFileSync(join(world.root, ".git"), "utf8")).toContain(".bare");
});

test.each([
  [".claude", "shared/claude"],
  [".claude", "missing"],
  [".claude", "/etc"],
  [".claude", "step"],
  [".claude", "shared/../step"],
  [".mcp.json", "shared/mcp.json"],
  [".git/hooks", "../shared/claude"],
])(
  "class 10: a protected %s that is a link to %s stays that link, and commands run",
  async (name, target) => {
    const world = await makeRepository();
    const at = (...parts: string[]): string => join(world.root, ...parts);
    mkdirSync(at("shared/claude"), { recursive: true });
    writeFileSync(at("shared/mcp.json"), "{}");
    symlinkSync("shared/claude", at("step"));
    rmSync(at(name), { recursive: true, force: true });
    symlinkSync(target, at(name));
    const before = namesBelow(world.root);
    const real = `$(realpath -m ${name})`;
    const attempts = MAKERS.flatMap((make) => [make(name), make(real)]).map((command) => `(${command})`);
    await world.bash([...attempts, "mv shared away; mv .git away", "rm -rf made made.d"].join("\n"));
    await world.bash("ln -sfn /tmp step; mv step other; rm -f step");
    expect(readlinkSync(at(name))).toBe(target);
    if (name !== ".git/hooks") expect(namesBelow(world.root)).toEqual(before);
    if (name !== ".git/hooks") expect(readlinkSync(at("step"))).toBe("shared/claude");
    expect(readFileSync(at("shared/mcp.json"), "utf8")).toBe("{}");
    const { text } = await world.bash("echo 2 > a.txt; mkdir -p shared/x; echo ran; touch new");
    expect(text).toContain("ran");
    expect([readFileSync(at("a.txt"), "utf8"), existsSync(at("shared/x"))]).toEqual(["2\n", true]);
  },
);

test("class 10: if links form a cycle, the command does not run", async () => {
  const world = await makeRepository();
  symlinkSync(".claude", join(world.root, ".claude"));
  expect((await world.bash("touch ran")).text).toBe(
    `Error: Not run: the symbolic links at ${join(world.root, ".claude")} form a cycle, so the sandbox cannot protect it. Remove them.`,
  );
});

test("a missing place that the settings protect cannot be created either", async () => {
  const world = await makeWorld({ sandbox: { readOnly: ["locks/a", "secret.txt"] } });
  await world.bash("mkdir -p locks; echo x > locks/a; echo x > secret.txt; touch fine");
  expect(readdirSync(world.root)).toEqual(["fine"]);
});

test("a writable folder above the workspace has protected places too, and other folders only those that exist", async () => {
  const folder = realpathSync(mkdtempSync("/var/tmp/above-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const [root, cache] = [join(folder, "project"), join(folder, "cache")];
  for (const path of [root, cache, join(cache, ".vscode")]) mkdirSync(path);
  const world = await makeWorld({ root, sandbox: { writable: [folder, cache] } });
  world.cwd = root;
  await world.bash(
    "mkdir ../.claude; echo x > ../.mcp.json; touch ../cache/.npmrc ../cache/.vscode/x ../fine",
  );
  expect(namesBelow(folder).map((path) => path.slice(folder.length + 1))).toEqual([
    "cache",
    "cache/.npmrc",
    "cache/.vscode",
    "fine",
    "project",
  ]);
});

test("placeholders stay while any command of this or another agent needs them", async () => {
  const world = await makeRepository();
  const other = await makeWorld({ root: world.root, home: world.home });
  other.cwd = world.root;
  const place = join(world.root, ".mcp.json");
  await world.bash("touch one; while [ ! -e end ]; do sleep 0.01; done", { run_in_background: true });
  await until(isThere(join(world.root, "one")), "the first runs");
  await other.bash("touch two; while [ ! -e end2 ]; do sleep 0.01; done; echo evil > .mcp.json", {
    run_in_background: true,
  });
  await until(isThere(join(world.root, "two")), "the second runs");
  await world.bash("true");
  expect(existsSync(place)).toBe(true);
  writeFileSync(join(world.root, "end"), "");
  await until(() => world.living().length === 0, "the first has ended");
  expect(existsSync(place)).toBe(true);
  writeFileSync(join(world.root, "end2"), "");
  await until(() => !existsSync(place), "the last has ended");
  expect((await other.call("BashOutput", { bash_id: "bash_1" })).text).toContain("Read-only file system");
});

test("a file that the user puts in place of a placeholder is kept, and placeholders of a killed agent are removed by the next one", async () => {
  const world = await makeWorld();
  const dead = join(world.home, "shells", "999999.1.another-boot.1.some-id");
  const standIns = new StandIns(dead);
  const places = [
    { path: join(world.root, ".npmrc"), text: "" },
    { path: join(world.root, ".mcp.json"), text: "{}\n" },
    { path: join(world.root, ".claude"), text: undefined },
    { path: join(world.root, ".vscode"), text: undefined },
  ];
  standIns.hold(places);
  expect(readdirSync(world.root).toSorted()).toEqual([".claude", ".mcp.json", ".npmrc", ".vscode"]);
  writeFileSync(join(world.root, ".vscode/settings.json"), "{}");
  rmSync(join(world.root, ".npmrc"));
  writeFileSync(join(world.root, ".npmrc"), "registry=mine\n");
  await reapOrphans(world.home);
  expect(readdirSync(world.root).toSorted()).toEqual([".npmrc", ".vscode"]);
});

test("class 10: the environment passes by allow-list, with what the settings add or name", async () => {
  const env = {
    ...process.env,
    PGPASSWORD: "s3cret",
    DATABASE_URL: "postgres://s3cret@h",
    ANTHROPIC_API_KEY: "s3cret",
    npm_config__authToken: "s3cret",
    BASH_ENV: "/tmp/s3cret",
    XDG_RUNTIME_DIR: "/run/s3cret",
    LC_TIME: "C",
    NODE_ENV: "x",
    WANTED: "named",
  };
  const sandboxed = await makeWorld({ env, addedEnv: { ADDED: "added" }, sandbox: { passEnv: ["WANTED"] } });
  const { text } = await sandboxed.bash("env");
  expect(text).not.toContain("s3cret");
  for (const line of ["NODE_ENV=x", "LC_TIME=C", "WANTED=named", "ADDED=added", "HOME=", "PATH="])
    expect(text).toContain(line);
});

test("class 10: outside a sandbox no command gets the keys of models and search services, unless a setting passes them", async () => {
  const keys = {
    ANTHROPIC_API_KEY: "s3cret",
    OPENAI_API_KEY: "s3cret",
    TAVILY_API_KEY: "s3cret",
    AWS_BEARER_TOKEN_BEDROCK: "s3cret",
  };
  const env = { ...process.env, ...keys, PGPASSWORD: "stays" };
  const plain = await makeWorld({ env, sandbox: false });
  const { text } = await plain.bash("env");
  expect(text).not.toContain("s3cret");
  expect(text).toContain("PGPASSWORD=stays");
  const passing = await makeWorld({
    env,
    sandbox: false,
    passEnv: ["OPENAI_API_KEY"],
    addedEnv: { ANTHROPIC_API_KEY: "given" },
  });
  expect((await passing.bash("env | grep API_KEY | sort")).text).toBe(
    "ANTHROPIC_API_KEY=given\nOPENAI_API_KEY=s3cret",
  );
});
