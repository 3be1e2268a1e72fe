import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";

const PROGRAM = inject("program");
const STACK = /\n\s+at /;

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "runahead-faults-")));
  mkdirSync(join(folder, "project"));
  mkdirSync(join(folder, "home"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(
  args: string,
  { home = "home", env = {} }: { home?: string; env?: Record<string, string> } = {},
) {
  return spawnSync("bash", ["-c", `exec "$0" "$1" ${args}`, process.execPath, PROGRAM], {
    cwd: join(folder, "project"),
    encoding: "utf8",
    timeout: 60_000,
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, home),
      ANTHROPIC_API_KEY: "key",
      // A port that cannot be used, so that the request fails at once.
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      ...env,
    },
  });
}

test.skipIf(!existsSync("/dev/full"))("standard output on a full disk is one line and an error code", () => {
  for (const args of [
    "settings",
    "-p hi --output-format stream-json --verbose",
    "-p hi --output-format json",
  ]) {
    const { status, stderr } = run(`${args} > /dev/full < /dev/null`);
    const lines = stderr.split("\n").filter((line) => line.includes("standard output"));
    expect([args, lines, STACK.test(stderr), status === 0]).toEqual([
      args,
      ["runahead: cannot write to standard output: ENOSPC: no space left on device, write"],
      false,
      false,
    ]);
    expect(stderr.length).toBeLessThan(1_000);
  }
});

test("a home folder that is a file is reported, and the program ends in order", () => {
  writeFileSync(join(folder, "file"), "");
  for (const options of [{ home: "file" }, { env: { RUNAHEAD_HOME: join(folder, "file") } }]) {
    const { status, stderr } = run("-p hi < /dev/null", options);
    expect(stderr).toContain("This session is not being saved");
    expect([STACK.test(stderr), status]).toEqual([false, 5]);
  }
});
