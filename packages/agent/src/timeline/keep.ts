/** Stores a session's timeline next to its journal: one line when the program starts, and one per completed turn. */

import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import {
  codeOf,
  messageOf,
  aFunction,
  aNumberFromZero,
  anObject,
  checkOptions,
  required,
} from "@runahead/base";
import type { AgentEvent } from "../loop/event.ts";
import { whyNotSaved } from "../session/failure.ts";
import type { Timeline } from "./model.ts";
import { TimelineRecorder } from "./recorder.ts";
import { VERSION, readTimeline, timelinePath } from "./stored.ts";

/** Recording stops, with one notice, before the file exceeds this size. */
const MOST_BYTES = 32_000_000;

interface KeeperOptions {
  /** Undefined to keep nothing on disk. */
  readonly session: { readonly path: string } | undefined;
  readonly onNotice: (message: string) => void;
  readonly mostBytes?: number;
}

const OPTIONS = { session: anObject, onNotice: required(aFunction), mostBytes: aNumberFromZero };

/**
 * Records the timeline of a session in a file next to its journal. If the file cannot be written, reports it once and
 * stops writing.
 */
export class TimelineKeeper {
  readonly #recorder = new TimelineRecorder({ hasContent: true });
  readonly #path: string | undefined;
  readonly #onNotice: (message: string) => void;
  readonly #mostBytes: number;
  #hasBegun = false;
  #hasFailed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: KeeperOptions) {
    checkOptions(options, OPTIONS, "createTimelineKeeper");
    const { session, onNotice, mostBytes = MOST_BYTES } = options;
    this.#path = session === undefined ? undefined : timelinePath(session.path);
    this.#onNotice = onNotice;
    this.#mostBytes = mostBytes;
  }

  /** Records an event of the agent. Writes the file when a turn ends. */
  hear(event: AgentEvent): void {
    this.#recorder.hear(event);
    if (event.type === "turn-ended" || event.type === "ended") this.#keep();
  }

  /**
   * Returns the timeline of the session as it is on disk, or what this process has recorded if there is none on disk.
   */
  async timeline(): Promise<Timeline> {
    await this.#writing;
    if (this.#path === undefined) return this.#recorder.timeline();
    const read = await readTimeline(this.#path);
    return read.type === "read" ? read.timeline : this.#recorder.timeline();
  }

  /** Resolves when everything is written. */
  close(): Promise<void> {
    return this.#writing;
  }

  #keep(): void {
    if (this.#path === undefined || this.#hasFailed) return;
    const first = { type: "run", version: VERSION, date: new Date().toISOString() };
    const lines = [...(this.#hasBegun ? [] : [first]), { type: "part", ...this.#recorder.take() }];
    this.#hasBegun = true;
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    this.#writing = this.#writing.then(() => this.#append(text));
  }

  async #append(text: string): Promise<void> {
    if (this.#hasFailed) return;
    try {
      await appendPrivately(this.#path as string, text, this.#mostBytes);
      // What is on disk need not stay in memory for the rest of a long session.
      this.#recorder.dropTaken();
    } catch (error) {
      this.#hasFailed = true;
      const why = codeOf(error) === "" ? messageOf(error) : await whyNotSaved(this.#path as string, error);
      this.#onNotice(`Timeline recording stopped: ${why}`);
    }
  }
}

/** Does not follow symbolic links. */
async function appendPrivately(path: string, text: string, mostBytes: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    const { size } = await file.stat();
    if (size + Buffer.byteLength(text) > mostBytes)
      throw new Error(`${path} reached the limit of ${mostBytes / 1e6} MB`);
    await file.appendFile(text);
  } finally {
    await file.close();
  }
}

/**
 * Creates a keeper that records the timeline of a session next to its journal.
 *
 * @example
 * ```ts
 * const keeper = createTimelineKeeper({ session: undefined, onNotice: console.error });
 * keeper.hear(event);
 * const whole = await keeper.timeline();
 * ```
 */
export function createTimelineKeeper(options: KeeperOptions): TimelineKeeper {
  return new TimelineKeeper(options);
}
