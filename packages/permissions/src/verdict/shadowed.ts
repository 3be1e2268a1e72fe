/**
 * Workspace programs that shadow system programs. `npx`, `npm run` and direnv put workspace folders into `PATH`, so
 * `ls` can be a program that the repository contains.
 */

import { delimiter, join, resolve } from "node:path";
import { isExecutable } from "@runahead/base";
import type { ShellCommand } from "../bash/script.ts";
import { isInside, realPathsOnce, type Workspace } from "../paths/paths.ts";

/**
 * Returns the workspace program that one of the commands would start instead of the system's; undefined if there is
 * none.
 */
export function shadowedProgram(
  commands: readonly ShellCommand[],
  { cwd, roots }: Pick<Workspace, "cwd" | "roots">,
): string | undefined {
  const realpath = realPathsOnce();
  const folders = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => resolve(cwd, folder))
    .filter((folder) => roots.some((root) => isInside(realpath(folder) ?? folder, root)));
  if (folders.length === 0) return undefined;
  const names = commands.map(({ words }) => words[0]?.value ?? "").filter((name) => /^[^/]+$/.test(name));
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}
