/** Reads the repo's own sources, for the tests that keep them tidy. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files that git tracks or would track, below these folders, with this ending. */
export function filesOf(ending: string, ...folders: string[]): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", ...folders];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
  return [...new Set(listed)].filter((file) => file.endsWith(ending) && isThere(file));
}

function isThere(file: string): boolean {
  try {
    readFileSync(`${ROOT}/${file}`);
    return true;
  } catch {
    return false;
  }
}

export function textOf(file: string): string {
  return readFileSync(`${ROOT}/${file}`, "utf8");
}

export function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:^|\n)(?:import|export)\b[^;]*?from "([^"]+)"/g)].map(
    (match) => match[1] as string,
  );
}

export interface SourceFunction {
  readonly file: string;
  readonly line: number;
  readonly lines: number;
  readonly parameters: number;
}

const HEAD =
  /^(\s*)(?:export |async |static |readonly )*(?:function\*? |get |set |\*)?#?[\w$]+(?:<.*>)?\((.*)$/;
const NOT_FUNCTIONS = /^\s*(?:if|for|while|switch|return|throw|catch|await|expect|test|new)\b/;

/** Declared functions and methods. The formatter's layout says where one ends: a `}` as far in as its head. */
export function functionsOf(file: string): SourceFunction[] {
  const lines = textOf(file).split("\n");
  return lines.flatMap((text, at) => {
    const head = HEAD.exec(text);
    if (head === null || NOT_FUNCTIONS.test(text)) return [];
    const [, indent = "", rest = ""] = head;
    const isOpen =
      text.endsWith("{") || (text.endsWith("(") && /^\s*\)(:.*)? \{$/.test(closing(lines, at, indent)));
    if (!isOpen) return [];
    const end = lines.findIndex(
      (line, index) =>
        index > at && /^[,;)]*$/.test(line.slice(indent.length + 1)) && line.startsWith(`${indent}}`),
    );
    return end < 0
      ? []
      : [{ file, line: at + 1, lines: end - at + 1, parameters: parametersOf(rest, lines.slice(at + 1)) }];
  });
}

function closing(lines: readonly string[], at: number, indent: string): string {
  return lines.slice(at + 1).find((line) => line.startsWith(`${indent})`)) ?? "";
}

/** Positional parameters: a destructured one counts as one. */
function parametersOf(rest: string, following: readonly string[]): number {
  const inline =
    rest === ""
      ? following
          .slice(
            0,
            following.findIndex((line) => /^\s*\)/.test(line)),
          )
          .join(" ")
      : rest;
  let depth = 0;
  let count = inline.trim() === "" || inline.startsWith(")") ? 0 : 1;
  for (const letter of inline.replaceAll("=>", "")) {
    if ("({[<".includes(letter)) depth++;
    if (")}]>".includes(letter)) depth--;
    if (depth < 0) break;
    if (letter === "," && depth === 0) count++;
  }
  return rest === "" && inline.trimEnd().endsWith(",") ? count - 1 : count;
}
