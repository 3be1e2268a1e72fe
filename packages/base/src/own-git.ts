/**
 * Runs git for internal use. The configuration of a repository can name programs that git runs and places that it reads;
 * here none of them takes effect.
 */

import { aString, anObject, required } from "./options.ts";
import { lstat, readFile, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { findProgram } from "./find-program.ts";
import type { Environment } from "./own-keys.ts";

/** Turns off settings that name programs. These win over the repository's. */
export const QUIET_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", "true"],
  ["core.askPass", "true"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", "false"],
  ["credential.helper", ""],
  ["gpg.program", "false"],
  ["log.showSignature", "false"],
  ["interactive.diffFilter", "cat"],
  ["protocol.allow", "never"],
];

/** No prompts, no fetches, no locks. */
export const QUIET_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  // An allow list without any existing protocol.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PAGER: "cat",
};

export const QUIET_OPTIONS: readonly string[] = QUIET_SETTINGS.flatMap(([key, value]) => [
  "-c",
  `${key}=${value}`,
]);

export interface OwnGit {
  readonly program: string;
  /** Options before the subcommand. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Finds the system's git, and never one that the workspace contains. */
export function findGit(workspace: string, path = process.env["PATH"] ?? ""): string | undefined {
  return findProgram("git", { workspace, path });
}

/**
 * Returns how to run git on the repository of a folder. Undefined if the folder is not in a repository, or if the
 * repository is elsewhere and does not refer back to this folder: then the author of the folder chose it.
 */
export async function ownGit(cwd: string, env: Environment): Promise<OwnGit | undefined> {
  required(aString)(cwd, 'ownGit: "cwd"');
  required(anObject)(env, 'ownGit: "env"');
  const tree = await workTree(await realpath(cwd));
  const repository = tree === undefined ? undefined : await repositoryOf(tree);
  if (tree === undefined || repository === undefined) return undefined;
  const program = findGit(tree, env["PATH"]);
  if (program === undefined) return undefined;
  const own = Object.fromEntries(
    ["HOME", "XDG_CONFIG_HOME"].flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const places = { PATH: "/usr/bin:/bin", LC_ALL: "C", GIT_DIR: repository, GIT_WORK_TREE: tree };
  return {
    program,
    options: [...QUIET_OPTIONS, "-c", "core.bare=false"],
    env: { ...own, ...places, ...QUIET_ENVIRONMENT },
  };
}

async function workTree(start: string): Promise<string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    if ((await kindOf(join(folder, ".git"))) !== "missing") return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

async function repositoryOf(tree: string): Promise<string | undefined> {
  const git = join(tree, ".git");
  if ((await kindOf(git)) === "folder") return (await isShared(git)) ? undefined : git;
  if ((await kindOf(git)) !== "file") return undefined;
  const named = /^gitdir: (.+)$/m.exec(await textOf(git))?.[1];
  if (named === undefined) return undefined;
  const folder = await realpath(resolve(tree, named.trim())).catch(() => undefined);
  if (folder === undefined) return undefined;
  if (isWithin(folder, tree)) return (await isShared(folder)) ? undefined : folder;
  return (await knows(folder, git)) ? folder : undefined;
}

/** The folder of a worktree names the worktree's `.git` file; that of a submodule is in the enclosing repository. */
async function knows(folder: string, git: string): Promise<boolean> {
  const back = (await textOf(join(folder, "gitdir"))).trim();
  if (back !== "" && (await realpath(resolve(folder, back)).catch(() => "")) === git) return true;
  for (let above = dirname(dirname(git)); ; above = dirname(above)) {
    if (isWithin(folder, join(above, ".git/modules"))) return true;
    if (dirname(above) === above) return false;
  }
}

/** Whether its configuration is in another repository. */
async function isShared(folder: string): Promise<boolean> {
  return !["", "."].includes((await textOf(join(folder, "commondir"))).trim());
}

async function kindOf(path: string): Promise<"missing" | "folder" | "file" | "other"> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return "missing";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

async function textOf(path: string): Promise<string> {
  return (await kindOf(path)) === "file" ? readFile(path, "utf8") : "";
}

/** Whether the path is the folder or in it. Both are absolute and resolved. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || isAbsolute(way));
}
