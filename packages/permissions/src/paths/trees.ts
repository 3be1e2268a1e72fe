/** Copies, moves and removals of whole folders: where each file of the tree ends up, and which links are in it. */

import { posix } from "node:path";
import { copiesOf, touchesOf } from "../bash/files.ts";
import { baseName } from "../bash/inner.ts";
import { isUnknown, maySay } from "../bash/options.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { pathsOf } from "./command-files.ts";
import { coversFile, type Judge } from "../verdict/judge.ts";
import { facesOf, isInside, isInWorkspace, resolveThrough, type Workspace } from "./paths.ts";
import { linkedFaces, type Protected, protectedPlace } from "./protected.ts";
import type { Rule } from "../rules/rule.ts";
import { entriesBelow, type TreeEntry } from "./tree.ts";

/** Commands that copy folders only with an option. */
const NEED_OPTION = new Set(["cp", "scp", "rsync"]);
const TAKE_TREES = new Set(["mv", ...NEED_OPTION]);
const MAX_TREES = 200;

interface Landing {
  readonly source: TreeEntry;
  readonly root: string;
  /** The names of the place that it is written to. */
  readonly faces: readonly string[];
}

/** The new path of each file in the copied folders; undefined if there are too many. */
function landingsOf(command: ShellCommand, workspace: Workspace): Landing[] | undefined {
  const { words, folders } = command;
  if (!takesTrees(words)) return [];
  const copies = copiesOf(words);
  if (copies.length > MAX_TREES && copies.some(({ source }) => !isFile(source, command, workspace)))
    return undefined;
  const landings: Landing[] = [];
  for (const { source, target } of copies)
    for (const root of pathsOf(source, folders, workspace)) {
      const entries = treeAt(root, workspace);
      if (entries === undefined) return undefined;
      for (const folder of entries.length === 0 ? [] : pathsOf(target, folders, workspace))
        for (const to of [folder, posix.join(folder, posix.basename(root))])
          for (const entry of entries)
            landings.push({ source: entry, root, faces: landingFaces(entry, { root, to }, workspace) });
    }
  return landings;
}

/** Whether the command takes folders with everything in them. */
export function takesTrees([first, ...rest]: readonly ShellWord[]): boolean {
  const name = first === undefined ? "" : baseName(first.value);
  if (!TAKE_TREES.has(name)) return false;
  return (
    !NEED_OPTION.has(name) ||
    rest.some(
      (word) =>
        isUnknown(word) || /^-[^-]*[rRa]/.test(word.value) || maySay(word.value, ["recursive", "archive"]),
    )
  );
}

function isFile(word: ShellWord, { folders }: ShellCommand, workspace: Workspace): boolean {
  return pathsOf(word, folders, workspace).every((path) => workspace.look.stat(path)?.type === "file");
}

/** Empty if the path is not a folder. */
function treeAt(path: string, workspace: Workspace): TreeEntry[] | undefined {
  const real = resolveThrough(path, workspace.realpath);
  if (workspace.look.stat(real)?.type !== "folder") return [];
  const entries = entriesBelow(real, workspace);
  return entries?.map((entry) => ({ ...entry, path: posix.join(path, entry.path.slice(real.length)) }));
}

function landingFaces(
  { path }: TreeEntry,
  { root, to }: { root: string; to: string },
  workspace: Workspace,
): readonly string[] {
  const landing = posix.join(to, path.slice(root.length));
  // No link can be below a folder that does not exist yet.
  const isNew =
    workspace.look.stat(posix.dirname(landing)) === undefined && workspace.look.stat(to) === undefined;
  return isNew
    ? [landing, resolveThrough(to, workspace.realpath) + landing.slice(to.length)]
    : facesOf(landing, workspace);
}

/** Returns the protected place that a file of a copied or moved folder ends up in. */
export function landsInProtected(
  command: ShellCommand,
  workspace: Workspace,
): Protected | "unknown" | undefined {
  const landings = landingsOf(command, workspace);
  if (landings === undefined) return "unknown";
  for (const { faces } of landings)
    for (const face of [...faces, ...linkedFaces(faces, workspace)]) {
      const place = protectedPlace(face);
      if (place !== undefined) return place;
    }
  return undefined;
}

/** Why a copy or a move takes a file along that a rule restricts, or puts one in its place. */
export function keptEntry(
  command: ShellCommand,
  rules: readonly Rule[],
  workspace: Workspace,
): string | undefined {
  const isMove = baseName(command.words[0]?.value ?? "") === "mv";
  for (const { source, faces } of landingsOf(command, workspace) ?? []) {
    const from = facesOf(source.path, workspace);
    const isKept = rules.some(
      (rule) =>
        coversFile(rule, { mode: "read", faces: from }) ||
        coversFile(rule, { mode: "write", faces }) ||
        (isMove && coversFile(rule, { mode: "write", faces: from })),
    );
    if (isKept) return `it copies or moves ${source.path}`;
  }
  return undefined;
}

/** Why mode acceptEdits does not allow this command although everything it names is in the workspace. */
export function editProblem(command: ShellCommand, judge: Judge): string | undefined {
  return (
    hardLinked(command, judge.workspace) ??
    copyProblem(command, judge) ??
    removalProblem(command, judge.workspace)
  );
}

function copyProblem(command: ShellCommand, { workspace }: Judge): string | undefined {
  const landings = landingsOf(command, workspace);
  if (landings === undefined) return "affects too many files to check";
  for (const { source, root, faces } of landings) {
    const from = facesOf(source.path, workspace);
    if (source.type === "link" && leavesTree(from, root, workspace)) return linkProblem(source.path);
    if (!isInWorkspace(faces, workspace)) return `writes through a link to ${faces.at(-1) ?? ""}`;
    if (hasOtherNames(faces, workspace)) return otherNames(faces[0] ?? "");
  }
  return undefined;
}

function removalProblem({ words, folders }: ShellCommand, workspace: Workspace): string | undefined {
  if (baseName(words[0]?.value ?? "") !== "rm") return undefined;
  for (const { word, removes } of touchesOf(words))
    for (const path of removes ? pathsOf(word, folders, workspace) : []) {
      // A removal does not go through links, so a tree that is too large to inspect is harmless.
      const links = (treeAt(path, workspace) ?? []).filter(({ type }) => type === "link");
      const out = links.find((link) => leavesTree(facesOf(link.path, workspace), path, workspace));
      if (out !== undefined) return linkProblem(out.path);
    }
  return undefined;
}

/** Why an archive must not be unpacked into a folder: something in it leads elsewhere or is protected. */
export function treeProblem(path: string, workspace: Workspace): string | undefined {
  const entries = treeAt(path, workspace);
  if (entries === undefined) return "unpacks into a folder that has too many files to check";
  const risky = entries.find(
    (entry) =>
      (entry.type === "link" && leavesTree(facesOf(entry.path, workspace), path, workspace)) ||
      protectedPlace(entry.path) !== undefined,
  );
  return risky === undefined ? undefined : `unpacks into a folder that contains ${risky.path}`;
}

const linkProblem = (path: string): string => `affects a folder with the link ${path}, which leads elsewhere`;
const otherNames = (path: string): string => `writes ${path}, which has another hard link`;

/** Whether a link in a tree leads out of the workspace, or to a protected place outside the tree. */
function leavesTree(faces: readonly string[], root: string, workspace: Workspace): boolean {
  if (!isInWorkspace(faces, workspace)) return true;
  const real = resolveThrough(root, workspace.realpath);
  return faces.some(
    (face) => !isInside(face, root) && !isInside(face, real) && protectedPlace(face) !== undefined,
  );
}

/** Commands that write into an existing file; `mv` and `touch`, for example, do not. */
const WRITE_INTO = new Set(["cp", "sed", "tee", "truncate", "dd", "install", "sponge"]);

function hardLinked({ words, folders }: ShellCommand, workspace: Workspace): string | undefined {
  if (!WRITE_INTO.has(baseName(words[0]?.value ?? ""))) return undefined;
  const written = touchesOf(words).filter(({ mode, removes }) => mode === "write" && !removes);
  const found = written
    .flatMap(({ word }) => pathsOf(word, folders, workspace))
    .find((path) => hasOtherNames(facesOf(path, workspace), workspace));
  return found === undefined ? undefined : otherNames(found);
}

/** Whether a write would reach a file that has other hard links, which can be anywhere. */
export function hasOtherNames(faces: readonly string[], { look }: Workspace): boolean {
  return faces.some((face) => {
    const found = look.stat(face);
    return found?.type === "file" && found.links > 1;
  });
}
