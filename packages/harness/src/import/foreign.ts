/** Sessions of other agents, as they are found on disk. Nothing here writes to them. */

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { type Shape, isShape } from "@runahead/base";
import type { HistoryMessage } from "@runahead/engine/history";
import type { Spending } from "./spending.ts";

/** The program that a session belongs to: Claude Code or Codex. */
export type ForeignAgent = "claude" | "codex";

/** A session of another agent. */
export interface ForeignSession {
  /** The program that wrote it. */
  readonly from: ForeignAgent;
  /** Its id there. */
  readonly id: string;
  /** Path of its file. */
  readonly path: string;
  /** Its working directory; empty if the file does not say. */
  readonly cwd: string;
  /** Its title or the beginning of its first prompt; empty if there is none. */
  readonly title: string;
  /** When it began, in ISO 8601; empty if the file does not say. */
  readonly createdAt: string;
  /** When its file was last written, in ISO 8601. */
  readonly updatedAt: string;
  /** The size of its file. */
  readonly sizeBytes: number;
}

/** A line that was skipped. */
export interface SkippedLine {
  /** Number of the line, from 1. */
  readonly line: number;
  /** What is wrong with it. */
  readonly why: string;
}

/** One message, and whether it is a prompt of the user. */
export interface ForeignMessage {
  readonly message: HistoryMessage;
  readonly isPrompt: boolean;
}

/** The content of a session. */
export interface ForeignHistory {
  readonly id: string;
  readonly cwd: string;
  readonly title: string;
  readonly messages: readonly ForeignMessage[];
  readonly skipped: readonly SkippedLine[];
  /** What was left out or changed on purpose, one sentence each. */
  readonly notes: readonly string[];
  /** What it used, by model. */
  readonly spending: readonly Spending[];
}

export interface NumberedLine {
  readonly line: number;
  readonly value: Shape;
}

const TITLE_CHARS = 200;

/** Reads all lines. Broken ones are in `skipped`; a last line without an end is one that was being written. */
export async function readLines(
  path: string,
): Promise<{ readonly lines: NumberedLine[]; readonly skipped: SkippedLine[] }> {
  const lines: NumberedLine[] = [];
  const skipped: SkippedLine[] = [];
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity })) {
    line++;
    if (text.trim() === "") continue;
    const value = parsed(text);
    if (value === undefined) skipped.push({ line, why: "it is not a JSON object" });
    else lines.push({ line, value });
  }
  return { lines, skipped };
}

/** The lines that are whole in the first and the last part of a file, to describe it without reading all of it. */
export async function readEnds(path: string, bytes: number): Promise<Shape[]> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const head = await part(handle, 0, Math.min(size, bytes));
    const tail = size > bytes ? await part(handle, Math.max(bytes, size - bytes), bytes) : "";
    return [...head.split("\n"), ...tail.split("\n")].flatMap((text): Shape[] => {
      const value = parsed(text);
      return value === undefined ? [] : [value];
    });
  } finally {
    await handle.close();
  }
}

async function part(handle: Awaited<ReturnType<typeof open>>, at: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  return buffer.toString("utf8", 0, bytesRead);
}

function parsed(text: string): Shape | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isShape(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The beginning of a text on one line. */
export function titleOf(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, TITLE_CHARS).toWellFormed();
}
