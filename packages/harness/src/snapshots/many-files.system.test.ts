import { execFileSync } from "node:child_process";
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
import { workspaceSnapshots } from "./snapshots.ts";

const { PATH } = process.env;
let world = "";

beforeEach(() => {
  world = realpathSync(mkdtempSync(join(tmpdir(), "runahead-many-")));
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const log = join(world, "started");
  mkdirSync(join(world, "programs"));
  writeFileSync(log, "");
  const script = `#!/bin/sh\necho git >> '${log}'\nexec '${git}' "$@"\n`;
  writeFileSync(join(world, "programs/git"), script, { mode: 0o755 });
  process.env["PATH"] = `${join(world, "programs")}:${PATH}`;
});
afterEach(() => {
  process.env["PATH"] = PATH;
  rmSync(world, { recursive: true, force: true });
});

/** What the first snapshot of so many files costs, in things that take time on any machine. */
async function costOfFirst(files: number) {
  const workspace = join(world, `workspace-${files}`);
  const folder = join(world, `store-${files}`);
  for (let at = 0; at < files; at++) {
    mkdirSync(join(workspace, `folder-${at % 10}`), { recursive: true });
    writeFileSync(join(workspace, `folder-${at % 10}`, `${at}.txt`), `file ${at}`);
  }
  const started = (): number => readFileSync(join(world, "started"), "utf8").length;
  const before = started();
  expect(await workspaceSnapshots({ workspace, folder }).take()).toMatchObject({ type: "taken" });
  const objects = readdirSync(join(folder, "git/objects"), { recursive: true, encoding: "utf8" });
  const loose = objects.filter((path) => /^[0-9a-f]{2}[\\/]/.test(path)).length;
  return { processes: (started() - before) / "git\n".length, loose };
}

test("the first snapshot of many files starts no more processes and writes no more loose objects", async () => {
  const few = await costOfFirst(600);
  expect(await costOfFirst(2_400)).toEqual(few);
  expect(few.processes).toBeGreaterThan(0);
  // One for each folder, the root, the manifest, and the snapshot itself.
  expect(few.loose).toBeLessThan(20);
});
