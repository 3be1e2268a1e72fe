/** Keeps a file that Runahead writes into a project out of its commits. */

import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { join } from "node:path";

/**
 * Adds a path, relative to the root, to `.git/info/exclude` unless it is there. Does nothing if the root has no `.git`
 * folder of its own: a `.git` file or a link can point anywhere. Never throws: the file is written either way.
 */
export async function excludeFromGit(root: string, path: string): Promise<void> {
  const info = join(root, ".git", "info");
  if (!(await isFolder(join(root, ".git")))) return;
  try {
    await mkdir(info, { recursive: true });
    if (!(await isFolder(info))) return;
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
    const file = await open(join(info, "exclude"), flags, 0o644);
    try {
      const text = await file.readFile("utf8");
      const line = `/${path}`;
      if (text.split(/\r?\n/).includes(line)) return;
      await file.appendFile(`${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
    } finally {
      await file.close();
    }
  } catch {
    // The repository is read-only or unusual. Then `git status` shows the file, and the user decides.
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
