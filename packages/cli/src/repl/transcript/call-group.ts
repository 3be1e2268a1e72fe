/** Reads and searches in a row, folded into one line: `Read 3 files, searched 2 patterns`. Ctrl+O opens each of them. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { type CallEntry, MARKS, spinner } from "./call-entry.ts";
import type { Entry } from "./entry.ts";
import { bold, dim } from "../screen/style.ts";
import { wordWrap } from "../screen/wrap.ts";
import { duration } from "../../shared/words.ts";

/** How a tool is counted: the verb, and what it applies to. */
const FOLDED: Readonly<Record<string, readonly [verb: string, now: string, noun: string]>> = {
  Read: ["read", "reading", "file"],
  NotebookRead: ["read", "reading", "file"],
  Grep: ["searched", "searching", "pattern"],
  Glob: ["listed", "listing", "pattern"],
  LS: ["listed", "listing", "folder"],
};

const HINT = " (Ctrl+O to open)";

/** Whether calls of this tool are folded. */
export function isFoldable(toolName: string): boolean {
  return FOLDED[toolName] !== undefined;
}

export class CallGroup implements Entry {
  readonly kind = "call";
  readonly #calls: CallEntry[];
  readonly #now: () => number;
  #isClosed = false;

  constructor(first: CallEntry, now = (): number => performance.now()) {
    this.#calls = [first];
    this.#now = now;
  }

  /** Adds a call, unless the row has ended. */
  add(call: CallEntry): boolean {
    if (this.#isClosed) return false;
    this.#calls.push(call);
    return true;
  }

  /** Something else follows. */
  close(): void {
    this.#isClosed = true;
  }

  /** Until the row has ended, another call can still join it. */
  get isFinished(): boolean {
    return this.#isClosed && this.#calls.every(({ isFinished }) => isFinished);
  }

  render(width: number): string[] {
    const { folded, apart } = this.#parts();
    return [
      ...(folded.length > 1 ? this.#line(folded, width) : folded.flatMap((call) => call.render(width))),
      ...apart.flatMap((call) => call.render(width)),
    ];
  }

  /** Calls that failed, were denied, wait for an answer or have an image keep a line of their own. */
  #parts(): { readonly folded: CallEntry[]; readonly apart: CallEntry[] } {
    const isPlain = (call: CallEntry): boolean => !call.hasImages && (call.how === "done" || call.isRunning);
    return {
      folded: this.#calls.filter(isPlain),
      apart: this.#calls.filter((call) => !isPlain(call)),
    };
  }

  #line(calls: readonly CallEntry[], width: number): string[] {
    const running = calls.filter(({ isRunning }) => isRunning);
    const isOver = running.length === 0;
    const begun = Math.min(...calls.map(({ startedMs = this.#now() }) => startedMs));
    const ended = isOver ? Math.max(...calls.map(({ endedMs = begun }) => endedMs)) : this.#now();
    const state = `${isOver ? "done" : "running"} ${duration(ended - begun)}`;
    const mark = isOver ? MARKS.done() : spinner(this.#now());
    const title = titleRows({ mark, words: sums(calls, isOver), state, hint: isOver ? HINT : "", width });
    if (isOver) return title;
    const now = truncateToWidth(running.at(-1)?.words ?? "", Math.max(1, width - 4), "…");
    return [...title, dim(`  └ ${now}`)];
  }
}

interface Title {
  readonly mark: string;
  readonly words: string;
  readonly state: string;
  /** Left out if it does not fit. */
  readonly hint: string;
  readonly width: number;
}

/** The words and the state, in as many rows as they need. */
function titleRows({ mark, words, state, hint, width }: Title): string[] {
  const inner = Math.max(1, width - 2);
  const rows = wordWrap(words, inner);
  const last = rows.pop() ?? "";
  const joint = ` · ${state}`;
  const isOneRow = visibleWidth(last) + visibleWidth(joint) <= inner;
  const used = visibleWidth(isOneRow ? `${last}${joint}` : state);
  const shownHint = used + visibleWidth(hint) <= inner ? hint : "";
  const end = isOneRow
    ? [`${bold(last)}${dim(`${joint}${shownHint}`)}`]
    : [bold(last), dim(`${state}${shownHint}`)];
  return [...rows.map(bold), ...end].map((row, at) => `${at === 0 ? mark : " "} ${row}`);
}

/** `Read 3 files, searched 2 patterns`, in the order of the first call of each kind. */
function sums(calls: readonly CallEntry[], isOver: boolean): string {
  const counts = new Map<string, { readonly noun: string; count: number }>();
  for (const { toolName } of calls) {
    const [past = "", present = "", noun = ""] = FOLDED[toolName] ?? [];
    const verb = isOver ? past : present;
    const key = `${verb} ${noun}`;
    const known = counts.get(key) ?? { noun, count: 0 };
    known.count++;
    counts.set(key, known);
  }
  const words = [...counts].map(([key, { noun, count }]) => {
    const verb = key.slice(0, key.length - noun.length - 1);
    return `${verb} ${count} ${noun}${count === 1 ? "" : "s"}`;
  });
  const text = words.join(", ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
