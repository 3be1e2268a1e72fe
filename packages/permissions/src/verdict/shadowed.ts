/**
 * Programs of the workspace that stand in for those of the system. `npx`, `npm run` and direnv put folders of the
 * workspace into `PATH`, so that `ls` can be a program that a repository brings along.
 */

import { delimiter, join, resolve } from "node:path";
import { isExecutable } from "@runahead/base";
import type { ShellCommand } from "../bash/script.ts";
import { isInside, realPathOnDisk, type Workspace } from "../paths/paths.ts";

/** The program that one of the commands would start instead of the system's; undefined if there is none. */
export function shadowedProgram(
  commands: readonly ShellCommand[],
  { cwd, roots }: Pick<Workspace, "cwd" | "roots">,
): string | undefined {
  const folders = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => resolve(cwd, folder))
    .filter((folder) => roots.some((root) => isInside(realPathOnDisk(folder), root)));
  if (folders.length === 0) return undefined;
  const names = commands.map(({ words }) => words[0]?.value ?? "").filter((name) => /^[^/]+$/.test(name));
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}
