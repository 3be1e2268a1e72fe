/** Reads the repository's own sources, for the tests of the repository. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Lists the files below these folders that git tracks or would track, with this suffix. */
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
  return importsIn(textOf(file));
}

/** The modules that a source names, in imports and exports of every form. Comments do not count. */
export function importsIn(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "");
  const named =
    /(?:^|\n)(?:import|export)\b[^;]*?from "([^"]+)"|(?:^|\n)import "([^"]+)"|\bimport\(\s*"([^"]+)"/g;
  return [...code.matchAll(named)].map((match) => (match[1] ?? match[2] ?? match[3]) as string);
}
