/**
 * The read-only sandbox, with real bubblewrap, under a judge that takes every command for one that only reads: whatever
 * is missing from the tables of commands, nothing is changed, sent or started outside.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import {
  clearScenes,
  hostileCommands,
  makePerson,
  makeScene,
  runHostile,
  watchOutside,
} from "../../test/support/hostile-scene.ts";
import { makeReadingWorld } from "../../test/support/reading-world.ts";
import { nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";

beforeAll(requireBubblewrap, 120_000);
afterEach(async () => {
  await nothingLeft();
  await clearScenes();
});

test("class 10: with a judge that treats every command as a read, nothing is changed, sent, started or revealed", async () => {
  const scene = await makeScene();
  const commands = hostileCommands(scene);
  expect(commands.length).toBeGreaterThan(300);
  const check = watchOutside(scene);
  const texts = await runHostile(scene.world, commands);
  expect(texts.filter((text) => /s3cret-(?:env|file|denied)/.test(text))).toEqual([]);
  check();
}, 300_000);

test("a confined command reads the workspace, moves the working directory, and has its exit code", async () => {
  const { world } = await makeScene();
  expect((await world.bash("cat a.txt && sort <<< 'b\na' && ls .claude")).text).toBe(
    "text\na\nb\nsettings.json",
  );
  expect((await world.bash("cd src/deep")).text).toContain("(The working directory is now ");
  expect(world.cwd).toBe(join(world.root, "src/deep"));
  expect((await world.bash("pwd; exit 7")).text).toBe(`Exit code 7\n${world.cwd}`);
  const written = await world.bash("echo x > made");
  expect(written.text).toMatch(
    /Read-only file system\n\(The sandbox is the likely cause: .* it only reads, so it ran in a read-only sandbox/,
  );
});

test("a confined command that is put in the background is confined too", async () => {
  const { world } = await makeScene();
  await world.bash("touch made; echo tried", { run_in_background: true });
  await expect
    .poll(async () => (await world.call("BashOutput", { bash_id: "bash_1" })).text)
    .toContain("Read-only file system");
  expect(existsSync(join(world.root, "made"))).toBe(false);
});

test("a confined command without a cd cannot change the working directory", async () => {
  const { world } = await makeScene();
  await world.bash("printf '/etc\\n\\0' > /proc/$PPID/fd/10; printf '/etc\\n\\0' >&10; builtin pwd");
  expect(world.cwd).toBe(world.root);
});

test("a confined command does not run if the files to hide cannot be listed", async () => {
  const world = await makeReadingWorld(
    {},
    {
      hidden: () => {
        throw new Error("too many files");
      },
    },
  );
  expect((await world.bash("echo ran")).text).toBe(
    "Error: Not run: cannot list the files that permission rules hide from this command (too many files).",
  );
});

test("a confined command does not run if bubblewrap is missing or no longer starts", async () => {
  const missing = await makeReadingWorld({ sandbox: { program: "/missing/bwrap" } });
  expect((await missing.shell.checkReadConfinement()).type).toBe("unavailable");
  expect((await missing.bash("touch made; echo ran")).text).toMatch(
    /^Error: Not run: .* \/missing\/bwrap is not installed/,
  );
  const { folder } = missing;
  const [program, flag] = [join(folder, "bwrap"), join(folder, "broken")];
  writeFileSync(program, `#!/bin/sh\n[ -e ${flag} ] && { echo 'bwrap: no' >&2; exit 1; }\nexec bwrap "$@"\n`);
  chmodSync(program, 0o755);
  const later = await makeReadingWorld({ sandbox: { program } });
  expect(later.shell.readConfinement()).toEqual({ type: "unknown" });
  expect(await later.shell.checkReadConfinement()).toEqual({ type: "ready" });
  expect((await later.bash("echo fine")).text).toBe("fine");
  writeFileSync(flag, "");
  expect((await later.bash("touch made; echo ran")).text).toBe(
    "Error: Not run: the sandbox could not be started. bwrap: no",
  );
  expect((await later.shell.checkReadConfinement()).type).toBe("unavailable");
  expect(readdirSync(later.root)).toEqual([]);
});

test("a folder of secrets with the workspace in it hides everything but the workspace", async () => {
  const person = makePerson();
  const project = join(person, ".claude/worktrees/project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(person, ".claude/history"), "s3cret-file\n");
  writeFileSync(join(project, "a.txt"), "text\n");
  const world = await makeReadingWorld({ root: project, env: { ...process.env, HOME: person } });
  world.cwd = project;
  const { text } = await world.bash(`cat a.txt; cat ${person}/.claude/history; touch ${person}/.claude/x`);
  expect(text).toContain("text\n");
  expect(text).not.toContain("s3cret");
  expect(text).toContain("Read-only file system");
});
