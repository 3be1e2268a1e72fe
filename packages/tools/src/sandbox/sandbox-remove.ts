/** Deletes files that a command left, while other commands may be replacing the folders around them with links. */

import { spawnSync } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, unlinkSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { SYSTEM_FOLDERS } from "@runahead/base";
import { kindOf } from "./sandbox-paths.ts";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Deletes an entry at any depth below `root` without following links. A folder is deleted with its content only if it
 * is directly in `root`, which commands cannot move. Returns false if the entry still exists.
 */
export function removeBelow(root: string, path: string): boolean {
  const opened: number[] = [];
  try {
    let folder = openSync(root, FOLDER);
    opened.push(folder);
    for (const name of relative(root, dirname(path)).split("/").filter(Boolean)) {
      folder = openSync(`/proc/self/fd/${folder}/${name}`, FOLDER);
      opened.push(folder);
    }
    const entry = `/proc/self/fd/${folder}/${basename(path)}`;
    if (lstatSync(entry).isDirectory()) return dirname(path) === root && removeFolder(path);
    unlinkSync(entry);
    return true;
  } catch {
    // It is gone, or a folder around it moved.
    return false;
  } finally {
    for (const one of opened) closeSync(one);
  }
}

/** `rm` opens every folder without following links, which Node does not. */
function removeFolder(path: string): boolean {
  const env = { PATH: SYSTEM_FOLDERS.join(":") };
  spawnSync("rm", ["-rf", "--one-file-system", "--", path], { env, stdio: "ignore" });
  return kindOf(path) === "missing";
}
