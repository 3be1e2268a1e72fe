/** Numbers and calls in words for people. */

import { strip } from "./safe-text.ts";

const MOST_CHARS = 300;

/** The member of an input that says the most, by tool. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  Bash: ["command"],
  Read: ["file_path"],
  Write: ["file_path"],
  Edit: ["file_path"],
  NotebookEdit: ["notebook_path"],
  Glob: ["pattern", "path"],
  Grep: ["pattern", "path"],
  WebFetch: ["url"],
  WebSearch: ["query"],
  Agent: ["subagent_type", "description"],
  BashOutput: ["bash_id"],
  KillShell: ["shell_id"],
};

/** What a call does, in one line; of one that is still coming in, as far as it is known. */
export function callWords(toolName: string, input: unknown): string {
  const members = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const telling = TELLING[toolName]?.map((name) => members[name]).filter((value) => value !== undefined);
  const rest = telling ?? Object.values(members);
  return oneLine([toolName, ...rest.map(textOf)].join(" "));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function oneLine(text: string): string {
  const line = strip(text.slice(0, 4 * MOST_CHARS))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > MOST_CHARS || text.length > 4 * MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line;
}

/** `0.3 s`, `12 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `950`, `12.3k`, `1.2M`. */
export function amount(count: number): string {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The one of these words that is nearest to what was typed, if one is near. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, distance: word.startsWith(typed) ? 0.5 : distanceOf(typed, word) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(2, typed.length / 3) ? best.word : undefined;
}

function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
