/** Runs sessions in processes of their own, kills these with SIGKILL at random moments, resumes, and checks what is left. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Interface, createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { type Leftover, type Resumed, checkResumed, runningAt } from "./checking.ts";
import { bundledChild } from "../../../agent/test/kill/bundled-child.ts";
import type { Job } from "./child.ts";

const CHILD = new URL("./child.ts", import.meta.url);
/** A session of the script takes about this long, and writes so many lines of effects. */
const LONGEST_MS = 500;
const MOST_LINES = 60;

interface Killed {
  readonly kills: number;
  /** How many of them came while a call ran. */
  readonly whileRunning: number;
  readonly sessions: number;
  readonly problems: readonly string[];
}

/** Waits, ready to work, so that the time to start a process is not waited for. */
class Worker {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #errors = "";

  constructor(program: string) {
    this.#process = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "pipe"] });
    this.#reader = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.#process.stderr?.on("data", (text: Buffer) => (this.#errors += text.toString()));
  }

  async begin(job: Job): Promise<string> {
    await this.line("ready");
    this.#process.stdin?.write(`${JSON.stringify(job)}\n`);
    return this.line("opened");
  }

  /** The rest of the next line that begins so. */
  async line(word: string): Promise<string> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done === true) {
        await this.kill();
        throw new Error(`the process ended before "${word}": ${this.#errors}`);
      }
      if (value.startsWith(word)) return value.slice(word.length + 1);
    }
  }

  get wasKilled(): boolean {
    return this.#process.signalCode === "SIGKILL";
  }

  /** Resolves when it is gone. */
  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const exited = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await exited;
  }
}

/** Most kills must come while a call runs, or they prove little. */
export async function expectSessionsSurvive(count: number): Promise<void> {
  const { kills, whileRunning, problems } = await killSessions(count, Math.random);
  expect(problems).toEqual([]);
  expect([kills, whileRunning >= kills / 2]).toEqual([count, true]);
}

/** One session after the other in one folder, until there were so many kills. */
async function killSessions(kills: number, random: () => number): Promise<Killed> {
  const root = mkdtempSync(join(tmpdir(), "runahead-kill-"));
  const total = { kills: 0, whileRunning: 0, sessions: 0, problems: [] as string[] };
  const program = await bundledChild(CHILD);
  let next = new Worker(program.path);
  try {
    for (let resumes = 0; total.kills < kills; resumes++) {
      if (resumes > kills * 3) throw new Error("sessions end before they can be killed");
      const folder = join(root, `${total.sessions}`);
      const worker = next;
      next = new Worker(program.path);
      const ended = await killOnce(worker, folder, { random, total });
      if (ended) total.sessions++;
    }
    return total;
  } finally {
    await next.kill();
    await program.remove();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Killing {
  readonly random: () => number;
  readonly total: { kills: number; whileRunning: number; readonly problems: string[] };
}

/** Begins or resumes the folder's session, kills it, and says whether it had come to its end before. */
async function killOnce(worker: Worker, folder: string, { random, total }: Killing): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const before = leftIn(folder);
  const job: Job = {
    home: join(folder, "home"),
    cwd: folder,
    sessionId: before.sessionId,
    effectsFile: join(folder, "effects.log"),
    resumedFile: join(folder, "resumed.json"),
    // By turns from outside, at any time, and from inside, in the very moment that something is done.
    killAfter: random() < 0.5 ? 0 : 1 + Math.floor(random() * MOST_LINES),
  };
  writeFileSync(job.effectsFile, "", { flag: "a" });
  const id = await worker.begin(job);
  writeFileSync(join(folder, "id"), id);
  total.problems.push(...checkResumed(before, JSON.parse(readFileSync(job.resumedFile, "utf8")) as Resumed));
  // Killed by itself it is as if killed by us.
  const died = (error: Error): string | undefined => (worker.wasKilled ? undefined : error.message);
  const waitMs = job.killAfter === 0 ? random() * LONGEST_MS : LONGEST_MS * 20;
  const ended = await Promise.race([worker.line("ended").catch(died), pause(waitMs)]);
  await worker.kill();
  if (ended === undefined) {
    total.kills++;
    if (runningAt(leftIn(folder).effects).length > 0) total.whileRunning++;
    return false;
  }
  if (!ended.startsWith("completed")) total.problems.push(`it ended: ${ended}`);
  return true;
}

/** What a killed process has left on disk. */
function leftIn(folder: string): Leftover {
  const read = (file: string): string | undefined => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return undefined;
    }
  };
  const effects = (read(join(folder, "effects.log")) ?? "").split("\n").filter((line) => line !== "");
  const journals = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".jsonl"),
  );
  const journal = journals.map((file) => read(join(folder, file)) ?? "").join("\n");
  // Killed before anything was to be recorded it has left no journal, and there is nothing to resume.
  const sessionId = journals.length === 0 ? undefined : read(join(folder, "id"));
  return { sessionId, effects, journal: journal.split("\n") };
}
