/** Questions that an earlier process deferred, in the terminal. */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { DEFERRING } from "../support/parked.ts";
import { programs } from "./programs.ts";
import { newFolder } from "./terminal.ts";

const run = promisify(execFile);
const tested = programs();

/** A folder with a session in which a call to Write waits for an answer, because a hook deferred it. */
async function parked(): Promise<string> {
  const folder = newFolder();
  const process_ = run(process.execPath, [inject("program"), "-p", "write", "--settings", DEFERRING], {
    cwd: join(folder, "project"),
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: tested.model.url,
    },
  });
  process_.child.stdin?.end();
  (await tested.model.asked()).calls(["Write", { file_path: "later.txt", content: "once" }]);
  await process_;
  return folder;
}

const made = (folder: string): boolean => existsSync(join(folder, "project/later.txt"));

test("--continue shows the question of an ended process, again after a kill, and it is answered once", async () => {
  const folder = await parked();
  const first = tested.start({ folder, args: ["--continue"] });
  expect(await first.sees("Permission")).toContain("later.txt");
  // Nobody has answered: the process dies, and the question is still there.
  await first.end();
  expect([made(folder), tested.model.requests.length]).toEqual([false, 1]);

  const second = tested.start({ folder, args: ["--continue"] });
  await second.answers("y");
  (await tested.model.asked()).says("Written.");
  await second.sees("Written.");
  expect(readFileSync(join(folder, "project/later.txt"), "utf8")).toBe("once");
  await second.end();

  const third = tested.start({ folder, args: ["--continue"] });
  await third.sees("Resumed after");
  expect(await third.idle()).not.toContain("Permission");
  expect(tested.model.requests).toHaveLength(2);
});

test("--continue applies rules that have changed since: a denied call is not asked about and does not run", async () => {
  const folder = await parked();
  const settings = JSON.stringify({ permissions: { deny: ["Write"] } });
  const program = tested.start({ folder, args: ["--continue", "--settings", settings] });
  (await tested.model.asked()).says("It is denied.");
  expect(await program.sees("It is denied.")).not.toContain("Permission");
  expect(made(folder)).toBe(false);
  expect(tested.model.requests[1]).toContain("tool_result");
});
