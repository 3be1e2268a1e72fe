/** Small readings of a command: where it is redirected to, what it is given, what it prints. */

import type { HereDoc } from "unbash";
import type { Finding } from "./expansion.ts";
import type { ShellRedirect, ShellWord } from "./script.ts";

export function readRedirect(operator: string, target: ShellWord): ShellRedirect {
  if (/^[<>]&$/.test(operator) && target.type === "static" && /^(?:\d+-?|-)$/.test(target.value))
    return { type: "descriptor" };
  const mode = operator === "<" ? "read" : operator === "<>" || operator === "<&" ? "both" : "write";
  // To a redirection it is a file like any other.
  return { type: "file", mode, target: target.value === "-" ? { ...target, value: "./-" } : target };
}

export function hereText({ body, delimiter }: HereDoc): string | undefined {
  const isLiteral = delimiter?.quoted === true || (body.parts ?? []).every(({ type }) => type === "Literal");
  return isLiteral ? body.text : undefined;
}

/** `echo …` and `printf …`: what a shell behind the pipe would run. */
export function printedBy(words: readonly ShellWord[]): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined || !/^(?:echo|printf)$/.test(first.value)) return undefined;
  return rest.every(({ type }) => type === "static") ? rest.map(({ value }) => value).join(" ") : undefined;
}

/** Commands of the shell that give a variable a value out of data. */
const SETTERS = new Set(
  "read mapfile readarray getopts declare typeset local export readonly let eval source . unset wait".split(
    " ",
  ),
);
/** Those that evaluate a subscript in a name that they are given, even a quoted one. */
const EVALUATORS = new Set(
  "test [ printf read unset declare typeset local export readonly let wait".split(" "),
);

export function setsVariables(name: string, words: readonly ShellWord[]): boolean {
  return SETTERS.has(name) || (name === "printf" && words.some(({ value }) => value.startsWith("-v")));
}

/** `test -v 'a[$(x)]'` runs x; so does `test -v "$y"`, if that is what y says. */
export function namesFinding(name: string, words: readonly ShellWord[]): Finding {
  if (!EVALUATORS.has(name) || !evaluatesNames(name, words)) return {};
  if (words.some(({ value }) => /\[[^\]]*[$`]/s.test(value))) return { doubt: "a name is evaluated" };
  return { evaluates: words.some(({ type }) => type === "dynamic") };
}

function evaluatesNames(name: string, words: readonly ShellWord[]): boolean {
  if (name === "test" || name === "[") return words.some(({ value }) => value === "-v" || value === "-R");
  return name !== "printf" || words.some(({ value }) => value.startsWith("-v"));
}
