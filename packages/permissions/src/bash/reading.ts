/** Simple facts about a command: its redirections, its input, its output. */

import type { HereDoc, Redirection } from "unbash";
import type { ShellRedirect, ShellWord } from "./script.ts";

export function readRedirect(operator: string, target: ShellWord): ShellRedirect {
  if (/^[<>]&$/.test(operator) && target.type === "static" && /^(?:\d+-?|-)$/.test(target.value))
    return { type: "descriptor" };
  const mode = operator === "<" ? "read" : operator === "<>" || operator === "<&" ? "both" : "write";
  // As the target of a redirection, `-` is an ordinary file name.
  return { type: "file", mode, target: target.value === "-" ? { ...target, value: "./-" } : target };
}

/** Whether the redirection is of descriptor 0, or of one that could be. */
export function redirectsInput({ type, operator, descriptor }: Redirection): boolean {
  if (descriptor?.type === "FileDescriptor") return descriptor.value === 0;
  return type !== "Redirect" || operator.startsWith("<");
}

/** What a command reads because of a redirection, if the text contains it; `targets` are the words of its target. */
export function inputOf({ type }: Redirection, targets: readonly ShellWord[]): string | undefined {
  return type === "HereString" && targets.every((word) => word.type !== "dynamic")
    ? targets.map(({ value }) => value).join(" ")
    : undefined;
}

export function hereText({ body, delimiter }: HereDoc): string | undefined {
  const isLiteral = delimiter?.quoted === true || (body.parts ?? []).every(({ type }) => type === "Literal");
  return isLiteral ? body.text : undefined;
}

/** Returns what `echo` or `printf` prints, for the shell that reads it; undefined if that is not plain text. */
export function printedBy(words: readonly ShellWord[]): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined || rest.some(({ type }) => type !== "static")) return undefined;
  const values = rest.map(({ value }) => value);
  if (first.value === "echo") return printedByEcho(values);
  return first.value === "printf" ? printedByPrintf(values) : undefined;
}

function printedByEcho(values: readonly string[]): string | undefined {
  const text = values.slice(values[0] === "-n" ? 1 : 0).join(" ");
  return /^-[neE]+$/.test(values[0] ?? "") && values[0] !== "-n" && text.includes("\\") ? undefined : text;
}

/** Supports only `%s` and `\n`. */
function printedByPrintf([format, ...values]: readonly string[]): string | undefined {
  if (format === undefined || format.startsWith("-") || /\\(?!n)|%(?!s)/.test(format)) return undefined;
  const count = format.split("%s").length - 1;
  if (count === 0) return format.replaceAll("\\n", "\n");
  let text = "";
  for (let at = 0; at < Math.max(1, values.length); at += count) {
    let next = at;
    text += format.replaceAll("\\n", "\n").replaceAll("%s", () => values[next++] ?? "");
  }
  return text;
}
