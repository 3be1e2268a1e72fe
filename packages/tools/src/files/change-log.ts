/** Records which agent of a session changed which file, so that another one never works on a version it has not seen. */

import type { AgentIdentity } from "@runahead/engine";
import type { FileDiff } from "./file-diff.ts";

/** One change of a file by an agent's tool. */
export interface FileChange {
  /** Undefined for the main agent. */
  readonly agent: AgentIdentity | undefined;
  readonly atMs: number;
  readonly diff: FileDiff;
}

/** A shell command that could write, and that has ended. */
export interface EndedCommand {
  /** The sub-agent that ran it; left out for the main agent. */
  readonly agent?: AgentIdentity | undefined;
  /** When it was started, in milliseconds since 1970. */
  readonly startedAtMs: number;
  /** When it had ended. */
  readonly endedAtMs: number;
  /** The only paths that it can have written; left out if it can have written anything. */
  readonly writes?: readonly string[] | undefined;
}

interface Numbered extends FileChange {
  readonly number: number;
}

/** Above these numbers the oldest are forgotten. */
const MOST_FILES = 10_000;
const MOST_CHANGES = 20;
const SHOWN_CHANGES = 3;
const MOST_COMMANDS = 1_000;
/** File times of the kernel can be early by this much. */
const CLOCK_MS = 20;

/** All changes of a session, in order. */
export class ChangeLog {
  readonly #changes = new Map<string, readonly Numbered[]>();
  #commands: readonly EndedCommand[] = [];
  #last = 0;

  /** The number of the latest change. Note it before a file is read. */
  get last(): number {
    return this.#last;
  }

  add(path: string, change: FileChange): void {
    const known = this.#changes.get(path) ?? [];
    this.#changes.delete(path);
    this.#changes.set(path, [...known, { ...change, number: ++this.#last }].slice(-MOST_CHANGES));
    if (this.#changes.size > MOST_FILES) this.#changes.delete(this.#changes.keys().next().value as string);
  }

  addCommand(command: EndedCommand): void {
    this.#commands = [...this.#commands, command].slice(-MOST_COMMANDS);
  }

  /** Returns the latest command of another agent that can have written the file when it was last modified. */
  commandByOther(path: string, modifiedAtMs: number, agentId: string | undefined): EndedCommand | undefined {
    const found = this.#commands.filter(
      ({ startedAtMs, endedAtMs, writes }) =>
        modifiedAtMs >= startedAtMs - CLOCK_MS &&
        modifiedAtMs <= endedAtMs &&
        (writes?.some((one) => path === one || path.startsWith(`${one}/`)) ?? true),
    );
    // If the agent's own command ran at that time too, it is as likely the agent's own change.
    return found.some(({ agent }) => agent?.id === agentId) ? undefined : found.at(-1);
  }

  /** Returns the changes after the one with this number that other agents made. */
  byOthers(path: string, after: number, agentId: string | undefined): readonly FileChange[] {
    const known = this.#changes.get(path) ?? [];
    return known.filter(({ number, agent }) => number > after && agent?.id !== agentId);
  }
}

/** For example `changed by sub-agent "tests" 3 s ago: +2 −1, lines 10–14`; the latest change first. */
export function changeWords(changes: readonly FileChange[], nowMs: number): string {
  const shown = changes.slice(-SHOWN_CHANGES).toReversed();
  const more = changes.length - shown.length;
  const words = shown.map(
    ({ agent, atMs, diff }) => `${nameOf(agent)} ${agoWords(nowMs - atMs)}${extentWords(diff)}`,
  );
  return `changed by ${words.join("; by ")}${more > 0 ? `; and ${more} more times` : ""}`;
}

/** For example `changed 3 s ago while a command of sub-agent "tests" ran`. */
export function commandWords({ agent, endedAtMs }: EndedCommand, nowMs: number): string {
  return `changed ${agoWords(nowMs - endedAtMs)} while a command of ${nameOf(agent)} ran`;
}

/** For example `sub-agent "tests"`. */
export function nameOf(agent: AgentIdentity | undefined): string {
  return agent === undefined ? "the main agent" : `sub-agent ${JSON.stringify(agent.type)}`;
}

function agoWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

function extentWords(diff: FileDiff): string {
  if (diff.type === "left-out") return "";
  const { added, removed } = diff;
  const lines = changedLines(diff);
  if (lines === undefined) return `: +${added} −${removed}`;
  const { first, last } = lines;
  return `: +${added} −${removed}, ${first === last ? `line ${first}` : `lines ${first}–${last}`}`;
}

/** The first and the last line of the new text that a change touched. */
function changedLines({
  hunks,
}: Extract<FileDiff, { type: "hunks" }>): { first: number; last: number } | undefined {
  const touched = hunks.flatMap(({ newStart, lines }) => {
    let line = newStart;
    return lines.flatMap((text) => {
      // A removed line is at the line that took its place.
      if (text.startsWith("-")) return [Math.max(1, line)];
      if (text.startsWith("+")) return [line++];
      if (text.startsWith(" ")) line++;
      return [];
    });
  });
  if (touched.length === 0) return undefined;
  return { first: Math.min(...touched), last: Math.max(...touched) };
}
