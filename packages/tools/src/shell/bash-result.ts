/** What the model reads of a command: its output, cleaned and bounded, and in words whatever else there is to know. */

import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Output } from "./process-output.ts";
import { type ProcessInfo, commandOf } from "@runahead/base";
import { cleanOutput, decodeHead, decodeTail, isBinary } from "./process-text.ts";

/** Up to this, output is given whole; above, this much of its beginning and of its end. */
const WHOLE_CHARS = 25_000;
const HEAD_CHARS = 4_000;
const TAIL_CHARS = 8_000;
const SHOWN_PROCESSES = 5;

/** A command that did not do what it was asked to; without a stack, since none of ours is of interest. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";

  constructor(message: string) {
    super(message);
    this.stack = "";
  }
}

export interface Shown {
  readonly text: string;
  /** All that was printed is in the text. */
  readonly isWhole: boolean;
}

/** Bytes of which the middle may be missing. */
export interface Bytes {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly bytes: number;
  readonly droppedBytes: number;
}

export function showBytes({ head, tail, bytes, droppedBytes }: Bytes, where: string): Shown {
  if (droppedBytes === 0) return showText(new TextDecoder().decode(Buffer.concat([head, tail])), where);
  const [first, last] = [decodeHead(head), decodeTail(tail)];
  if (isBinary(first)) return { text: `[Binary data, ${bytes} bytes, not shown. ${where}]`, isWhole: false };
  const ends = bothEnds(cleanOutput(first), cleanOutput(last));
  return {
    text: `[Output too large: ${bytes} bytes. ${where} Its beginning and end:]\n${ends}`,
    isWhole: false,
  };
}

function showText(raw: string, where: string): Shown {
  if (raw !== "" && isBinary(raw))
    return { text: `[Binary data, about ${raw.length} bytes, not shown. ${where}]`, isWhole: false };
  const text = cleanOutput(raw).trimEnd();
  if (text.length <= WHOLE_CHARS) return { text, isWhole: true };
  const about = `[Output too large: ${text.length} characters. ${where} Its beginning and end:]`;
  return { text: `${about}\n${bothEnds(text, text)}`, isWhole: false };
}

function bothEnds(first: string, last: string): string {
  const head = first.slice(0, HEAD_CHARS).toWellFormed();
  const tail = last.trimEnd().slice(-TAIL_CHARS).toWellFormed();
  return `${head}\n[… left out …]\n${tail}`;
}

/** Where the whole of an output is, or why it is not. */
export function whereIs({ path, problem, bytes, keptBytes }: Output): string {
  if (problem !== undefined) return `The whole could not be kept (${problem}).`;
  if (keptBytes < bytes) return `The first ${keptBytes} bytes, which is the limit, are in ${path}.`;
  return `The whole is in ${path}.`;
}

export function processList(processes: readonly ProcessInfo[]): string {
  const shown = processes.slice(0, SHOWN_PROCESSES).map((one) => `${one.pid} ${commandOf(one)}`);
  const more = processes.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** A git that was stopped leaves its lock behind, and the next one would fail for it (F18). */
export async function lockLeftBehind(cwd: string, sinceMs: number): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const lock = join(folder, ".git", "index.lock");
    const found = await stat(lock).catch(() => undefined);
    if (found !== undefined)
      return found.mtimeMs >= sinceMs
        ? `(It left ${lock} behind: remove it if no other git runs there.)`
        : undefined;
    if (dirname(folder) === folder) return undefined;
  }
}
