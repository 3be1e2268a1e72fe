/** The files of an editor, which can have changes that are not on disk. */

import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { limitedSignal, messageOf, unlessStopped } from "@runahead/base";
import { Refusal, fileFailure } from "../shared/refusal.ts";
import { decode, encode, isBinary } from "./file-text.ts";
import { type Replacement, replaceFile } from "./replace-file.ts";

/** The file methods of an editor. Paths are absolute, with links resolved. */
export interface EditorFiles {
  /** Resolves with the text of a file as the editor has it, saved or not. Rejects if it cannot read the file. */
  readonly read?: (path: string, signal: AbortSignal) => Promise<string>;
  /** Writes a file, also in a buffer of the editor. Rejects if that fails. */
  readonly write?: (path: string, text: string, signal: AbortSignal) => Promise<void>;
}

/** An editor that does not answer must not block a call. */
const LIMIT_MS = 5_000;
/** Some editors include the byte order mark of a file in its text. */
const BOM = /^\uFEFF/;

/** The unsaved content of the editor, if it has one that differs from the file; otherwise the content of the file. */
export async function inEditor(
  path: string,
  onDisk: Buffer,
  { read }: EditorFiles,
  signal: AbortSignal,
): Promise<Buffer> {
  if (read === undefined || isBinary(onDisk)) return onDisk;
  const limit = limitedSignal(signal, LIMIT_MS);
  const text = await unlessStopped(read(path, limit), limit).catch(() => undefined);
  signal.throwIfAborted();
  if (typeof text !== "string") return onDisk;
  const { text: saved, encoding } = decode(onDisk);
  const shown = withEndsOf(saved, encoding === "utf-8" ? text : text.replace(BOM, ""));
  return shown === saved ? onDisk : encode({ text: shown, encoding });
}

/** Editors can return "\n" for the ends of lines that are "\r\n" in the file. */
function withEndsOf(saved: string, text: string): string {
  const isConverted = saved.includes("\r\n") && !/(^|[^\r])\n/.test(saved) && !text.includes("\r");
  return isConverted ? text.replaceAll("\n", "\r\n") : text;
}

/** Writes through the editor if it can; a new file is created on disk first. Resolves with the stats of the file. */
export async function writeInEditor(
  replacement: Replacement,
  text: string,
  { write }: EditorFiles,
): Promise<Stats> {
  const { path, bytes, before, signal } = replacement;
  // Only UTF-8 keeps its form in an editor.
  if (write === undefined || !bytes.equals(Buffer.from(text, "utf8"))) return replaceFile(replacement);
  if (before === undefined) await replaceFile(replacement);
  else await checkSame(path, before);
  const limit = limitedSignal(signal, LIMIT_MS);
  try {
    await unlessStopped(write(path, text, limit), limit);
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? `no answer within ${LIMIT_MS / 1_000} s` : messageOf(error);
    const onDisk = before === undefined ? " The new file is on disk." : "";
    throw new Refusal(`The editor did not write ${path}: ${withoutStop(why)}.${onDisk} Read it again.`);
  }
  try {
    return await lstat(path);
  } catch (error) {
    throw fileFailure(error, `write ${path}`);
  }
}

function withoutStop(words: string): string {
  return words.replace(/\.$/, "");
}

async function checkSame(path: string, before: Stats): Promise<void> {
  const now = await lstat(path).catch(() => undefined);
  if (now?.isFile() === true && now.ino === before.ino && now.mtimeMs === before.mtimeMs) return;
  throw new Refusal(
    `${path} was not changed: another program modified it at the same moment. Read it again, then change it.`,
  );
}
