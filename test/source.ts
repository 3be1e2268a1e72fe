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
  return [...textOf(file).matchAll(/(?:^|\n)(?:import|export)\b[^;]*?from "([^"]+)"/g)].map(
    (match) => match[1] as string,
  );
}
