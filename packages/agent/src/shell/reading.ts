/** Small readings of a command: where it is redirected to, what it is given, what it prints. */

import type { HereDoc } from "unbash";
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
