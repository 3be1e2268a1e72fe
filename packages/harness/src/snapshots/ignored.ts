/** Asks git which paths the workspace's `.gitignore` files exclude, many at a time. */

import { lstat, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Git, Talk } from "./git.ts";
import { below, pathOf } from "./path.ts";

/** The parts of an answer: source file, line, pattern, path. */
const PARTS = 4;
const PATTERN = 2;

export class Ignored {
  readonly #talk: Talk;
  readonly #prefix: string;

  constructor(talk: Talk, prefix: string) {
    this.#talk = talk;
    this.#prefix = prefix;
  }

  /** Returns for each path, in order, whether it is ignored. */
  async of(paths: readonly string[]): Promise<boolean[]> {
    // With a leading dot, no name is read as a pattern.
    this.#talk.say(paths.map((path) => `./${below(this.#prefix, path)}\0`).join(""));
    const parts = await this.#talk.readParts("\0", paths.length * PARTS);
    return paths.map((_, at) => {
      const pattern = parts[at * PARTS + PATTERN] ?? "";
      return pattern !== "" && !pattern.startsWith("!");
    });
  }

  close(): Promise<void> {
    return this.#talk.close();
  }
}

/** In a repository, the rules of parent folders apply too. */
export async function openIgnored(git: Git, workspace: string, store: string): Promise<Ignored> {
  const top = await topOf(workspace);
  await copyExcludes(top, store);
  if (top !== workspace) {
    const prefix = pathOf(relative(top, workspace));
    if (!(await isIgnored(git, top, prefix))) return ask(git, top, prefix);
  }
  return ask(git, workspace, "");
}

async function isIgnored(git: Git, tree: string, path: string): Promise<boolean> {
  const ignored = ask(git, tree, "");
  try {
    return (await ignored.of([path])).includes(true);
  } finally {
    await ignored.close();
  }
}

function ask(git: Git, tree: string, prefix: string): Ignored {
  const args = ["check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"];
  return new Ignored(git.on(tree).talk(args), prefix);
}

/** Returns the top of the repository. A home folder that is a repository does not count. */
async function topOf(workspace: string): Promise<string> {
  const home = homedir();
  for (let folder = workspace; ; folder = dirname(folder)) {
    if (folder === home || folder === dirname(folder)) return workspace;
    const isTop = await lstat(join(folder, ".git")).then(
      () => true,
      () => false,
    );
    if (isTop) return folder;
  }
}

/** Patterns in `.git/info/exclude` apply too. */
async function copyExcludes(top: string, store: string): Promise<void> {
  const own = await readFile(join(top, ".git", "info", "exclude")).catch(() => Buffer.alloc(0));
  await writeFile(join(store, "info", "exclude"), own);
}
