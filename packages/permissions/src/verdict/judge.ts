/** What every verdict is reached with: the compiled rules, the mode and the workspace. */

import type { Workspace } from "../paths/paths.ts";
import { coversParameter, coversTool, type Rule } from "../rules/rule.ts";
import type { Mode } from "../rules/modes.ts";
import { matchesFile } from "../rules/file-pattern.ts";

export interface RuleBook {
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  /** Of every action, first match wins. */
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
  /** False: the folder's own git configuration is not to be used. */
  readonly isTrusted: boolean;
}

export interface FileAccess {
  readonly mode: "read" | "write";
  /** The names of the one file. */
  readonly faces: readonly string[];
}

/** Below a folder that is denied as a whole. */
const PROBE = "\u0001";

/** A rule for the tool as a whole, or for one of its parameters. */
export function coversCall(rule: Rule, tool: string, input: unknown): boolean {
  if (rule.type === "tool") return coversTool(rule, tool);
  return rule.type === "parameter" && coversParameter(rule, tool, input);
}

export function coversFile(rule: Rule, { mode, faces }: FileAccess): boolean {
  if (rule.type !== "file") return false;
  if (rule.action === "allow")
    return rule.mode === mode && faces.every((face) => matchesFile(rule.pattern, face));
  // Who may not read a file may not write it either.
  const isMeant = rule.mode === mode || (rule.action === "deny" && rule.mode === "read");
  return (
    isMeant &&
    faces.some((face) => matchesFile(rule.pattern, face) || matchesFile(rule.pattern, `${face}/${PROBE}`))
  );
}

/** Whether some rule of a command's kind could turn a call down: then what is hidden matters. */
export function hasRestrictions({ deny, ask, ordered }: RuleBook): boolean {
  return [...deny, ...ask, ...ordered].some(({ type, action }) => type === "command" && action !== "allow");
}

/** The first rule in the order of the book; undefined where none is for this. */
export function firstRule(book: RuleBook, covers: (rule: Rule) => boolean): Rule | undefined {
  for (const list of [book.deny, book.ask, book.ordered, book.allow]) {
    const found = list.find(covers);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The rule for a tool's use of a file. A link and its target are each judged; the strictest holds, an allow needs all. */
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
