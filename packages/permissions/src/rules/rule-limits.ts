/**
 * What a wildcard rule does not cover although its text matches, because of what is on disk: links, unpacked trees,
 * repositories.
 */

import { gitRepositories } from "../bash/git.ts";
import { baseName } from "../bash/inner.ts";
import { programFolders } from "../bash/sharp-builtins.ts";
import { PSQL_CODE, SQLITE_CODE } from "../bash/runners.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { type CommandFile, pathsOf } from "../paths/command-files.ts";
import { facesOf, isInWorkspace, type Workspace } from "../paths/paths.ts";
import { treeProblem } from "../paths/trees.ts";

const MYSQL_CODE = /\\[!PTe]|(?:^|[\n;])\s*(?:system|pager|tee|source|edit)\b/i;
const UNPACKERS = new Set(["tar", "bsdtar", "unzip", "7z", "7za", "7zr", "7zz"]);

/** Why the rule does not cover this command; undefined if it does. */
export function limitOf(
  command: ShellCommand,
  files: readonly CommandFile[],
  workspace: Workspace,
): string | undefined {
  return (
    throughLink(files, workspace) ??
    intoTree(command, files, workspace) ??
    withLocalRepository(command, workspace) ??
    withCommands(command) ??
    withOwnPrograms(command, workspace)
  );
}

/** Programs of the workspace would run instead of those of the system. */
function withOwnPrograms({ words }: ShellCommand, workspace: Workspace): string | undefined {
  if (!/^(?:export|declare|typeset|readonly|local)$/.test(words[0]?.value ?? "")) return undefined;
  const own = programFolders(words.slice(1)).find(
    (folder) =>
      folder.startsWith("/") && facesOf(folder, workspace).some((face) => isInWorkspace([face], workspace)),
  );
  return own === undefined ? undefined : `makes programs in ${own} run instead of those of the system`;
}

/** Clients that read commands of their own from their input. */
const CLIENTS: ReadonlyMap<string, RegExp> = new Map([
  ["sqlite3", SQLITE_CODE],
  ["duckdb", SQLITE_CODE],
  ["psql", PSQL_CODE],
  ["mysql", MYSQL_CODE],
  ["mariadb", MYSQL_CODE],
]);

function withCommands({ words, input }: ShellCommand): string | undefined {
  const isCode = input !== undefined && CLIENTS.get(baseName(words[0]?.value ?? ""))?.test(input) === true;
  return isCode ? "gets commands that can run a program or write a file" : undefined;
}

/** A name in the workspace that leads out of it does not show where the command writes. */
function throughLink(files: readonly CommandFile[], workspace: Workspace): string | undefined {
  const found = files.find(
    ({ mode, removes, path, faces }) =>
      mode === "write" && !removes && isInWorkspace([path], workspace) && !isInWorkspace(faces, workspace),
  );
  return found === undefined ? undefined : `writes outside the workspace through the link ${found.word.raw}`;
}

/** The members of an archive are not visible: one of them could go through a link in the folder. */
function intoTree(
  { words }: ShellCommand,
  files: readonly CommandFile[],
  workspace: Workspace,
): string | undefined {
  if (!UNPACKERS.has(baseName(words[0]?.value ?? ""))) return undefined;
  for (const { mode, path } of files) {
    const problem = mode === "write" ? treeProblem(path, workspace) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The URL of another machine, or its short form `host:path`. */
const ADDRESS = /^(?!file:)(?:[\w+.-]+:\/\/|(?:[\w.-]+@)?[\w.-]+:(?!:))/;
const USUAL_REMOTES = /^(?:origin|upstream|fork)$/;

/** Git runs the hooks of a local repository that it pushes to, and reads its configuration. */
function withLocalRepository({ words, folders }: ShellCommand, workspace: Workspace): string | undefined {
  const [first, ...rest] = words;
  if (baseName(first?.value ?? "") !== "git") return undefined;
  const found = gitRepositories(rest).find(({ word, mayBeName }) => {
    // `.` is the repository that git runs in.
    if (ADDRESS.test(word.value) || word.value === ".") return false;
    return !mayBeName || !isRemote(word, folders, workspace);
  });
  return found === undefined
    ? undefined
    : `uses ${found.word.raw}, which could be a local repository with hooks`;
}

/** Whether the word is the name of a remote and not of a folder. */
function isRemote(word: ShellWord, folders: readonly string[] | undefined, workspace: Workspace): boolean {
  const { value } = word;
  if (word.type !== "static" || !/^[\w.-]+$/.test(value) || /^\.+$/.test(value)) return false;
  const exists = (path: string): boolean => workspace.look.stat(path) !== undefined;
  if (pathsOf(word, folders, workspace).some(exists)) return false;
  return (
    USUAL_REMOTES.test(value) ||
    workspace.roots.some((root) =>
      ["refs", "logs/refs"].some((folder) => exists(`${root}/.git/${folder}/remotes/${value}`)),
    )
  );
}
