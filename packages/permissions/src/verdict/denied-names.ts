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
  const denied = deniedPrograms(book).filter(({ more }) => {
    const tokens = tokensOf(fold(text));
    return more.every((word) => tokens.has(fold(word)));
  });
  if (denied.length === 0) return undefined;
  for (const command of commands) {
    const texts = givenTexts(command).map(fold);
    const own = fold(baseName(command.words[0]?.value ?? ""));
    const found = denied.find(
      ({ name, isPrefix, more }) =>
        texts.some((given) => names(given, fold(name), isPrefix)) ||
        (own === fold(name) && saysAll(texts, more.map(fold))),
    );
    const by = own || "An assignment";
    if (found !== undefined) return { rule: found.rule, name: found.name, by };
  }
  return undefined;
}

function deniedPrograms({ deny, ask, ordered }: RuleBook): Denied[] {
  return [...deny, ...ask, ...ordered].flatMap((rule): Denied[] => {
    if (rule.type !== "command" || rule.action === "allow") return [];
    const { start, rest, hasBoundary } = rule.pattern;
    const words = start.split(" ").filter((word) => word !== "" && !/^\w+=/.test(word));
    // A wildcard directly after the last word makes that word a prefix.
    const isOpen = rest.length > 0 && !start.endsWith(" ") && !(hasBoundary && rest.length === 0);
    const [name, ...more] = words.map(baseName);
    if (name === undefined || !/^[\w.+-]+$/.test(name)) return [];
    const whole = (isOpen ? more.slice(0, -1) : more).filter((word) => /^\w[\w.+-]*$/.test(word));
    return [{ rule, name, isPrefix: isOpen && more.length === 0, more: whole }];
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

/** Whether the text contains the name as a separate word, with or without quotes inside it. */
function names(text: string, name: string, isPrefix: boolean): boolean {
  if (text.startsWith("\0")) return mayMatch(baseName(text.slice(1)), name);
  const isIt = (token: string): boolean => token === name || (isPrefix && token.startsWith(name));
  for (const form of new Set([text, text.replaceAll(/['"\\]/g, ""), text.replaceAll(/['"\\]/g, " ")]))
    for (const token of tokensOf(form)) {
      if (isIt(token)) return true;
      // `-crm x`: a value attached to its option.
      const attached = /^-[a-zA-Z]{1,2}/.test(token) && token.endsWith(name) && form.startsWith(token);
      if (attached && token.length - name.length <= 3) return true;
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

function tokensOf(text: string): Set<string> {
  return new Set(text.split(/[^\w.+-]+/).map((token) => token.replace(/^\.+(?=\w)|\.+$/g, "")));
}
