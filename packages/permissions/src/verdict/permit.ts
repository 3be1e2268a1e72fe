/** Why one command can run: a rule, because it only reads, or the mode; with every file that it is redirected to. */

import { posix } from "node:path";
import { type Reach, looking } from "../bash/read-only.ts";
import type { ShellCommand, ShellRedirect, ShellWord } from "../bash/script.ts";
import { baseName } from "../bash/inner.ts";
import { isSharp } from "../bash/sharp.ts";
import { editedBy } from "./accept-edits.ts";
import { type BashPattern, isExactly, matchesBash, matchesOne } from "../rules/bash-pattern.ts";
import { areInWorkspace, isFree, pathsOf, runsInWorkspace } from "../paths/command-files.ts";
import { type AllowForm, hasOnlySafeVariables } from "./command-text.ts";
import { printable } from "./file-tools.ts";
import { type Judge, ruleForFile } from "./judge.ts";
import { namesProtected } from "../paths/named-places.ts";
import { facesOf } from "../paths/paths.ts";
import { readProblem } from "../paths/exposure.ts";
import { isOtherRepository } from "../paths/repositories.ts";
import { coversTool, type Rule } from "../rules/rule.ts";
import { editProblem, hasOtherNames } from "../paths/trees.ts";

export type Permit =
  /** `isWhole`: the rule covers every command, or exactly this text. */
  | { readonly type: "rule"; readonly rule: Rule; readonly isWhole: boolean }
  | { readonly type: "reading" }
  | { readonly type: "mode" }
  | { readonly type: "none"; readonly why: string };

/** A command with everything that allow rules match against, computed once. */
export interface Asked {
  readonly command: ShellCommand;
  readonly forms: readonly AllowForm[];
  /** The whole text that contains it. */
  readonly whole: string;
  /** It writes a file whose name is unknown until it runs. */
  readonly hasUnknownTarget: boolean;
}

export function permitCommand(asked: Asked, judge: Judge, reach: Reach): Permit {
  const { command } = asked;
  const own = permitOf(asked, judge, reach);
  if (own.type === "none") return own;
  const isAll = own.type === "rule" && own.rule.type === "tool";
  if (!isAll && command.moved && asked.forms.some(({ words }) => baseName(words[0]?.value ?? "") === "git"))
    return { type: "none", why: "git would run in a different folder." };
  if (own.type === "rule" && !isAll && isGit(asked) && isOtherRepository(judge.workspace))
    return { type: "none", why: "git would use the settings of another repository in the workspace." };
  let changes = false;
  for (const redirect of command.redirects) {
    if (redirect.type === "descriptor" || isFree(redirect.target)) continue;
    if (!mayRedirect(redirect, command, { judge, isAll }))
      return {
        type: "none",
        why: `The redirection ${printable(redirect.target.raw)} is not allowed by any rule.`,
      };
    if (redirect.mode !== "read") changes = true;
  }
  // A rule for a command does not cover the file it is redirected to, which plan mode keeps as it is.
  const isByMode = own.type === "reading" || judge.mode === "plan";
  return changes && isByMode ? { type: "mode" } : own;
}

function isGit({ forms }: Asked): boolean {
  return forms.some(({ words }) => baseName(words[0]?.value ?? "") === "git");
}

function permitOf(asked: Asked, judge: Judge, reach: Reach): Permit {
  const { command, forms, whole } = asked;
  const isSafe = hasOnlySafeVariables(command);
  const allowing = (rule: Rule): boolean =>
    rule.action === "allow" && (judge.mode !== "plan" || isNamed(rule)) && allows(rule, asked);
  const rule = judge.book.ordered.find(allowing) ?? judge.book.allow.find(allowing);
  if (rule !== undefined) return { type: "rule", rule, isWhole: isWholeRule(rule, whole) };
  return withoutRule({ ...asked, forms: isSafe ? forms : [] }, judge, reach);
}

/** Plan mode runs what a rule names. A rule for every command would make the mode pointless. */
function isNamed(rule: Rule): boolean {
  return rule.type === "command" && rule.pattern.start !== "";
}

function withoutRule({ command, forms }: Asked, judge: Judge, reach: Reach): Permit {
  const { mode, workspace, isTrusted } = judge;
  // In the sandbox, commands get no variable that could hold a secret.
  const secret = reach === "strict" ? command.secret : undefined;
  const isEmpty = command.words.length === 0 && hasOnlySafeVariables(command);
  if (isEmpty && secret === undefined) return { type: "reading" };
  // The configuration of an untrusted repository can make git do more than read.
  const known = forms.filter(({ words }) => isTrusted || baseName(words[0]?.value ?? "") !== "git");
  const looks = known.map(({ words }) => looking(words, reach)).find((found) => found !== undefined);
  const isHome = looks?.looksAround !== true || runsInWorkspace(command.folders, workspace);
  // Expanding a pattern lists a folder, whatever the command does with the names.
  const patterns = command.words.filter(({ type }) => type === "glob");
  const reads = [...(looks?.reads ?? []), ...(looks?.inspects ?? []), ...patterns];
  if (looks !== undefined && command.words.some(({ expands }) => expands === true))
    return none(command, "expands a pattern in a folder that is unknown until it runs");
  if ((looks !== undefined || isEmpty) && secret !== undefined)
    return none(command, `could show the value of ${secret}`);
  if (looks !== undefined && isHome && areInWorkspace(reads, command.folders, workspace)) {
    const problem = forms.map(({ words }) => readProblem({ ...command, words }, workspace)).find(isGiven);
    return problem === undefined ? { type: "reading" } : none(command, problem);
  }
  const edited =
    mode === "acceptEdits" ? forms.find(({ words }) => editedBy(words) !== undefined) : undefined;
  if (edited !== undefined && areInWorkspace(editedBy(edited.words) ?? [], command.folders, workspace)) {
    const problem = editProblem({ ...command, words: edited.words }, judge);
    return problem === undefined ? { type: "mode" } : none(command, problem);
  }
  return none(command, looks === undefined ? "is not allowed by any rule" : "reads outside the workspace");
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function none(command: ShellCommand, why: string): Permit {
  const name = [...command.assignments, ...command.words].map(({ raw }) => raw).join(" ");
  return { type: "none", why: `${printable(name === "" ? "It" : name)} ${printable(why)}.` };
}

/** Whether an allow rule covers this command. */
export function allows(rule: Rule, asked: Asked): boolean {
  if (rule.type === "tool") return coversTool(rule, "Bash");
  if (rule.type !== "command") return false;
  if (asked.hasUnknownTarget) return allowsExactly(rule, asked);
  if (isExactly(rule.pattern, asked.whole)) return true;
  // Loops instead of callbacks, here and below: a verdict compares every rule with every command.
  for (const form of asked.forms) if (allowsForm(rule.pattern, form)) return true;
  return false;
}

/** Whether a rule covers exactly this command or exactly this text. */
export function allowsExactly(rule: Rule, { forms, whole }: Asked): boolean {
  if (rule.type !== "command") return false;
  if (isExactly(rule.pattern, whole)) return true;
  for (const { texts } of forms) if (isExactlyOne(rule.pattern, texts)) return true;
  return false;
}

function isExactlyOne(pattern: BashPattern, texts: readonly string[]): boolean {
  for (const text of texts) if (isExactly(pattern, text)) return true;
  return false;
}

function isWholeRule(rule: Rule, whole: string): boolean {
  return rule.type === "tool" || (rule.type === "command" && isExactly(rule.pattern, whole));
}

function allowsForm(pattern: BashPattern, { texts, words, isAssigned }: AllowForm): boolean {
  if (isExactlyOne(pattern, texts)) return true;
  if (!matchesOne(pattern, texts)) return false;
  if (isSharp(words, pattern.start) || namesProtected(words) || leavesFolder(words, pattern)) return false;
  if (pattern.start !== "") return true;
  // A leading wildcard matches a program, not a program and the command that it runs.
  const after = { ...pattern, rest: pattern.rest.slice(1) };
  const length = words[0]?.raw.length ?? 0;
  return !isAssigned && texts.some((text) => matchesBash(after, text.slice(length)));
}

/** `Bash(./scripts/*)` covers what is in that folder, and not `./scripts/../x` or a name that is unknown. */
function leavesFolder(words: readonly ShellWord[], { start, hasBoundary, rest }: BashPattern): boolean {
  const given = start.split(" ");
  const written = given.at(-1) ?? "";
  const word = words[given.length - 1];
  if ((hasBoundary && rest.length === 0) || !written.includes("/") || word === undefined) return false;
  const folder = posix.normalize(written.slice(0, written.lastIndexOf("/") + 1));
  return word.type === "dynamic" || !posix.normalize(word.value).startsWith(folder);
}

interface Redirecting {
  readonly judge: Judge;
  /** Every command is allowed, and so are redirections inside the workspace. */
  readonly isAll: boolean;
}

function mayRedirect(
  { mode, target }: Extract<ShellRedirect, { type: "file" }>,
  { folders, moved }: ShellCommand,
  { judge, isAll }: Redirecting,
): boolean {
  const { book, workspace } = judge;
  if (target.type !== "static" || target.fromTilde) return false;
  // For bash, these are network connections and not files.
  if (/^\/dev\/(?:tcp|udp)\//.test(target.value)) return false;
  if (mode !== "read" && moved && !isAll) return false;
  if (folders === undefined && !target.value.startsWith("/")) return false;
  const modes = mode === "both" ? (["read", "write"] as const) : [mode];
  const isInside = areInWorkspace([target], folders, workspace);
  return modes.every((one) => {
    if (isInside && (one === "read" || isAll)) return true;
    return pathsOf(target, folders, workspace).every((path) => {
      const access = { mode: one, faces: facesOf(path, workspace) };
      if (one === "write" && hasOtherNames(access.faces, workspace)) return false;
      if (isInside && judge.mode === "acceptEdits") return true;
      return (
        ruleForFile(book, access, { tool: one === "read" ? "Read" : "Edit", input: {} })?.action === "allow"
      );
    });
  });
}
