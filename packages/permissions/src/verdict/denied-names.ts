/** Finds the name of a denied program in the arguments of another program, which could run it. */

import { isSafeVariable } from "../bash/environment.ts";
import { baseName } from "../bash/inner.ts";
import { isOrdinary } from "../bash/ordinary.ts";
import type { ShellAssignment, ShellCommand, ShellWord } from "../bash/script.ts";
import type { RuleBook } from "./judge.ts";
import type { Rule } from "../rules/rule.ts";

/** A program that a rule denies or asks about, by name. */
interface Denied {
  readonly rule: Rule;
  /** The name in the rule, and the name to compare with: in lower case if case does not matter. */
  readonly written: string;
  readonly name: string;
  /** The name is only a prefix: `Bash(rm*)`. */
  readonly isPrefix: boolean;
  /** Further words that the rule requires: `push` in `Bash(git push:*)`. */
  readonly more: readonly string[];
}

export interface FoundName {
  readonly rule: Rule;
  readonly name: string;
  /** The program that gets the name as an argument. */
  readonly by: string;
}

export function findDeniedName(
  commands: readonly ShellCommand[],
  text: string,
  { book, ignoresCase }: { readonly book: RuleBook; readonly ignoresCase: boolean },
): FoundName | undefined {
  const fold = (one: string): string => (ignoresCase ? one.toLowerCase() : one);
  const tokens = new Set(tokensOf(fold(text)));
  const denied = deniedPrograms(book, ignoresCase).filter(({ more }) =>
    more.every((word) => tokens.has(word)),
  );
  if (denied.length === 0) return undefined;
  for (const command of commands) {
    const texts = givenTexts(command).map(fold);
    const forms = texts.map(formsOf);
    const own = fold(baseName(command.words[0]?.value ?? ""));
    for (const one of denied)
      if (namedIn(forms, one) || (own === one.name && saysAll(texts, one.more)))
        return { rule: one.rule, name: one.written, by: own || "An assignment" };
  }
  return undefined;
}

/** A verdict uses the same rules as the one before it. */
const programsOf = new WeakMap<RuleBook, Map<boolean, readonly Denied[]>>();

function deniedPrograms(book: RuleBook, ignoresCase: boolean): readonly Denied[] {
  const known = programsOf.get(book) ?? new Map<boolean, readonly Denied[]>();
  programsOf.set(book, known);
  const programs = known.get(ignoresCase) ?? programsIn(book, ignoresCase);
  known.set(ignoresCase, programs);
  return programs;
}

function programsIn({ deny, ask, ordered }: RuleBook, ignoresCase: boolean): Denied[] {
  const fold = (one: string): string => (ignoresCase ? one.toLowerCase() : one);
  return [...deny, ...ask, ...ordered].flatMap((rule): Denied[] => {
    if (rule.type !== "command" || rule.action === "allow") return [];
    const { start, rest, hasBoundary } = rule.pattern;
    const words = start.split(" ").filter((word) => word !== "" && !/^\w+=/.test(word));
    // A wildcard directly after the last word makes that word a prefix.
    const isOpen = rest.length > 0 && !start.endsWith(" ") && !(hasBoundary && rest.length === 0);
    const [name, ...more] = words.map(baseName);
    if (name === undefined || !/^[\w.+-]+$/.test(name)) return [];
    const whole = (isOpen ? more.slice(0, -1) : more).filter((word) => /^\w[\w.+-]*$/.test(word));
    const isPrefix = isOpen && more.length === 0;
    return [{ rule, written: name, name: fold(name), isPrefix, more: whole.map(fold) }];
  });
}

/** Whether the program itself gets every further word of the rule: `git -c alias.p=push p`. */
function saysAll(texts: readonly string[], more: readonly string[]): boolean {
  if (more.length === 0) return false;
  const tokens = new Set(texts.flatMap((text) => [...tokensOf(text)]));
  return more.every((word) => tokens.has(word));
}

/** The texts that a command passes on and could run. */
function givenTexts(command: ShellCommand): string[] {
  const { words, unread, assignments, input } = command;
  const set = assignments
    .filter((one) => isHandedOn(one, words.length > 0))
    .map(({ raw, name }) => raw.slice(name.length + 1));
  if (isOrdinary(words)) return set;
  const [first] = words;
  // A first word that cannot be a program name: an option of the program that runs it, or a script.
  const odd = first !== undefined && /^-|\s/.test(first.value) ? [first] : [];
  return [...set, ...[...odd, ...unread].flatMap(textsOf), ...(input === undefined ? [] : [input])];
}

/** Whether a program can see the variable; one in lower case without a program is only data. */
function isHandedOn({ name, raw }: ShellAssignment, hasProgram: boolean): boolean {
  return !isSafeVariable(name, raw) && (hasProgram || /^[A-Z]/.test(name));
}

function textsOf({ value, raw, type }: ShellWord): string[] {
  return type === "glob" ? [value, `\0${value}`] : [value, raw];
}

/** A text that a command passes on: a pattern for file names, or its words with quotes kept and removed. */
type Given =
  | { readonly type: "pattern"; readonly pattern: string }
  | { readonly type: "text"; readonly forms: readonly Form[] };

interface Form {
  readonly text: string;
  readonly tokens: readonly string[];
}

function formsOf(text: string): Given {
  if (text.startsWith("\0")) return { type: "pattern", pattern: baseName(text.slice(1)) };
  const texts = /['"\\]/.test(text)
    ? [text, text.replaceAll(/['"\\]/g, ""), text.replaceAll(/['"\\]/g, " ")]
    : [text];
  return { type: "text", forms: texts.map((form) => ({ text: form, tokens: tokensOf(form) })) };
}

function namedIn(given: readonly Given[], denied: Denied): boolean {
  for (const one of given) if (names(one, denied)) return true;
  return false;
}

/** Whether the text contains the name as a separate word, with or without quotes inside it. */
function names(given: Given, { name, isPrefix }: Denied): boolean {
  if (given.type === "pattern") return mayMatch(given.pattern, name);
  for (const { text, tokens } of given.forms)
    for (const token of tokens) {
      if (token === name || (isPrefix && token.startsWith(name))) return true;
      // `-crm x`: a value attached to its option.
      const isAttached = token.endsWith(name) && token.length - name.length <= 3 && text.startsWith(token);
      if (isAttached && /^-[a-zA-Z]{1,2}/.test(token)) return true;
    }
  return false;
}

/** Whether a file name pattern could match the program: `/bin/r?`. */
function mayMatch(pattern: string, name: string): boolean {
  // A lone star matches every name and would cause a question for every list of files.
  if (/^\*+$/.test(pattern)) return false;
  const source = pattern.replaceAll(/\[[^\]]*\]|[^\w]/g, (part) =>
    part === "*" ? ".*" : part === "?" || part.length > 1 ? "." : `\\${part}`,
  );
  return new RegExp(`^${source}$`, "s").test(name);
}

function tokensOf(text: string): string[] {
  return text.split(/[^\w.+-]+/).map((token) => token.replace(/^\.+(?=\w)|\.+$/g, ""));
}
