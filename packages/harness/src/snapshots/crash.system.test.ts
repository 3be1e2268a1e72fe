import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
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
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markedProcesses } from "../../../base/src/end-processes.ts";
import { tryLock } from "../../../base/src/lock.ts";
import { type WorkspaceSnapshots, workspaceSnapshots } from "./snapshots.ts";

const FILES = 600;
const LIMIT_MS = 20_000;
const TEMPORARY = ".runahead-0123456789ab.tmp";

const children: ChildProcess[] = [];
let world = "";
let workspace = "";
let folder = "";

beforeEach(() => {
  world = realpathSync(mkdtempSync(join(tmpdir(), "runahead-crash-")));
  workspace = join(world, "workspace");
  folder = join(world, "store");
  mkdirSync(workspace);
  fill("before");
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  rmSync(world, { recursive: true, force: true });
});

function fill(word: string): void {
  for (let number = 0; number < FILES; number++)
    writeFileSync(join(workspace, `${number}.txt`), `${word} ${number} `.repeat(50));
}

/** How many files have what they should. */
function filledWith(word: string): number {
  const texts = readdirSync(workspace).filter((name) => name.endsWith(".txt"));
  return texts.filter((name) => readFileSync(join(workspace, name), "utf8").startsWith(word)).length;
}

async function taken(all: WorkspaceSnapshots): Promise<string> {
  const result = await all.take();
  if (result.type !== "taken") throw new Error(result.reason);
  return result.id;
}

/** Another process that does this, over and over, once it has said so. */
async function doing(job: string): Promise<ChildProcess> {
  const module = JSON.stringify(join(import.meta.dirname, "snapshots.ts"));
  const script = `
    import { writeFileSync } from "node:fs";
    import { workspaceSnapshots } from ${module};
    const all = workspaceSnapshots(${JSON.stringify({ workspace, folder })});
    console.log("begun");
    for (let round = 0; ; round++) { ${job} }`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

const gitsOf = (place: string) => markedProcesses(`GIT_DIR=${join(place, "git")}`);
const gits = (): number => gitsOf(folder).length;

async function noneLeft(): Promise<void> {
  for (const start = performance.now(); gits() > 0 && performance.now() - start < LIMIT_MS; ) await pause(20);
  expect(gits()).toBe(0);
}

test("after kill -9 while a snapshot is taken, earlier ones are complete and the next one works", async () => {
  const all = workspaceSnapshots({ workspace, folder });
  const first = await taken(all);
  const job = `
    for (let number = 0; number < ${FILES}; number += 2)
      writeFileSync(${JSON.stringify(workspace)} + "/" + number + ".txt", "round " + round + " " + number);
    await all.take();`;
  for (const afterMs of [5, 40, 90, 160]) {
    const child = await doing(job);
    await pause(afterMs);
    await kill(child);
    const result = await all.restore(first);
    expect(result).toMatchObject({ type: "restored", notRestored: [] });
    expect(filledWith("before")).toBe(FILES);
    expect(await taken(all)).toBe(first);
  }
  await noneLeft();
  expect(readdirSync(join(folder, "git")).filter((name) => name.includes("lock"))).toEqual([]);
});

test("after kill -9 during a restore, repeating it restores everything", async () => {
  const all = workspaceSnapshots({ workspace, folder });
  const first = await taken(all);
  fill("after");
  const second = await taken(all);
  let wasInTheMiddle = 0;
  for (let attempt = 0; attempt < 4; attempt++) {
    const child = await doing(
      `await all.restore(${JSON.stringify(first)}); await new Promise(() => setInterval(() => {}, 1e6));`,
    );
    for (
      const start = performance.now();
      filledWith("before") === 0 && performance.now() - start < LIMIT_MS;
    )
      await pause(1);
    await kill(child);
    const done = filledWith("before");
    if (done > 0 && done < FILES) wasInTheMiddle++;
    // Each file is the old or the new.
    expect(done + filledWith("after")).toBe(FILES);
    // As if it had been killed while it wrote a file, which is rarely hit.
    writeFileSync(join(workspace, TEMPORARY), "half");
    const interrupted = await workspaceSnapshots({ workspace, folder }).interrupted();
    expect(readdirSync(workspace).includes(TEMPORARY)).toBe(interrupted === undefined);
    expect(interrupted).toEqual(
      done === FILES && interrupted === undefined ? undefined : { id: first, before: second },
    );
    expect(await all.restore(second)).toMatchObject({ type: "restored", notRestored: [] });
    expect([filledWith("after"), readdirSync(workspace).length]).toEqual([FILES, FILES]);
    expect(await all.interrupted()).toBeUndefined();
  }
  expect(wasInTheMiddle).toBeGreaterThan(0);
  expect(await all.restore(first)).toMatchObject({ type: "restored", notRestored: [] });
  expect([filledWith("before"), readdirSync(workspace).length]).toEqual([FILES, FILES]);
  await noneLeft();
});

test("a damaged index and a stale git lock do not prevent a snapshot", async () => {
  const all = workspaceSnapshots({ workspace, folder });
  const first = await taken(all);
  writeFileSync(join(folder, "git/index"), readFileSync(join(folder, "git/index")).subarray(0, 999));
  for (const name of ["index.lock", "index.0.lock", "HEAD.lock"])
    writeFileSync(join(folder, "git", name), "");
  expect(await taken(all)).toBe(first);
  expect(existsSync(join(folder, "git/index.lock"))).toBe(false);
});

test("an abort ends a snapshot at any step, leaves no process, and the next one works", async () => {
  const all = workspaceSnapshots({ workspace, folder });
  const cancelled = { type: "not-taken", reason: "it was cancelled" };
  expect(await all.take(AbortSignal.abort())).toEqual(cancelled);
  const first = await taken(all);
  for (const afterMs of [1, 5, 10, 20, 30, 45]) {
    fill(`${afterMs}`);
    const stop = new AbortController();
    const result = all.take(stop.signal);
    await pause(afterMs);
    stop.abort();
    const { type } = await result;
    expect([["taken", "not-taken"].includes(type), gits()]).toEqual([true, 0]);
  }
  expect(await all.restore(first)).toMatchObject({ type: "restored", notRestored: [] });
  expect(filledWith("before")).toBe(FILES);
});

test("an abort ends a git that hangs, at every step", async () => {
  const { PATH } = process.env;
  const programs = join(world, "programs");
  mkdirSync(programs);
  const first = await taken(workspaceSnapshots({ workspace, folder }));
  process.env["PATH"] = `${programs}:${PATH}`;
  try {
    for (const step of ["check-ignore", "ls-files", "update-index --add", "write-tree", "cat-file"]) {
      const script = `#!/bin/sh\ncase "$*" in *"${step}"*) exec sleep 1000;; esac\nexec git "$@"\n`;
      writeFileSync(join(programs, "git"), script, { mode: 0o755 });
      const stop = new AbortController();
      const result = workspaceSnapshots({ workspace, folder }).restore(first, stop.signal);
      const hangs = (): boolean => gitsOf(folder).some(({ name }) => name === "sleep");
      for (const start = performance.now(); !hangs() && performance.now() - start < LIMIT_MS; )
        await pause(5);
      stop.abort();
      expect([step, await result, gits()]).toEqual([
        step,
        { type: "not-restored", reason: "it was cancelled" },
        0,
      ]);
    }
  } finally {
    process.env["PATH"] = PATH;
  }
});

test("a cancelled restore says so, and can be undone", async () => {
  const all = workspaceSnapshots({ workspace, folder });
  const first = await taken(all);
  fill("after");
  const stop = new AbortController();
  const isProtected = (path: string): boolean => {
    // Asked once more when the steps are chosen; the walk has asked before.
    if (path.endsWith("/599.txt") && ++asked === 2) setTimeout(() => stop.abort(), 2);
    return false;
  };
  let asked = 0;
  const result = await workspaceSnapshots({ workspace, folder, isProtected }).restore(first, stop.signal);
  expect(result).toMatchObject({ type: "cancelled", changes: { added: [], removed: [] } });
  const changed = result.type === "cancelled" ? result.changes.changed.length : -1;
  expect([filledWith("before"), filledWith("after")]).toEqual([changed, FILES - changed]);
  if (result.type === "cancelled") await all.restore(result.before);
  expect([filledWith("after"), gits()]).toEqual([FILES, 0]);
});

test("operations run one at a time, and a message names another process that holds the lock", async () => {
  const [one, other] = [workspaceSnapshots({ workspace, folder }), workspaceSnapshots({ workspace, folder })];
  const results = await Promise.all([one.take(), other.take(), one.take(), other.take()]);
  expect(new Set(results.map((result) => (result.type === "taken" ? result.id : result.reason))).size).toBe(
    1,
  );
  const attempt = await tryLock(join(folder, "lock"));
  const impatient = workspaceSnapshots({ workspace, folder, waitMs: 0 });
  expect(await impatient.take()).toEqual({
    type: "not-taken",
    reason: `process ${process.pid} is using ${folder}; try again when it has finished`,
  });
  if (attempt.type === "held") await attempt.lock.release();
  expect(await impatient.take()).toMatchObject({ type: "taken" });
});
