/**
 * Lists of tools as people write them: `Read, Bash(git add:*, x)`, `Read Grep`, `All tools`, `all except Bash`, `*, !Bash`.
 * Words that are not a list are kept apart: a tool that is named in a sentence is not a tool that is listed.
 */

import { isShape } from "@runahead/base";
import { isKnownTool, withKnownCase } from "@runahead/permissions/internal";

export interface ToolWords {
  /** The tools and rules that are listed. */
  readonly names: readonly string[];
  /** Those that the list excludes: `!Bash`, `not Bash`. */
  readonly excluded: readonly string[];
  /** Parts that cannot be read as a list. */
  readonly prose: readonly string[];
}

const ALL = /^(?:\*|all|all tools|any|everything)$/i;
const EXCEPT =
  /^(?:\*|all|any|everything)(?:\s+(?:of\s+)?(?:the\s+)?tools?)?\s*,?\s*(?:except|but(?:\s+not)?|without|excluding|minus)(?:\s+for)?\s*:?\s+(.+)$/is;
const JOINERS = /^(?:and|or|plus|&|\+|-|•)$/i;
const NOT = /^(?:not|no|never|without|except|excluding)$/i;

/** Reads a text. */
export function toolWords(text: string): ToolWords {
  const listed = jsonList(text);
  if (listed !== undefined) return joined(listed.map(toolWords));
  if (ALL.test(text.trim())) return { names: ["*"], excluded: [], prose: [] };
  const [, rest] = EXCEPT.exec(text.trim()) ?? [];
  if (rest !== undefined) {
    const { names, excluded, prose } = toolWords(rest);
    return prose.length === 0
      ? { names: ["*"], excluded: [...names, ...excluded], prose: [] }
      : { names: [], excluded: [], prose: [text.trim()] };
  }
  return joined(parts(text, /[,;\n]/).map(partWords));
}

/** A list in quotes: `'["Read", "Grep"]'`. */
function jsonList(text: string): string[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

export function joined(all: readonly ToolWords[]): ToolWords {
  return {
    names: all.flatMap(({ names }) => names),
    excluded: all.flatMap(({ excluded }) => excluded),
    prose: all.flatMap(({ prose }) => prose),
  };
}

/** One part between commas: a tool, or tools separated by spaces. */
function partWords(part: string): ToolWords {
  const [first = "", ...others] = parts(part, /\s/);
  const isNegated = NOT.test(first) && others.length > 0;
  const words = (isNegated ? others : [first, ...others]).filter((word) => !JOINERS.test(word));
  if (words.length === 0) return { names: [], excluded: [], prose: [] };
  if (words.length > 1 && !words.every(isToolLike)) return { names: [], excluded: [], prose: [part] };
  if (isNegated) return { names: [], excluded: words, prose: [] };
  const excluded = words.filter(isExclusion);
  return {
    names: words.filter((word) => !isExclusion(word)),
    excluded: excluded.map((word) => word.slice(1)),
    prose: [],
  };
}

function isExclusion(word: string): boolean {
  return /^[!~-]/.test(word) && isTool(word.slice(1));
}

/** Tools of other programs have names such as `web_search` or `EnterPlanMode`; words of a sentence do not. */
function isToolLike(word: string): boolean {
  return isTool(word.replace(/^[!~-]/, "")) || /^[A-Za-z]\w*_\w+$|^[A-Z][a-z]+[A-Z]\w*$|^\*$/.test(word);
}

function isTool(word: string): boolean {
  return isKnownTool(withKnownCase(word.replace(/[\s(].*$/s, "")));
}

/** Splits outside of brackets. A space before a bracket belongs to the entry. */
function parts(text: string, gap: RegExp): string[] {
  const items: string[] = [];
  let item = "";
  let depth = 0;
  const end = (): void => {
    if (item.trim() !== "") items.push(item.trim());
    item = "";
  };
  for (const [at, letter] of [...text].entries()) {
    const isEscaped = text[at - 1] === "\\";
    if (letter === "(" && !isEscaped) depth++;
    if (letter === ")" && !isEscaped) depth = Math.max(0, depth - 1);
    const isGap = gap.test(letter) && depth === 0;
    if (!isGap || (/\s/.test(letter) && /^\s*\(/.test(text.slice(at)))) item += letter;
    else end();
  }
  end();
  return items;
}

/** The tools of an object such as `{Read: true, Write: false}`, the form of another program. */
export function switchedTools(value: unknown): { readonly on: string[]; readonly off: string[] } | undefined {
  if (!isShape(value)) return undefined;
  const entries = Object.entries(value);
  const isSwitch = entries.length > 0 && entries.every(([, held]) => typeof held === "boolean");
  if (!isSwitch) return undefined;
  const named = (wanted: boolean): string[] =>
    entries.filter(([, held]) => held === wanted).map(([name]) => name);
  return { on: named(true), off: named(false) };
}

/** Whether a list names all tools. */
export function namesAllTools(tools: readonly string[]): boolean {
  return ALL.test(tools.join(" "));
}

/** Tools of other programs that have no counterpart here, so that their names are not taken for misspelled ones. */
export const FOREIGN_TOOLS: readonly string[] = [
  "Artifact",
  "CronCreate",
  "CronDelete",
  "CronList",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitWorktree",
  "ListAgents",
  "Monitor",
  "PowerShell",
  "PushNotification",
  "ReadMcpResourceDirTool",
  "ReadNotifications",
  "RemoteTrigger",
  "ScheduleWakeup",
  "SendFeedback",
  "SendUserFile",
  "SendUserMessage",
  "TaskGet",
  "TeamCreate",
  "TeamDelete",
  "WaitForMcpServers",
  "Workflow",
];
