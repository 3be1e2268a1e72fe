/**
 * Records which processes each agent started. An agent has a folder, named after its process, while it lives. If it is
 * killed, the next agent finds the folder and ends the remaining processes, and only those: same boot, dead owner, and
 * the same process id and start time, the same mark, or the same lineage (F06).
 */

import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ProcessInfo,
  allProcesses,
  commandOf,
  hasMark,
  signalProcess,
  aString,
  required,
} from "@runahead/base";
import { removeTemporaries } from "../files/temporaries.ts";
import { type Lineage, isOfLineage } from "./process-lineage.ts";
import { restoreRepositories } from "../sandbox/sandbox-git-guard.ts";
import { removeStandIns } from "../sandbox/sandbox-stand-ins.ts";
import {
  homesOf,
  leftFolders,
  makeOwnFolder,
  ownFolderName,
  readText,
  usableHome,
} from "../shared/owner-folder.ts";
import { Refusal, codeOf } from "../shared/refusal.ts";

/** Set in the environment of every started process: the agent's id, a dot, and the number of the command. */
export const MARK = "RUNAHEAD_SHELL";

const FOLDER = "shells";
const LEDGER = "ledger";
/** Each record has this length, so that it can be filled in without more space. */
const RECORD_BYTES = 48;
const LOOKS = 15;
const LOOK_MS = 100;

/** Records a started process: its id, its start time, and what its descendants inherit. */
export type NoteStart = (pid: number, start: number, lineage?: Lineage) => void;

export class Ledger {
  readonly folder: string;
  readonly #id = randomUUID();
  #runs = 0;

  constructor(home: string) {
    this.folder = join(usableHome(home), FOLDER, ownFolderName(this.#id));
  }

  /** Creates the folder, also if it was deleted meanwhile. Nothing is started without a record. */
  open(): void {
    try {
      makeOwnFolder(this.folder);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Makes room for the record of a process before it is started, because then a full disk can still stop it. */
  reserve(): NoteStart {
    try {
      const file = openSync(join(this.folder, LEDGER), constants.O_RDWR | constants.O_CREAT, 0o600);
      const at = fstatSync(file).size;
      closing(file, () => writeRecord(file, "", at));
      return (pid, start, lineage) => {
        const inherited = lineage === undefined ? "" : ` ${lineage.weight} ${lineage.group}`;
        this.#fill(`${pid} ${start}${inherited}`, at);
      };
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** If it fails, the process is still found by its mark. */
  #fill(text: string, at: number): void {
    try {
      const file = openSync(join(this.folder, LEDGER), "r+");
      closing(file, () => writeRecord(file, text, at));
    } catch {
      // The command runs already.
    }
  }

  #failure(error: unknown): unknown {
    const code = codeOf(error);
    if (code === undefined) return error;
    const why = code === "ENOSPC" || code === "EDQUOT" ? "Free some space there" : "Make it writable";
    return new Refusal(
      `Not run: the command could not be recorded in ${this.folder} (${code}), so it could be left running. ${why}, then call again.`,
    );
  }

  nextMark(): string {
    return `${this.#id}.${++this.#runs}.`;
  }

  /** Returns all living processes of this agent, including those that no call tracks any more. */
  living(): ProcessInfo[] {
    return marked(this.#id);
  }

  /** A folder that cannot be deleted, or never was one, must not keep the program from ending. */
  close(): void {
    try {
      rmSync(this.folder, { recursive: true, force: true });
    } catch {
      // The next start looks at it again.
    }
  }
}

function closing(file: number, act: () => void): void {
  try {
    act();
  } finally {
    closeSync(file);
  }
}

/** Throws if the disk takes only a part of it. */
function writeRecord(file: number, text: string, at: number): void {
  const written = writeSync(file, `${text.padEnd(RECORD_BYTES - 1)}\n`, at);
  if (written < RECORD_BYTES) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
}

/** A process that an agent left running and that was ended. */
export interface Reaped {
  /** Process id. */
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
}

/**
 * Ends processes that killed agents have left running, and removes temporary files that their file tools have left.
 * Returns the processes that it ended. Processes and files of agents that still run are not touched.
 *
 * @param home The `home` that the shell tools were made with.
 * @example
 * ```ts
 * for (const { pid, command } of await reapOrphans("/home/ann/.runahead")) console.log(pid, command);
 * ```
 */
export async function reapOrphans(home: string): Promise<Reaped[]> {
  required(aString)(home, 'reapOrphans: "home"');
  const reaped: Reaped[] = [];
  for (const one of homesOf(home)) {
    removeTemporaries(one);
    for (const { path, id, isThisBoot } of leftFolders(join(one, FOLDER))) {
      if (isThisBoot) reaped.push(...(await reap(() => orphansOf(id, path))));
      removeStandIns(path);
      restoreRepositories(path);
      rmSync(path, { recursive: true, force: true });
    }
  }
  return reaped;
}

function orphansOf(id: string, path: string): ProcessInfo[] {
  const known = new Map(marked(id).map((one) => [one.pid, one]));
  const all = allProcesses();
  for (const line of readText(join(path, LEDGER)).split("\n")) {
    const [pid, start, weight, group] = line.trim().split(" ");
    const found = all.find((one) => one.pid === Number(pid));
    if (found !== undefined && found.start === Number(start)) known.set(found.pid, found);
    if (weight === undefined || group === undefined) continue;
    const lineage = { weight: Number(weight), group };
    for (const one of all)
      if (one.start >= Number(start) && isOfLineage(one.pid, lineage, `${MARK}=`)) known.set(one.pid, one);
  }
  return [...known.values()];
}

function marked(id: string): ProcessInfo[] {
  return allProcesses().filter(({ pid }) => hasMark(pid, `${MARK}=${id}.`));
}

/** Sends SIGTERM once to each, so that traps run, then SIGKILL to those that remain. */
export async function reap(find: () => ProcessInfo[]): Promise<Reaped[]> {
  const reaped = new Map<number, Reaped>();
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    for (let look = 0; look < LOOKS; look++) {
      const found = find();
      if (found.length === 0) return [...reaped.values()];
      for (const one of found) {
        const isNew = !reaped.has(one.pid);
        if (isNew) reaped.set(one.pid, { pid: one.pid, command: commandOf(one) });
        if (isNew || name === "SIGKILL") signalProcess(one, name);
      }
      await pause(LOOK_MS);
    }
  }
  return [...reaped.values()];
}
