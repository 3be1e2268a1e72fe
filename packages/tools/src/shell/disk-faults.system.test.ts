/** Faults of the disk under the home folder, with real file systems in bubblewrap. */

import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { makeWorld, nothingLeft } from "../../test/support/shell-world.ts";
import { scriptFor } from "./process-run.ts";
import { SHELL, SHELL_NAME } from "./shell-program.ts";

afterEach(nothingLeft);

const CHILD = fileURLToPath(new URL("../../test/support/shell-child.ts", import.meta.url));

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

/** Runs a task of the child with these mounts. */
function inBox(mounts: readonly string[], task: readonly string[], env = process.env): string {
  const box = ["--dev-bind", "/", "/", ...mounts, "--die-with-parent"];
  return execFileSync("bwrap", [...box, process.execPath, "--import", "tsx", CHILD, ...task], {
    encoding: "utf8",
    env,
    timeout: 60_000,
  });
}

test("with a full disk under the home folder, a command runs or is said not to have run, never both", async () => {
  const { folder } = await makeWorld();
  const home = join(folder, "home-of-child");
  mkdirSync(home);
  const disk = ["--size", String(256 * 1024), "--tmpfs", home];
  const { answers, freed } = JSON.parse(inBox(disk, ["fill", folder, "44"])) as {
    answers: readonly (Answer & { ran: boolean })[];
    freed: Answer;
  };
  for (const { isError, text, ran } of answers) {
    expect({ text, isNotRun: text.startsWith("Error: Not run") }).toEqual({ text, isNotRun: !ran });
    expect(isError).toBe(!ran);
  }
  expect(answers[0]?.ran).toBe(true);
  const last = answers.at(-1);
  expect(last).toMatchObject({ ran: false });
  expect(last?.text).toMatch(/ENOSPC|No space left/);
  expect(last?.text).not.toContain("the shell could not be started");
  expect(freed).toEqual({ isError: false, text: "fine" });
});

test.skipIf(!existsSync("/dev/full"))("a command whose start cannot be recorded does not run", async () => {
  const { root } = await makeWorld();
  const full = openSync("/dev/full", "w");
  try {
    const { status } = spawnSync(SHELL, ["-c", scriptFor(501), SHELL_NAME, "touch ran"], {
      cwd: root,
      stdio: ["ignore", "ignore", "ignore", full],
    });
    expect([status, existsSync(join(root, "ran"))]).toEqual([125, false]);
  } finally {
    closeSync(full);
  }
});

test("with a read-only home folder, commands run and are recorded in the temporary folder", async () => {
  const { folder } = await makeWorld();
  const home = join(folder, "home-of-child");
  const temporary = join(folder, "tmp");
  for (const path of [home, temporary]) mkdirSync(path);
  const env = { ...process.env, TMPDIR: temporary };
  expect(JSON.parse(inBox(["--ro-bind", home, home], ["single", folder], env))).toEqual({
    isError: false,
    text: "fine",
  });
  expect(readdirSync(temporary).filter((name) => name.startsWith("runahead-"))).toHaveLength(1);
});

test("E03: with a disk under the home folder that is full from the start, commands run and can free space", async () => {
  const { folder } = await makeWorld();
  const home = join(folder, "home-of-child");
  const temporary = join(folder, "tmp");
  for (const path of [home, temporary]) mkdirSync(path);
  const env = { ...process.env, TMPDIR: temporary };
  const full = ["--size", "4096", "--tmpfs", home];
  expect(JSON.parse(inBox(full, ["single", folder], env))).toEqual({ isError: false, text: "fine" });
  expect(readdirSync(temporary).filter((name) => name.startsWith("runahead-"))).toHaveLength(1);
});

test("commands run although the home is a file", async () => {
  const world = await makeWorld();
  const { folder } = world;
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const file = join(folder, "file");
  execFileSync("touch", [file]);
  const env = { ...process.env, TMPDIR: temporary };
  const mounts = ["--bind", file, join(folder, "home-of-child")];
  execFileSync("touch", [join(folder, "home-of-child")]);
  expect(JSON.parse(inBox(mounts, ["single", folder], env))).toMatchObject({ isError: false });
});

test("the ids of background jobs go on in a resumed session", async () => {
  const first = await makeWorld();
  expect((await first.bash("true", { run_in_background: true })).text).toContain("as bash_1.");
  expect((await first.bash("true", { run_in_background: true })).text).toContain("as bash_2.");
  const resumed = await makeWorld({ outputFolder: first.outputFolder });
  expect((await resumed.bash("true", { run_in_background: true })).text).toContain("as bash_3.");
  const other = await makeWorld();
  expect((await other.bash("true", { run_in_background: true })).text).toContain("as bash_1.");
  rmSync(join(other.outputFolder, ".last-job"));
  expect((await other.bash("true", { run_in_background: true })).text).toContain("as bash_2.");
  expect(existsSync(join(first.outputFolder, ".last-job"))).toBe(true);
  expect(readFileSync(join(first.outputFolder, ".last-job"), "utf8")).toBe("3\n");
});
