/** Reads the stored timeline of a session and joins the parts of all processes that worked on it. */

import { aString, required } from "@runahead/base";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  Timeline,
  TimelineAgent,
  TimelineCall,
  TimelineMark,
  TimelinePart,
  TimelineTurn,
} from "./model.ts";
import { agentOf, callOf, markOf, turnOf } from "./stored-items.ts";
import { numberOf } from "./reading.ts";
import { oneLine } from "./words.ts";

export const VERSION = 1;
const DATE_CHARS = 40;

/**
 * Returns the path of the timeline of a session, by the path of its journal.
 *
 * @example
 * ```ts
 * timelinePath("/sessions/a.jsonl"); // "/sessions/a/timeline.jsonl"
 * ```
 */
export function timelinePath(journalPath: string): string {
  required(aString)(journalPath, 'timelinePath: "journalPath"');
  return join(journalPath.replace(/\.jsonl$/, ""), "timeline.jsonl");
}

export type Stored =
  | { readonly type: "read"; readonly timeline: Timeline; readonly brokenLines: number }
  | { readonly type: "failed"; readonly message: string };

/**
 * Reads the timeline of a session. The result says what went wrong; rejects only if the path is not a string. Lines that
 * cannot be read are skipped and counted.
 *
 * @example
 * ```ts
 * const stored = await readTimeline(timelinePath(journalPath));
 * if (stored.type === "read") console.log(textTimeline(stored.timeline, 100));
 * ```
 */
export async function readTimeline(path: string): Promise<Stored> {
  required(aString)(path, 'readTimeline: "path"');
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") return { type: "failed", message: `Cannot read ${path}: ${message}` };
    return { type: "failed", message: "This session has no timeline yet: no turn has ended." };
  }
  return joined(path, text);
}

function joined(path: string, text: string): Stored {
  const runs = new Runs();
  let brokenLines = 0;
  for (const line of text.split("\n")) if (line !== "" && !runs.take(line)) brokenLines++;
  if (runs.isNewer)
    return {
      type: "failed",
      message: `${path} was written by a newer version of Runahead. Update Runahead to read it.`,
    };
  if (!runs.hasParts) return { type: "failed", message: `${path} is damaged: no line of it can be read.` };
  return { type: "read", timeline: runs.timeline(), brokenLines };
}

/** Where the process that is being read starts: its time, and its index in each list. */
interface Base {
  readonly atMs: number;
  readonly agents: number;
  readonly turns: number;
  readonly calls: number;
}

class Runs {
  readonly #agents: TimelineAgent[] = [{ agentType: "", call: undefined }];
  readonly #turns: TimelineTurn[] = [];
  readonly #calls: TimelineCall[] = [];
  readonly #marks: TimelineMark[] = [];
  #base: Base = { atMs: 0, agents: 0, turns: 0, calls: 0 };
  #endMs = 0;
  #leftOut = 0;
  isNewer = false;
  hasParts = false;

  /** Returns whether the line could be read. */
  take(line: string): boolean {
    const value = parsed(line);
    if (value?.["type"] === "run") return this.#begin(value);
    if (value?.["type"] !== "part" || this.isNewer) return value !== undefined && this.isNewer;
    this.#part(value as unknown as TimelinePart);
    return true;
  }

  timeline(): Timeline {
    return {
      title: "",
      agents: this.#agents,
      turns: this.#turns,
      calls: this.#calls,
      marks: this.#marks,
      endMs: this.#endMs,
      leftOut: this.#leftOut,
    };
  }

  #begin({ version, date }: Record<string, unknown>): boolean {
    this.isNewer ||= numberOf(version) > VERSION;
    const atMs = this.#endMs;
    // All processes share one main agent.
    const agents = this.#agents.length - 1;
    this.#base = { atMs, agents, turns: this.#turns.length, calls: this.#calls.length };
    if (this.hasParts) this.#marks.push({ type: "resumed", agent: 0, atMs, date: oneLine(date, DATE_CHARS) });
    return numberOf(version) > 0;
  }

  #part({ agents, turns, calls, marks, endMs, leftOut }: TimelinePart): void {
    this.hasParts = true;
    const { atMs, ...base } = this.#base;
    const shift = { atMs, agent: (place: number) => (place === 0 ? 0 : place + base.agents) };
    for (const agent of listOf(agents)) {
      const read = agentOf(agent, base.calls);
      if (read.call !== undefined) this.#agents.push(read);
    }
    for (const turn of listOf(turns)) this.#turns.push(turnOf(turn, shift));
    for (const call of listOf(calls)) this.#calls.push(callOf(call, { atMs, ...base }));
    for (const mark of listOf(marks)) this.#marks.push(...markOf(mark, shift));
    this.#endMs = Math.max(this.#endMs, atMs + numberOf(endMs));
    this.#leftOut += numberOf(leftOut);
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.filter((item): item is Record<string, unknown> => typeof item === "object" && item !== null);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return listOf([JSON.parse(line)])[0];
  } catch {
    return undefined;
  }
}
