import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { timelinePath } from "../timeline/stored.ts";
import { cleanUpSessions } from "./clean-up.ts";
import { sessions } from "./sessions.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const DAY_MS = 86_400_000;

let home = "";
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "runahead-clean-"))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Makes a session with a stored result that was last used this many days ago. */
async function session(id: string, days: number, cwd = home): Promise<{ path: string; result: string }> {
  const made = await sessions({ home, cwd }).create(id);
  made.append({ type: "message", message: { role: "user", content: id } });
  const result = await made.results.store({ callId: "a", toolName: "Read", text: "large" });
  await made.close();
  age(made.path, days);
  return { path: made.path, result };
}

function age(path: string, days: number): void {
  const then = new Date(Date.now() - days * DAY_MS);
  utimesSync(path, then, then);
}

test("sessions that were not used for so many days are deleted with their results, in all projects", async () => {
  const old = await session("old", 31);
  const other = await session("other", 40, tmpdir());
  const recent = await session("recent", 29);
  expect(await cleanUpSessions({ home, days: 30 })).toEqual({ sessions: 2, unfinished: 0 });
  expect([old.path, old.result, other.path].map(existsSync)).toEqual([false, false, false]);
  expect([recent.path, recent.result].map(existsSync)).toEqual([true, true]);
  expect(readdirSync(dirname(recent.path)).sort()).toEqual(["recent", "recent.jsonl"]);
});

test("the timeline of a session and the output of its commands are deleted with it, and not before", async () => {
  for (const [id, days, isKept] of [
    ["recent", 29, true],
    ["old", 31, false],
  ] as const) {
    const { path } = await session(id, days);
    const timeline = timelinePath(path);
    const output = join(dirname(timeline), "results", "job-1.txt");
    for (const file of [timeline, output]) writeFileSync(file, "{}\n");
    // Only the use of the session counts, not the time of its files.
    age(path, days);
    await cleanUpSessions({ home, days: 30 });
    expect([path, timeline, output].map(existsSync)).toEqual([isKept, isKept, isKept]);
  }
});

test("0 days keep everything, and a session in use is kept however old it is", async () => {
  const old = await session("old", 400);
  expect(await cleanUpSessions({ home, days: 0 })).toEqual({ sessions: 0, unfinished: 0 });
  const open = await sessions({ home, cwd: home }).resume("old");
  age(old.path, 400);
  expect(await cleanUpSessions({ home, days: 1 })).toEqual({ sessions: 0, unfinished: 0 });
  expect([old.path, old.result].map(existsSync)).toEqual([true, true]);
  await open.close();
  await expect(cleanUpSessions({ home, days: -1 })).rejects.toThrow('"days"');
});

test("a session with git worktrees is kept, because they can have changes that are nowhere else", async () => {
  const old = await session("old", 400);
  const worktrees = join(dirname(old.path), "old", "worktrees");
  mkdirSync(join(worktrees, "agent-1"), { recursive: true });
  expect(await cleanUpSessions({ home, days: 30 })).toEqual({ sessions: 0, unfinished: 0 });
  expect([old.path, old.result].map(existsSync)).toEqual([true, true]);
  rmSync(join(worktrees, "agent-1"), { recursive: true });
  expect(await cleanUpSessions({ home, days: 30 })).toEqual({ sessions: 1, unfinished: 0 });
});

test("what a process that was killed with kill -9 left unfinished is deleted, of a running one it is not", async () => {
  const script = join(home, "child.mts");
  writeFileSync(
    script,
    `import { sessions } from ${JSON.stringify(new URL("sessions.ts", import.meta.url).href)};
     import { writeFileSync } from "node:fs";
     const made = await sessions({ home: ${JSON.stringify(home)}, cwd: ${JSON.stringify(home)} }).create("s");
     made.append({ type: "message", message: { role: "user", content: "go" } });
     const path = await made.results.store({ callId: "a", toolName: "Read", text: "large" });
     await made.sync();
     // As it is between the write and the rename.
     writeFileSync(path.replace(/[^/]+$/, ".0.unfinished"), "half");
     console.log(path);
     setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, ["--import", "tsx", script], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const path = await new Promise<string>((resolve) =>
    child.stdout.once("data", (data) => resolve(String(data).trim())),
  );
  const left = path.replace(/[^/]+$/, ".0.unfinished");
  expect(await cleanUpSessions({ home, days: 30 })).toEqual({ sessions: 0, unfinished: 0 });
  child.kill("SIGKILL");
  await ended;
  expect(existsSync(left)).toBe(true);
  expect(await cleanUpSessions({ home, days: 30 })).toEqual({ sessions: 0, unfinished: 1 });
  expect([existsSync(left), existsSync(path)]).toEqual([false, true]);
});

test("an unfinished copy of a session is deleted once nobody can be copying any more", async () => {
  const { path } = await session("s", 0);
  const [fresh, stale] = [".1.unfinished", ".2.unfinished"].map((name) => join(dirname(path), name)) as [
    string,
    string,
  ];
  for (const one of [fresh, stale]) writeFileSync(one, "");
  age(stale, 0.1);
  expect(await cleanUpSessions({ home, days: 30 })).toEqual({ sessions: 0, unfinished: 1 });
  expect([existsSync(fresh), existsSync(stale)]).toEqual([true, false]);
});
