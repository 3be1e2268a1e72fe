/** Numbers and calls as text for users. */

import { strip } from "./safe-text.ts";

const MOST_CHARS = 300;
/** With this tool the model presents a plan. */
export const PLAN_TOOL = "ExitPlanMode";

/** Describes a call whose input is still streaming: its name and the first known value. */
export function arrivingWords(toolName: string, input: unknown): string {
  const members = membersOf(input);
  const command = members["command"];
  if (toolName === "Bash" && typeof command === "string") return oneLine(`$ ${command}`);
  const [first = ""] = Object.values(members).filter((value) => typeof value === "string");
  return oneLine(`${toolName} ${first}`);
}

/** Describes a call of an earlier run, which is only known by its name and input, in the words of its tool. */
export function recalledWords(toolName: string, input: unknown): string {
  const { description, plan, questions, subject } = membersOf(input);
  if (toolName === PLAN_TOOL && typeof plan === "string")
    return oneLine(`Present the plan: ${titleOfPlan(plan)}`);
  if (Array.isArray(questions)) {
    const asked = questions.map((one: unknown) => membersOf(one)["question"]);
    return oneLine(`Ask: ${asked.filter((one) => typeof one === "string").join(" / ")}`);
  }
  // The description of a task is longer than its subject.
  if (typeof description !== "string" || typeof subject === "string") return arrivingWords(toolName, input);
  return oneLine(toolName === "Agent" ? `Agent: ${description}` : description);
}

/** The first heading or line of a plan, without its marks. */
function titleOfPlan(plan: string): string {
  return (plan.split("\n").find((line) => line.trim() !== "") ?? "").replace(/^#+\s*/, "");
}

/** Describes a call in the words of its tool. A command starts with `$`. */
export function callWords(description: string, input: unknown): string {
  return oneLine(isCommand(description, input) ? `$ ${description}` : description);
}

/** Returns the command, unless the description of the call already shows it. */
export function commandOf(description: string, input: unknown): string | undefined {
  const { command } = membersOf(input);
  return typeof command === "string" && !isCommand(description, input) ? oneLine(`$ ${command}`) : undefined;
}

function isCommand(description: string, input: unknown): boolean {
  const { command } = membersOf(input);
  return typeof command === "string" && command.trim().startsWith(description);
}

/** The members of an object; none for any other value. */
export function membersOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
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
  if (usd === 0) return "$0";
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns the word that is nearest to the typed one, or undefined if none is near. */
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

/** Shortens a path below the home folder: `~/shop`. */
export function homePath(path: string, home: string): string {
  if (path === home) return "~";
  return home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** `2026-01-31 09:05`, in the time zone of the user. */
export function localMinute(time: string): string {
  const date = new Date(time);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A path as a person reads it: relative to the working folder, or with `~` for the home folder. */
export function shownPath(
  path: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : homePath(path, home);
}

/** Shortens absolute paths below a folder to relative ones, wherever they are in a text. */
export function relativePaths(text: string, folder: string): string {
  if (folder === "" || folder === "/" || !text.includes(folder)) return text;
  const before = String.raw`(^|[\s"'\`(=:])`;
  const path = folder.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return text
    .replaceAll(new RegExp(`${before}${path}/(?=[^\\s/])`, "g"), "$1")
    .replaceAll(new RegExp(`${before}${path}/?(?=$|[\\s"'\`),])`, "g"), "$1.");
}

/** `900 bytes`, `12.3 kB`, `4.0 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `1,234 lines`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** What the model reads before a summary, which only the model needs. */
const SUMMARY_LABEL = /^\[Summary of the (?:earlier conversation|conversation so far)\.[^\]]*\]\n/;

/** The summary that replaces the messages before it, for a person; undefined if the text is something else. */
export function summaryIn(text: string): string | undefined {
  const label = SUMMARY_LABEL.exec(text)?.[0];
  if (label === undefined) return undefined;
  const summary = text.slice(label.length).trim();
  const [, inner = summary] = /^<summary>([^]*)<\/summary>$/.exec(summary) ?? [];
  return `Summary of the earlier conversation:\n\n${inner.trim()}`;
}

const KEPT_LABEL = "[The user wrote, word for word:]\n";

/** A prompt that a summary kept; undefined if the text is something else. */
export function keptPromptIn(text: string): string | undefined {
  return text.startsWith(KEPT_LABEL) ? text.slice(KEPT_LABEL.length) : undefined;
}
