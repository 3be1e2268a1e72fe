/** Kills a session with sub-agents at work, again and again, and checks what is left. */

import { execFileSync, spawn } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { checkHistory } from "@runahead/engine/history";
import { isShape, markedProcesses } from "@runahead/base";
import type { Session } from "../../src/session/session.ts";
import { sessions } from "../../src/session/sessions.ts";
import { MARKS, NOTES } from "./tree-plan.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
export const TREE_CHILD = new URL("tree-child.ts", import.meta.url);
const MOST_STARTS = 3;
const LOOK_MS = 20;
/** The longest time from the start of the work to a kill: about as long as all of it takes. */
const LONGEST_MS = 900;

export interface Killing {
  /** The path of the child. */
  readonly program: string;
  readonly seed: number;
  readonly kills: number;
}

export interface Killed {
  /** What is wrong; empty if nothing is. */
  readonly wrong: readonly string[];
  /** How many kills came before the work was done. */
  readonly hits: number;
}

/** Kills the child up to `kills` times, as long as there is work to do, and lets it finish then. */
export async function killTree({ program, seed, kills }: Killing): Promise<Killed> {
  const home = await mkdtemp(join(tmpdir(), "runahead-kill-home-"));
  const folder = await mkdtemp(join(tmpdir(), "runahead-kill-"));
  const run = (killMs: number | undefined) => child([program, home, folder, String(seed)], killMs);
  makeRepository(folder);
  const wrong: string[] = [];
  let hits = 0;
  let random = seed * 7919 + 1;
  const chance = (most: number): number => (random = (random * 48271) % 2147483647) % most;
  try {
    for (; hits < kills; hits++) {
      if ((await run(chance(LONGEST_MS))).includes("[")) break;
      wrong.push(...(await differences(home, folder)));
    }
    let last = "";
    for (let starts = 0; starts < MOST_STARTS && !last.includes("completed"); starts++)
      last = await run(undefined);
    const marks = await marksIn(folder);
    if (marks.toSorted().join() !== MARKS.toSorted().join())
      wrong.push(`the marks are ${marks.join(" ")}, the last run ended with ${last}`);
    wrong.push(...(await leftIn(home, folder)));
    return { wrong, hits };
  } finally {
    if (wrong.length > 0 && process.env["KEEP"] !== undefined) console.error(home, folder);
    else await Promise.all([home, folder].map((path) => rm(path, { recursive: true, force: true })));
  }
}

function git(folder: string, ...words: readonly string[]): string {
  const own = ["-c", "user.name=t", "-c", "user.email=t@t"];
  return execFileSync("git", [...own, ...words], { cwd: folder, encoding: "utf8" });
}

function makeRepository(folder: string): void {
  git(folder, "init", "-q", "-b", "main");
  git(folder, "commit", "-q", "--allow-empty", "-m", "first");
}

/** What is left at the end: the worktree with changes, with its branch, and nothing else. */
async function leftIn(home: string, folder: string): Promise<string[]> {
  const wrong: string[] = [];
  const names = (await readdir(home, { recursive: true })).filter((name) => /\/worktrees\/[^/]+$/.test(name));
  const notes = await Promise.all(
    names.map((name) => readFile(join(home, name, NOTES), "utf8").catch(() => "")),
  );
  const expected = MARKS.filter((name) => name.startsWith("written")).join();
  if (notes.join("").split("\n").filter(Boolean).toSorted().join() !== expected)
    wrong.push(`the notes in ${names.join(" ")} are ${JSON.stringify(notes)}`);
  for (const [at, text] of notes.entries()) if (text === "") wrong.push(`${names[at]} is left`);
  const listed = git(folder, "worktree", "list").trim().split("\n").length - 1;
  if (listed !== names.length) wrong.push(`git lists ${listed} worktrees, and there are ${names.length}`);
  const branches = git(folder, "branch", "--list", "runahead/*").split("\n").filter(Boolean).length;
  if (branches !== names.length) wrong.push(`there are ${branches} branches and ${names.length} worktrees`);
  const orphans = markedProcesses(`RUNAHEAD_WORKTREE=${home}`);
  if (orphans.length > 0) wrong.push(`${orphans.length} processes still run`);
  return wrong;
}

/** Starts the child and kills it this long after it is ready. Resolves with what it printed. */
function child(words: readonly string[], killMs: number | undefined): Promise<string> {
  const running = spawn(process.execPath, words, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  running.stdout.on("data", (data: Buffer) => {
    const isReady = printed === "";
    printed += String(data);
    if (isReady && killMs !== undefined) setTimeout(() => running.kill("SIGKILL"), killMs);
  });
  return new Promise((resolve) => running.on("close", () => resolve(printed)));
}

async function marksIn(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, "marks.txt"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Compares what the journals say with what was done. Reads a copy, because reading recovers. */
async function differences(home: string, folder: string): Promise<string[]> {
  const copy = await mkdtemp(join(tmpdir(), "runahead-kill-copy-"));
  try {
    // A git command that the killed program started can still be at work.
    while (markedProcesses(`RUNAHEAD_WORKTREE=${home}`).length > 0) await pause(LOOK_MS);
    await cp(home, copy, { recursive: true });
    const session = await sessions({ home: copy, cwd: folder }).continue();
    if (session === undefined) return [];
    const wrong = checkHistory(session.messages).map((problem) => `main: ${JSON.stringify(problem)}`);
    const marks = await marksIn(folder);
    const known = new Map<string, string>();
    for (const id of (await session.agents?.ids()) ?? []) {
      const journal = await session.agents?.open(id);
      if (journal === undefined) continue;
      wrong.push(
        ...checkHistory(journal.session.messages).map((problem) => `${id}: ${JSON.stringify(problem)}`),
      );
      for (const [name, fate] of fatesIn(journal.session)) known.set(name, better(known.get(name), fate));
      await journal.session.close();
    }
    await session.close();
    for (const name of MARKS) {
      const fate = known.get(name) ?? "never-started";
      const count = marks.filter((one) => one === name).length;
      if (count > 1) wrong.push(`${name} was done ${count} times`);
      if (count === 1 && fate === "never-started")
        wrong.push(`${name} was done, but the journal does not know`);
      if (count === 0 && fate === "finished") wrong.push(`${name} is recorded as finished, but was not done`);
    }
    return wrong;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

const ORDER = ["never-started", "unknown", "finished"];

/** A call that was repeated has the fate of the attempt that got furthest. */
function better(one: string | undefined, other: string): string {
  return ORDER.indexOf(other) > ORDER.indexOf(one ?? "") ? other : (one as string);
}

/** The fate of every `Mark`, by its name. */
function fatesIn({ messages, recovered }: Session): [string, string][] {
  const fates = new Map(recovered.map(({ callId, fate }) => [callId, fate]));
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const results = new Map(
    blocks.flatMap((block) =>
      block.type === "tool_result" ? [[String(block["tool_use_id"]), JSON.stringify(block["content"])]] : [],
    ),
  );
  return blocks.flatMap((block): [string, string][] => {
    if (block.type !== "tool_use" || block["name"] !== "Mark" || !isShape(block["input"])) return [];
    const id = String(block["id"]);
    const result = results.get(id) ?? "";
    const byResult = result.includes("marked")
      ? "finished"
      : result.includes("unknown")
        ? "unknown"
        : "never-started";
    return [[String(block["input"]["name"]), fates.get(id) ?? byResult]];
  });
}
