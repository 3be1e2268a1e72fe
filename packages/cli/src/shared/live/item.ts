/** The parts of a transcript that viewers show. */

import type { CallView, FileDiff } from "@runahead/harness";
import { changedFile } from "../outputs.ts";
import { strip } from "../safe-text.ts";
import { membersOf } from "../words.ts";

/** When a call came, what it waited for, and when it ran, in milliseconds of the session. */
export interface LiveTimes {
  readonly fromMs: number;
  readonly startMs?: number;
  readonly endMs?: number;
  /** What kept it from starting. */
  readonly waits: readonly (readonly [what: string, fromMs: number, toMs: number])[];
}

/** One part of the transcript. An item with the id of an earlier one replaces it. */
export interface LiveItem {
  readonly id: string;
  readonly kind: "prompt" | "text" | "call" | "agent" | "notice";
  /** The id of the sub-agent; empty for the main agent. */
  readonly agent: string;
  readonly text: string;
  /** The state of a call or an agent. */
  readonly state?: string;
  /** What a call waited for, and what ran ahead. */
  readonly why?: string;
  readonly times?: LiveTimes;
  /** The input, the output or the diff of a call. */
  readonly detail?: string;
  /** The agent that started this agent, or the item of the call that made this call. */
  readonly parent?: string;
}

const MOST_DETAIL = 8_000;

/** The latest items, oldest first. */
export class ItemList {
  readonly #items = new Map<string, LiveItem>();
  readonly #most: number;
  #last = 0;

  constructor(most = 500) {
    this.#most = most;
  }

  get all(): readonly LiveItem[] {
    return [...this.#items.values()];
  }

  get(id: string): LiveItem | undefined {
    return this.#items.get(id);
  }

  nextId(kind: string): string {
    return `${kind}-${++this.#last}`;
  }

  keep(item: LiveItem): LiveItem {
    this.#items.set(item.id, item);
    const [first] = this.#items.keys();
    if (this.#items.size > this.#most && first !== undefined) this.#items.delete(first);
    return item;
  }

  clear(): void {
    this.#items.clear();
  }
}

/** The diff of a change, otherwise what the call printed or returned, otherwise its input. */
export function callDetail({ end, printed, input, hasInput }: CallView): string {
  const changed = changedFile(end?.output);
  if (changed !== undefined) return bounded(diffText(changed.diff));
  const result = end?.outcome === undefined ? printed : outcomeText(end.outcome);
  return hasInput ? detailOf(input, result) : bounded(result);
}

/** The same for a call that is only known by its input and its result. */
export function detailOf(input: unknown, result: string): string {
  const diff = inputDiff(input);
  const shown = diff !== "" ? diff : result !== "" ? result : (JSON.stringify(input, null, 2) ?? "");
  return bounded(shown);
}

/** What matters in the input of a call that must be approved: the change or the command. */
export function inputWords(input: unknown): string {
  const { command } = membersOf(input);
  return typeof command === "string" ? `$ ${command}` : inputDiff(input);
}

/** What an edit replaces and what a write creates; empty for any other input. */
function inputDiff(input: unknown): string {
  const { file_path: path, old_string: gone, new_string: come, content } = membersOf(input);
  if (typeof path !== "string") return "";
  const signed = (text: unknown, sign: string): string[] =>
    typeof text === "string" ? text.split("\n").map((line) => `${sign} ${line}`) : [];
  return [...signed(gone, "-"), ...signed(come ?? content, "+")].join("\n");
}

function diffText(diff: FileDiff): string {
  if (diff.type !== "hunks") return "(too different to compare)";
  const hunks = diff.hunks.map(({ oldStart, newStart, lines }) =>
    [
      `@@ line ${oldStart} → ${newStart}`,
      ...lines.map((line) => `${line.slice(0, 1)} ${line.slice(1)}`),
    ].join("\n"),
  );
  return [`+${diff.added} −${diff.removed} lines`, ...hunks].join("\n");
}

function outcomeText(outcome: NonNullable<NonNullable<CallView["end"]>["outcome"]>): string {
  if (outcome.type === "failed") return outcome.message;
  if (outcome.type === "denied") return outcome.reason;
  return outcome.type === "succeeded" ? contentText(outcome.content) : "";
}

/** The text of a result. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => {
      const { type, text } = membersOf(block);
      return type === "text" && typeof text === "string" ? text : `[${String(type)}]`;
    })
    .join("\n");
}

function bounded(text: string): string {
  return strip(text.length > MOST_DETAIL ? `${text.slice(0, MOST_DETAIL)}\n…` : text);
}
