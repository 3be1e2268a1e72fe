/** Lists the sessions of a folder. Reads only the beginning of each file. */

import { type Dirent, constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, isShape, required, strings } from "@runahead/base";
import { findHeader, isMessage, parseLine } from "./entry.ts";
import { isGeneratedId, isSessionId } from "./id.ts";
import { lockHolder } from "./lock.ts";
import { startsReminder } from "../model/reminder.ts";
import { readHead } from "./read.ts";

/** Describes a session without loading it. */
export interface SessionSummary {
  /** The id of the session. */
  readonly id: string;
  /** The path of its journal. */
  readonly path: string;
  /** The working directory of the session; empty if the header cannot be read. */
  readonly cwd: string;
  /** When it was created, in ISO 8601; empty if the header cannot be read. */
  readonly createdAt: string;
  /** When it was last written to, in ISO 8601. */
  readonly updatedAt: string;
  /** The size of its journal in bytes. */
  readonly sizeBytes: number;
  /** The beginning of its first prompt; empty if there is none yet. */
  readonly firstPrompt: string;
  /** Whether a running process uses it. */
  readonly isLocked: boolean;
}

const HEAD_BYTES = 16_384;
/** How far to read for the first prompt: project instructions and the like can come before it. */
const MOST_HEAD_BYTES = 2_000_000;
const PROMPT_CHARS = 200;
/** How many files are open at a time. */
const AT_A_TIME = 16;

export async function sessionIds(folder: string): Promise<string[]> {
  return (await entriesOf(folder)).flatMap(sessionIdOf);
}

/** Returns the sessions, newest first. */
export async function listSessions(folder: string): Promise<SessionSummary[]> {
  const entries = await entriesOf(folder);
  const ids = entries.flatMap(sessionIdOf);
  const locks = new Set(entries.map(({ name }) => name).filter((name) => name.endsWith(".lock")));
  const summaries: SessionSummary[] = [];
  const next = ids.values();
  const work = async (): Promise<void> => {
    for (const id of next) {
      const summary = await summarise(folder, id, locks.has(`${id.toLowerCase()}.lock`));
      if (summary !== undefined) summaries.push(summary);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return summaries.sort((one, other) => compare(other, one));
}

function compare(one: SessionSummary, other: SessionSummary): number {
  const key = ({ updatedAt, createdAt, id }: SessionSummary): string => `${updatedAt} ${createdAt} ${id}`;
  return key(one) < key(other) ? -1 : 1;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  });
}

function sessionIdOf(entry: Dirent): string[] {
  const id = entry.name.slice(0, -".jsonl".length);
  return entry.isFile() && entry.name.endsWith(".jsonl") && isSessionId(id) ? [id] : [];
}

/** Undefined if the file is gone, cannot be opened, or is not a session despite its name. */
async function summarise(folder: string, id: string, hasLock: boolean): Promise<SessionSummary | undefined> {
  const path = join(folder, `${id}.jsonl`);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { size: sizeBytes, mtime } = await handle.stat();
    const { head, firstPrompt } = await headWithPrompt(handle, sizeBytes);
    const found = findHeader(head);
    if (found === undefined && !isGeneratedId(id)) return undefined;
    const header = found ?? { cwd: "", createdAt: "" };
    const text = (value: unknown): string => (typeof value === "string" ? value : "");
    return {
      id,
      path,
      cwd: text(header["cwd"]),
      createdAt: text(header["createdAt"]),
      updatedAt: mtime.toISOString(),
      sizeBytes,
      firstPrompt,
      isLocked: hasLock && (await lockHolder(folder, id)) !== undefined,
    };
  } finally {
    await handle.close();
  }
}

interface Head {
  readonly head: Buffer;
  readonly firstPrompt: string;
}

/** Reads further as long as it has found only reminders, which the program adds before the first prompt. */
async function headWithPrompt(handle: FileHandle, sizeBytes: number): Promise<Head> {
  for (let bytes = HEAD_BYTES; ; bytes *= 4) {
    const head = await readHead(handle, Math.min(sizeBytes, bytes));
    const isAll = bytes >= Math.min(sizeBytes, MOST_HEAD_BYTES);
    const firstPrompt = firstPromptIn(head, isAll);
    if (firstPrompt !== undefined || isAll) return { head, firstPrompt: firstPrompt ?? "" };
  }
}

/** Undefined if no message of the user starts in this part of the file. */
function firstPromptIn(head: Buffer, isAll: boolean): string | undefined {
  const lines = head.toString("utf8").split("\n");
  const prompts = lines.filter((text) => text.startsWith('{"type":"message"')).map(promptIn);
  const first = prompts.find((text) => !startsReminder(text));
  return first ?? (isAll && prompts.length > 0 ? "" : undefined);
}

/**
 * Returns what the summary of a session needs from lines of its journal, for a {@link SessionStore}. The first lines have
 * both; a text is empty if these lines do not have it.
 *
 * @example
 * ```ts
 * import { type AppendBatch, factsOfLines } from "@runahead/agent";
 *
 * export function columnsOf({ lines }: AppendBatch) {
 *   const { firstPrompt, cwd } = factsOfLines(lines);
 *   return { first_prompt: firstPrompt, cwd };
 * }
 * ```
 */
export function factsOfLines(lines: readonly string[]): { firstPrompt: string; cwd: string } {
  required(strings)(lines, "factsOfLines: lines");
  const prompts = lines.filter((text) => text.startsWith(USER_MESSAGE)).map(promptIn);
  const header = lines.find((text) => text.startsWith('{"type":"session"'));
  const { cwd } = header === undefined ? { cwd: "" } : (findHeader(Buffer.from(header)) ?? { cwd: "" });
  return { firstPrompt: prompts.find((text) => !startsReminder(text)) ?? "", cwd: String(cwd) };
}

const USER_MESSAGE = '{"type":"message","message":{"role":"user"';

function promptIn(line: string): string {
  const message = parseLine(Buffer.from(line))?.["message"];
  const text = isMessage(message) ? textOf(message.content) : beginningOfText(line);
  // Databases cannot store this character in a text.
  return text.slice(0, PROMPT_CHARS).toWellFormed().replaceAll("\0", "\u{2400}");
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const first = blocks.find((block) => isShape(block) && typeof block["text"] === "string");
  return (first as { text: string } | undefined)?.text ?? "";
}

/** Extracts the text from a line that continues after the head. */
function beginningOfText(line: string): string {
  const [, escaped = ""] = /"(?:content|text)":"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)/.exec(line) ?? [];
  try {
    return JSON.parse(`"${escaped}"`) as string;
  } catch {
    return "";
  }
}
