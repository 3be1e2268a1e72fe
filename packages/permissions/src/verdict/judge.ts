/** What every verdict is based on: the compiled rules, the mode and the workspace. */

import type { Workspace } from "../paths/paths.ts";
import { coversParameter, coversTool, type Rule } from "../rules/rule.ts";
import type { Mode } from "../rules/modes.ts";
import { matchesFile } from "../rules/file-pattern.ts";

export interface RuleBook {
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  /** Rules of every action; the first match wins. */
  readonly ordered: readonly Rule[];
  readonly allow: readonly Rule[];
}

export interface Judge {
  readonly book: RuleBook;
  readonly mode: Mode;
  readonly workspace: Workspace;
  readonly ignoresCase: boolean;
  /** Commands that only read run in the read-only sandbox. */
  readonly confinesReads: boolean;
  /** Folders outside the workspace whose files the file tools can read. */
  readonly readableFolders: readonly string[];
  /** False: do not use the folder's git configuration. */
  readonly isTrusted: boolean;
}

export interface FileAccess {
  readonly mode: "read" | "write";
  /** All names of the file. */
  readonly faces: readonly string[];
}

/** A file name for testing whether everything below a folder is denied. */
const PROBE = "\u0001";

/** Whether a rule covers the whole tool or one of its parameters. */
export function coversCall(rule: Rule, tool: string, input: unknown): boolean {
  if (rule.type === "tool") return coversTool(rule, tool);
  return rule.type === "parameter" && coversParameter(rule, tool, input);
}

export function coversFile(rule: Rule, { mode, faces }: FileAccess): boolean {
  if (rule.type !== "file") return false;
  if (rule.action === "allow")
    return rule.mode === mode && faces.every((face) => matchesFile(rule.pattern, face));
  // A file that must not be read must not be written either.
  const isMeant = rule.mode === mode || (rule.action === "deny" && rule.mode === "read");
  return (
    isMeant &&
    faces.some((face) => matchesFile(rule.pattern, face) || matchesFile(rule.pattern, `${face}/${PROBE}`))
  );
}

/** Whether a rule could deny or ask about a command; only then do hidden parts matter. */
export function hasRestrictions({ deny, ask, ordered }: RuleBook): boolean {
  return [...deny, ...ask, ...ordered].some(({ type, action }) => type === "command" && action !== "allow");
}

/** Returns the first rule that applies, in the order of the book; undefined if none does. */
export function firstRule(book: RuleBook, covers: (rule: Rule) => boolean): Rule | undefined {
  for (const list of [book.deny, book.ask, book.ordered, book.allow]) {
    const found = list.find(covers);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the rule for a tool's use of a file. A link and its target are both judged: the strictest rule wins, an
 * allow needs both.
 */
export function ruleForFile(
  book: RuleBook,
  access: FileAccess,
  call: { tool: string; input: unknown },
): Rule | undefined {
  const found = access.faces.map((face) =>
    firstRule(
      book,
      (rule) => coversCall(rule, call.tool, call.input) || coversFile(rule, { ...access, faces: [face] }),
    ),
  );
  const strictest =
    found.find((rule) => rule?.action === "deny") ?? found.find((rule) => rule?.action === "ask");
  return strictest ?? (found.every((rule) => rule !== undefined) ? found[0] : undefined);
}
