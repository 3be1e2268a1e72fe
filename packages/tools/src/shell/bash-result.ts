/** Builds the text that the model reads about a command: its cleaned, bounded output and notes. */

import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ToolError } from "@runahead/engine";
import { type BashLimits, USUAL_LIMITS } from "./bash-limits.ts";
import type { Output } from "./process-output.ts";
import { type ProcessInfo, commandOf } from "@runahead/base";
import { cleanOutput, decodeHead, decodeTail, headOf, isBinary, tailOf } from "./process-text.ts";

/** Longer output is cut to this much of its start and its end: at most these, and half of what is shown whole. */
const HEAD_CHARS = 4_000;
const TAIL_CHARS = 8_000;
const HEAD_PART = 1 / 6;
const TAIL_PART = 1 / 3;
const SHOWN_PROCESSES = 5;

/** The error of a failed command. A `ToolError`, so that the model reads its message without a prefix. */
export class CommandFailed extends ToolError {
  override readonly name = "CommandFailed";
}

export interface Shown {
  readonly text: string;
  /** Whether the text is the whole output. */
  readonly isWhole: boolean;
}

/** Output bytes whose middle may be missing. */
export interface Bytes {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly bytes: number;
  readonly droppedBytes: number;
  /** Newlines of the whole output, if they were counted. */
  readonly newlines?: number | undefined;
}

/** Where the whole output is, and how the model gets what is left out of it. */
export interface Kept {
  readonly where: string;
  readonly advice: string;
}

export async function showOutput(output: Output, limits: Limits = USUAL_LIMITS): Promise<Shown> {
  const { head, tail, bytes, droppedBytes } = output.ends;
  const newlines = droppedBytes === 0 ? undefined : await output.newlines();
  return showBytes({ head, tail, bytes, droppedBytes, newlines }, keptIn(output), limits);
}

type Limits = Pick<BashLimits, "shownChars">;

const headChars = ({ shownChars }: Limits): number =>
  Math.min(HEAD_CHARS, Math.floor(shownChars * HEAD_PART));
const tailChars = ({ shownChars }: Limits): number =>
  Math.min(TAIL_CHARS, Math.floor(shownChars * TAIL_PART));

export function showBytes(
  { head, tail, bytes, droppedBytes, newlines }: Bytes,
  kept: Kept,
  limits: Limits = USUAL_LIMITS,
): Shown {
  if (droppedBytes === 0)
    return showText(new TextDecoder().decode(Buffer.concat([head, tail])), kept, limits);
  const [first, last] = [decodeHead(head), decodeTail(tail)];
  if (isBinary(first))
    return { text: `[Binary data, ${bytes} bytes, not shown. ${kept.where}]`, isWhole: false };
  const shownHead = headOf(cleanOutput(first), headChars(limits));
  const end = cleanOutput(last);
  const shownTail = tailOf(end.trimEnd(), tailChars(limits));
  const left = Math.max(0, bytes - Buffer.byteLength(shownHead) - Buffer.byteLength(shownTail));
  const from = lineCount(shownHead);
  const blank = lineCount(end.slice(end.trimEnd().length)) - 1;
  const to = newlines === undefined ? 0 : newlines - blank - lineCount(shownTail) + 2;
  const what =
    newlines === undefined || from >= to
      ? `about ${counted(left)} of ${counted(bytes)} bytes`
      : `lines ${counted(from)}–${counted(to)} of ${counted(newlines - blank + 1)}`;
  const note = `[… ${what} left out. ${kept.where} ${kept.advice}]`;
  return { text: `${shownHead}\n${note}\n${shownTail}`, isWhole: false };
}

export function showText(raw: string, kept: Kept, limits: Limits = USUAL_LIMITS): Shown {
  if (raw !== "" && isBinary(raw))
    return { text: `[Binary data, about ${raw.length} bytes, not shown. ${kept.where}]`, isWhole: false };
  const text = cleanOutput(raw).trimEnd();
  if (text.length <= limits.shownChars) return { text, isWhole: true };
  const head = headOf(text, headChars(limits));
  const tail = tailOf(text.trimEnd(), tailChars(limits));
  const total = lineCount(text);
  const from = lineCount(head);
  const to = total - lineCount(tail) + 1;
  const what =
    from >= to
      ? `about ${counted(text.length - head.length - tail.length)} of ${counted(text.length)} characters`
      : `lines ${counted(from)}–${counted(to)} of ${counted(total)}`;
  const note = `[… ${what} left out. ${kept.where} ${kept.advice}]`;
  return { text: `${head}\n${note}\n${tail}`, isWhole: false };
}

function lineCount(text: string): number {
  return text.split("\n").length;
}

function counted(count: number): string {
  return count.toLocaleString("en-US");
}

/** Says where the full output is, or why it is not available. */
export function whereIs({ path, problem, bytes, keptBytes }: Output): string {
  if (problem !== undefined) return `The full output was not saved (${problem}).`;
  if (keptBytes < bytes) return `The first ${counted(keptBytes)} bytes (the size limit) are in ${path}.`;
  return `The full output is in ${path}.`;
}

export function keptIn(output: Output): Kept {
  const advice = output.problem === undefined ? "Read it with offset and limit." : CANNOT_READ;
  return { where: whereIs(output), advice };
}

/** Advice about output that the model cannot read later. */
export const CANNOT_READ = "If you need it, run the command with less output.";

export function processList(processes: readonly ProcessInfo[]): string {
  const shown = processes.slice(0, SHOWN_PROCESSES).map((one) => `${one.pid} ${commandOf(one)}`);
  const more = processes.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** A stopped git leaves a stale lock file, which makes the next git command fail (F18). */
export async function lockLeftBehind(cwd: string, sinceMs: number): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const lock = join(folder, ".git", "index.lock");
    const found = await stat(lock).catch(() => undefined);
    if (found !== undefined)
      return found.mtimeMs >= sinceMs
        ? `(The stopped command left the lock file ${lock}. Delete it if no other git process is running there.)`
        : undefined;
    if (dirname(folder) === folder) return undefined;
  }
}
