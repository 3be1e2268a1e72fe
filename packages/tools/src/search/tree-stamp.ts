/** The state of everything that a search reads, as a text. Only for small folders: a search of a large one is faster. */

import type { BigIntStats } from "node:fs";
import { lstat, readFile, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { judgedPath } from "../files/file-path.ts";
import { isFresh, stampOf } from "../files/stamp.ts";
import { IGNORE_FILES, type SearchInput, rootTarget } from "./search-root.ts";
import type { MayShow } from "./shown-files.ts";

const MOST_ENTRIES = 300;
/** Never searched. */
const SKIPPED = new Set([".git", ".hg", ".svn", ".jj"]);

/** Undefined if the folder has more than 300 entries, or if something in it changed just now. */
export async function treeStamp(
  input: SearchInput,
  cwd: string,
  mayShow: MayShow | undefined,
): Promise<string | undefined> {
  const root = judgedPath(input, rootTarget(input, cwd));
  const paths = await entriesBelow(root);
  if (paths === undefined) return undefined;
  const rules = await ignoreFiles(root);
  const lines = await Promise.all([...paths, ...rules].map((path) => lineOf(path, mayShow)));
  return lines.includes(undefined) ? undefined : lines.join("\n");
}

async function entriesBelow(root: string): Promise<string[] | undefined> {
  const paths = [root];
  for (let at = 0; at < paths.length; at++) {
    const folder = paths[at] as string;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const { name } of entries) if (!SKIPPED.has(name)) paths.push(join(folder, name));
    if (paths.length > MOST_ENTRIES) return undefined;
  }
  return paths;
}

/** The rules about ignored files that apply to the folder and are not in it. */
async function ignoreFiles(root: string): Promise<string[]> {
  const { XDG_CONFIG_HOME: config = join(homedir(), ".config") } = process.env;
  const settings = [join(homedir(), ".gitconfig"), join(config, "git", "config")];
  const named = await Promise.all(settings.map(excludesIn));
  const found = [...settings, ...named.flat(), join(config, "git", "ignore")];
  for (let folder = root; ; folder = dirname(folder)) {
    found.push(join(folder, ".git", "info", "exclude"), join(folder, ".git", "config"));
    if (folder !== root) found.push(...IGNORE_FILES.map((name) => join(folder, name)));
    if (folder === dirname(folder)) return found;
  }
}

/** The files that git settings name with `core.excludesFile`, as ripgrep reads them. */
async function excludesIn(settings: string): Promise<string[]> {
  const text = await readFile(settings, "utf8").catch(() => "");
  const names = text.matchAll(/^[ \t]*excludesfile[ \t]*=[ \t]*"?[ \t]*(\S+?)[ \t]*"?[ \t]*$/gim);
  return [...names].map(([, name = ""]) => name.replace("~", homedir()));
}

/** Rules decide which files a search shows, and can change at any time. */
async function lineOf(path: string, mayShow: MayShow | undefined): Promise<string | undefined> {
  const stats: BigIntStats | undefined = await lstat(path, { bigint: true }).catch(() => undefined);
  if (stats !== undefined && isFresh(stats)) return undefined;
  const isShown = stats?.isFile() === true && mayShow !== undefined ? mayShow(path) : true;
  return `${JSON.stringify(path)} ${stats === undefined ? "-" : stampOf(stats)} ${isShown}`;
}
