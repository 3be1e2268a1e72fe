import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Checkpoints, interruptedNotice } from "./checkpoints.ts";
import type { World } from "./world.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-checkpoints-")));
  mkdirSync(join(root, "project"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (text: string): void => writeFileSync(join(root, "project/a.txt"), text);
const never = new AbortController().signal;

/** The checkpoints of a program that starts now, and what it reports. */
function started() {
  const world: World = {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { PATH: process.env["PATH"] ?? "" },
    print: () => {},
    complain: () => {},
  };
  const notices: string[] = [];
  return {
    world,
    notices,
    checkpoints: new Checkpoints(world, world.cwd, (message) => notices.push(message)),
  };
}

test("after a /rewind that was killed in the middle, the next start says so and can finish or undo it", async () => {
  const first = started();
  put("old");
  const old = (await first.checkpoints.take(never)) ?? "";
  put("new");
  const before = (await first.checkpoints.take(never)) ?? "";
  const [folder = ""] = readdirSync(join(root, "home/.runahead/snapshots"));
  // What a process that is killed during the restore leaves.
  const note = join(root, "home/.runahead/snapshots", folder, "restoring");
  writeFileSync(note, JSON.stringify({ id: old, before }));

  // Without a terminal nobody can use /rewind, and the next start says it again.
  expect(await interruptedNotice(first.world, first.world.cwd, never)).toBe(
    "The last /rewind was interrupted: some files are restored, others are not. Start runahead here without -p and use /rewind to finish or undo it.",
  );
  const next = started();
  await next.checkpoints.warmUp(never);
  expect(next.notices).toEqual([
    "The last /rewind was interrupted: some files are restored, others are not. Use /rewind to finish or undo it.",
  ]);
  expect([next.checkpoints.interrupted, next.checkpoints.undo]).toEqual([old, before]);
  expect(await next.checkpoints.restore(old)).toMatchObject({ type: "restored", notRestored: [] });
  expect(readFileSync(join(root, "project/a.txt"), "utf8")).toBe("old");
  expect(next.checkpoints.interrupted).toBeUndefined();

  const last = started();
  await last.checkpoints.warmUp(never);
  expect([last.notices, last.checkpoints.interrupted]).toEqual([[], undefined]);
  expect(await interruptedNotice(last.world, last.world.cwd, never)).toBeUndefined();
});
