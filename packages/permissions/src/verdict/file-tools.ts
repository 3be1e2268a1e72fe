/** Verdicts on Read, Glob, Grep, Edit, Write and NotebookEdit. */

import { posix } from "node:path";
import { facesFor } from "../paths/command-files.ts";
import { coversCall, coversFile, type FileAccess, type Judge, ruleForFile } from "./judge.ts";
import { keptFiles, mayBeDeniedTwin } from "../paths/exposure.ts";
import {
  facesOf,
  isCycle,
  isInside as isBelow,
  isInWorkspace,
  readPath,
  type Workspace,
} from "../paths/paths.ts";
import { protectedPlace } from "../paths/protected.ts";
import { shapeOf } from "@runahead/base";
import { EDITORS, READERS } from "../rules/tools.ts";
import { byMode, byRule, mustAsk, type Verdict } from "./verdict.ts";

/** Returns the file or folder of a call; undefined if the input names none. */
export function pathOfCall(tool: string, input: unknown, cwd: string): string | undefined {
  const fields = shapeOf(input);
  // A question to a language server about the whole workspace names no file.
  const isSearch = tool === "Glob" || tool === "Grep" || tool === "LS" || tool === "LSP";
  const path = fields[pathField(tool, isSearch)];
  if (isSearch) {
    const folder = path === undefined || path === null ? cwd : path;
    if (typeof folder !== "string") return undefined;
    return tool === "Glob" ? globStart(fields["pattern"], folder) : folder;
  }
  return typeof path === "string" && path !== "" ? path : undefined;
}

function pathField(tool: string, isSearch: boolean): string {
  if (tool === "LSP") return "filePath";
  if (isSearch) return "path";
  return tool.startsWith("Notebook") ? "notebook_path" : "file_path";
}

/** A pattern can lead out of its folder: `/etc/*`, `../../**`. */
function globStart(pattern: unknown, folder: string): string | undefined {
  if (typeof pattern !== "string") return pattern === undefined ? folder : undefined;
  if (pattern.startsWith("~"))
    return pattern
      .split("/")
      .slice(0, 2)
      .join("/")
      .replaceAll(/[*?[{].*/g, "");
  if (!pattern.startsWith("/") && !pattern.includes("..")) return folder;
  // Whatever the wildcards match, each `..` after them can lead up.
  const ups = pattern.split("/").filter((name) => /\.\./.test(name)).length;
  const literal = pattern
    .split("/")
    .slice(
      0,
      Math.max(
        0,
        pattern.split("/").findIndex((name) => /[*?[{]/.test(name)),
      ),
    )
    .join("/");
  const start = pattern.startsWith("/") ? literal || "/" : posix.join(folder, literal);
  return ups === 0 ? start : posix.join(start, "../".repeat(ups));
}

/** Returns the names and resolved paths that the verdict on a call checks; the tool opens nothing else. */
export function filesOfCall(tool: string, input: unknown, workspace: Workspace): string[] {
  const text = pathOfCall(tool, input, workspace.cwd);
  if (text === undefined) return [];
  const judged = facesOf(readPath(text, workspace).path, workspace);
  if (tool !== "Glob") return judged;
  // The verdict on a pattern can be about a parent of the searched folder.
  const searched = facesOf(
    readPath(pathOfCall("Grep", input, workspace.cwd) ?? "", workspace).path,
    workspace,
  );
  const isCovered = searched.every((path) => judged.some((folder) => isBelow(path, folder)));
  return isCovered ? [...judged, ...searched] : judged;
}

export function decideFile(tool: string, input: unknown, judge: Judge): Verdict {
  const { book, mode, workspace } = judge;
  const text = pathOfCall(tool, input, workspace.cwd);
  const isWrite = EDITORS.has(tool);
  if (text === undefined)
    return { behavior: "deny", reason: `${tool} was called without a path.`, by: { type: "input" } };
  const file = readPath(text, workspace);
  const accessMode = isWrite ? "write" : "read";
  const access: FileAccess = { mode: accessMode, faces: facesFor(accessMode, file.path, workspace) };
  const what = `${tool} of ${printable(file.path)}`;
  const denied = book.deny.find((rule) => coversCall(rule, tool, input) || coversFile(rule, access));
  if (denied !== undefined) return byRule(denied, what);
  if (file.type === "impossible")
    return { behavior: "deny", reason: `${what}: ${file.why}.`, by: { type: "input" } };
  if (file.type === "odd") return mustAsk(`${what}: ${file.why}.`, { type: "unclear" }, mode);
  const unclear = unclearFile(access, judge);
  if (unclear !== undefined) return mustAsk(`${what}: ${unclear}.`, { type: "unclear" }, mode);
  const guarded = isWrite ? guard(access.faces, what, judge) : undefined;
  if (guarded !== undefined) return guarded;
  const found = ruleForFile(book, access, { tool, input });
  if (found !== undefined) return settled(byRule(found, what), judge, isWrite);
  return withoutRule(access, what, judge);
}

function unclearFile({ mode, faces }: FileAccess, { book, workspace }: Judge): string | undefined {
  if (isCycle(faces)) return "its path contains a cycle of symbolic links";
  if (mode === "read" && mayBeDeniedTwin(faces, keptFiles(book), workspace))
    return "it could be a hard link to a file that a rule denies";
  return undefined;
}

/** Checks for protected places, by name and by where links lead. */
function guard(faces: readonly string[], what: string, { mode }: Judge): Verdict | undefined {
  const places = faces.flatMap((face) => protectedPlace(face) ?? []);
  const place = places.find(({ behavior }) => behavior === "deny") ?? places[0];
  if (place === undefined) return undefined;
  const by = { type: "protected", place: place.place } as const;
  const reason = `${what} would write to ${place.place}, which is protected.`;
  return place.behavior === "deny" ? { behavior: "deny", reason, by } : mustAsk(reason, by, mode);
}

/** Applies the mode to a rule's verdict: dontAsk never asks, plan never changes anything. */
export function settled(verdict: Verdict, { mode }: Judge, changes: boolean): Verdict {
  if (verdict.behavior === "ask")
    return mustAsk(verdict.reason, verdict.by, mode === "plan" && !changes ? "default" : mode);
  if (verdict.behavior === "allow" && mode === "plan" && changes) return byMode(verdict.reason, mode, true);
  return verdict;
}

/** Whether all names of the file, also where its links lead, are in a folder that is readable without a question. */
function isReadable(faces: readonly string[], { readableFolders, workspace }: Judge): boolean {
  if (readableFolders.length === 0) return false;
  const folders = readableFolders.flatMap((folder) => facesOf(posix.resolve(folder), workspace));
  return faces.every((face) => folders.some((folder) => isBelow(face, folder)));
}

function withoutRule({ mode: access, faces }: FileAccess, what: string, judge: Judge): Verdict {
  const { mode, workspace } = judge;
  const isInside = isInWorkspace(faces, workspace);
  if (access === "read" && !isInside && isReadable(faces, judge))
    return {
      behavior: "allow",
      reason: `${what} is allowed: the file is output of this session.`,
      by: { type: "reading" },
    };
  if (access === "read" && isInside)
    return {
      behavior: "allow",
      reason: `${what} is allowed: the file is inside the workspace.`,
      by: { type: "reading" },
    };
  if (access === "write" && isInside && mode === "acceptEdits")
    return {
      behavior: "allow",
      reason: "Mode acceptEdits allows edits inside the workspace.",
      by: { type: "mode", mode },
    };
  const reason = isInside ? `${what} is not allowed by any rule.` : `${what} is outside the workspace.`;
  return byMode(reason, mode, access === "write");
}

/** Whether the model can learn without a question that the file of this call exists. */
export function mayCheckFile(tool: string, input: unknown, judge: Judge): boolean {
  if (!EDITORS.has(tool) && !READERS.has(tool)) return true;
  const { workspace } = judge;
  const text = pathOfCall(tool, input, workspace.cwd);
  const file = text === undefined ? undefined : readPath(text, workspace);
  if (file?.type !== "path") return false;
  if (isInWorkspace(facesOf(file.path, workspace), workspace)) return true;
  return decideFile("Read", { file_path: text }, judge).behavior === "allow";
}

/** Shortens a text and escapes characters that a terminal would interpret. */
export function printable(text: string): string {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return short.replaceAll(
    /[\p{Cc}\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu,
    (letter) => String.raw`\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a search can show this file. */
export function mayShow(path: string, book: Judge["book"], workspace: Workspace): boolean {
  // Links need not be resolved while no file is denied.
  if (!book.deny.some(({ type }) => type === "file")) return true;
  const access: FileAccess = { mode: "read", faces: facesOf(path, workspace) };
  return !book.deny.some((rule) => coversFile(rule, access));
}
