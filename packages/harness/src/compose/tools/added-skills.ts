/** The skills of folders that `--add-dir` adds to the workspace. */

import { realpath, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { type MoreFolders, skillFolders } from "../../definitions/prompt-files.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { projectRoot } from "../../settings/place.ts";
import { trustIn } from "../../trust/trust.ts";
import type { Around } from "../around.ts";

/** A skill of an added folder whose name is taken has the name of the folder before its own. */
export function withAdded({ skills, commands }: MoreFolders, folders: readonly string[]): MoreFolders {
  const added = folders.flatMap((folder) =>
    skillFolders(folder).map((path) => ({ path, prefix: "", ifTaken: `${basename(folder)}:` })),
  );
  return { skills: [...skills, ...added], commands };
}

/** Skills can run commands, so only those of trusted folders are used. */
export async function trustedAdded({
  world,
  flags,
  listeners,
  settings,
}: Around & { readonly settings: LoadedSettings }): Promise<readonly string[]> {
  const usable: string[] = [];
  for (const path of flags.addDir ?? []) {
    const folder = await realpath(resolve(world.cwd, path)).catch(() => undefined);
    if (folder === undefined || !(await hasSkills(folder))) continue;
    const isOfProject = settings.isTrusted && (await projectRoot(folder)) === settings.root;
    if (isOfProject || (await trustIn(world).isTrusted(folder))) usable.push(folder);
    else
      listeners.onNotice(
        `The skills of ${folder} are not used, because the folder is not trusted. Run \`runahead trust\` in it to use them.`,
      );
  }
  return usable;
}

async function hasSkills(folder: string): Promise<boolean> {
  const found = await Promise.all(skillFolders(folder).map((path) => stat(path).catch(() => undefined)));
  return found.some((one) => one?.isDirectory() === true);
}
