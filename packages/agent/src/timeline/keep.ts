/** Keeps a session's timing beside its journal: a line when the program begins, and one for each turn that has ended. */

import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { AgentEvent } from "../loop/event.ts";
import type { Timeline } from "./model.ts";
import { TimelineRecorder } from "./recorder.ts";
import { VERSION, readTimeline, timelinePath } from "./stored.ts";

/** A file that would become larger gets nothing more, which is told once. */
const MOST_BYTES = 32_000_000;

interface KeeperOptions {
  /** Undefined where nothing is to be kept on disk. */
  readonly session: { readonly path: string } | undefined;
  readonly onNotice: (message: string) => void;
  readonly mostBytes?: number;
}

/**
 * Records the timeline of a session and keeps it in a file beside the session. If the file cannot be written, reports
 * it once and stops recording.
 */
export class TimelineKeeper {
  readonly #recorder = new TimelineRecorder({ hasContent: true });
  readonly #path: string | undefined;
  readonly #onNotice: (message: string) => void;
  readonly #mostBytes: number;
  #hasBegun = false;
  #hasFailed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor({ session, onNotice, mostBytes = MOST_BYTES }: KeeperOptions) {
    this.#path = session === undefined ? undefined : timelinePath(session.path);
    this.#onNotice = onNotice;
    this.#mostBytes = mostBytes;
  }

  /** Takes an event of the agent. The file is written when a turn ends. */
  hear(event: AgentEvent): void {
    this.#recorder.hear(event);
    if (event.type === "turn-ended" || event.type === "ended") this.#keep();
  }

  /** Returns the timeline of the whole session if it is on disk, else what this program has recorded. */
  async timeline(): Promise<Timeline> {
    await this.#writing;
    if (this.#path === undefined || this.#hasFailed) return this.#recorder.timeline();
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
    } catch (error) {
      this.#hasFailed = true;
      this.#onNotice(`What ran when is no longer kept: ${(error as Error).message}`);
    }
  }
}

/** Never through a link that somebody has put there. */
async function appendPrivately(path: string, text: string, mostBytes: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    const { size } = await file.stat();
    if (size + Buffer.byteLength(text) > mostBytes)
      throw new Error(`${path} would be larger than ${mostBytes / 1e6} MB`);
    await file.appendFile(text);
  } finally {
    await file.close();
  }
}
