/** Commands of sub-agents that work in git worktrees, which are in the hidden folder of the agent. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { clearScenes, makePerson } from "../../test/support/hostile-scene.ts";
import { makeReadingWorld } from "../../test/support/reading-world.ts";
import { makeWorld, nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";

beforeAll(requireBubblewrap, 120_000);
afterEach(async () => {
  await nothingLeft();
  await clearScenes();
});

/** Outside of `/tmp`, which the sandbox replaces: a repository, and a session's folder with a worktree in it. */
function makePlaces() {
  const person = makePerson();
  const home = join(person, ".runahead");
  const root = join(person, "project");
  const outputFolder = join(home, "projects/p/s");
  const worktree = join(outputFolder, "worktrees/agent-1");
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...words], { cwd: root });
  mkdirSync(root);
  mkdirSync(outputFolder, { recursive: true });
  git("init", "-q", "-b", "main");
  writeFileSync(join(root, "a.txt"), "main\n");
  writeFileSync(join(root, "denied"), "s3cret-denied\n");
  git("add", ".");
  git("commit", "-qm", "first");
  git("worktree", "add", "-q", worktree);
  writeFileSync(join(home, "token"), "s3cret-token\n");
  writeFileSync(join(outputFolder, "1.out"), "output\n");
  const env = { ...process.env, HOME: person };
  const worktrees = (): string[] => (existsSync(worktree) ? [worktree] : []);
  return { options: { root, home, outputFolder, env, worktrees }, root, home, outputFolder, worktree };
}

test("a command in a worktree writes there, and neither to the workspace nor to another worktree", async () => {
  const { options, root, home, outputFolder, worktree } = makePlaces();
  const other = join(outputFolder, "worktrees/agent-2");
  mkdirSync(other);
  const world = await makeWorld(options);
  world.cwd = worktree;
  const { text } = await world.bash(
    `cat a.txt ${outputFolder}/1.out; echo new > b.txt; git status --short; ` +
      `echo x > ${root}/x; echo x > ${other}/x; echo x > ${outputFolder}/x; echo x > .git; cat ${home}/token`,
  );
  expect(text).toContain("main\noutput\n?? b.txt");
  expect(text.match(/Read-only file system|No such file or directory/g)).toHaveLength(5);
  expect(text).not.toContain("s3cret");
  expect(readFileSync(join(worktree, "b.txt"), "utf8")).toBe("new\n");
  expect([join(root, "x"), join(other, "x"), join(outputFolder, "x")].filter(existsSync)).toEqual([]);
});

test("a command in the workspace cannot write to a worktree", async () => {
  const { options, root, worktree } = makePlaces();
  const world = await makeWorld(options);
  world.cwd = root;
  expect((await world.bash(`cat ${worktree}/a.txt; echo x > ${worktree}/x; echo y > y`)).text).toContain(
    "main\n",
  );
  expect([existsSync(join(worktree, "x")), existsSync(join(root, "y"))]).toEqual([false, true]);
});

test("a command that only reads runs in a worktree, and files that rules hide stay hidden there", async () => {
  const { options, root, home, worktree } = makePlaces();
  const hidden = [join(root, "denied"), join(worktree, "denied")];
  const world = await makeReadingWorld(options, { hidden: () => hidden });
  for (const cwd of [worktree, root]) {
    world.cwd = cwd;
    const { text } = await world.bash(
      `cat a.txt; cat denied; cat ${worktree}/denied ${root}/denied ${home}/token; git log --format=%s; touch x`,
    );
    expect(text).toMatch(/main\n[^]*first\n/);
    expect(text).toContain("Read-only file system");
    expect(text).not.toContain("s3cret");
  }
});

test("a command whose folder in the worktree is gone continues in the worktree, not in the workspace", async () => {
  const { options, worktree } = makePlaces();
  const world = await makeWorld(options);
  world.cwd = join(worktree, "sub");
  mkdirSync(world.cwd);
  rmSync(world.cwd, { recursive: true });
  expect((await world.bash("pwd")).text).toContain(`it was reset to ${worktree}`);
  expect(world.cwd).toBe(worktree);
});
