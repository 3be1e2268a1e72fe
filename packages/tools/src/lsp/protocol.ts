/** The parts of the Language Server Protocol that are used. What a server sends is checked before it is used. */

import { fileURLToPath, pathToFileURL } from "node:url";
import { isShape } from "@runahead/base";

/** Zero-based, in UTF-16 code units. */
interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Location {
  readonly path: string;
  readonly at: Position;
}

/** A problem that a language server found in a file. */
export interface Diagnostic {
  readonly at: Position;
  /** 1: error, 2: warning, 3: information, 4: hint. */
  readonly severity: number;
  readonly message: string;
  readonly code: string;
  readonly source: string;
}

export interface SymbolEntry {
  readonly name: string;
  readonly kind: number;
  readonly depth: number;
  readonly container: string;
  readonly location: Location;
}

const MOST_DIAGNOSTICS = 500;
const MOST_ITEMS = 2_000;
const MESSAGE_CHARS = 600;

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/** Returns undefined if it is not the address of a file. */
export function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !uri.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function positionIn(value: unknown): Position {
  const { line, character } = isShape(value) ? value : {};
  return { line: natural(line), character: natural(character) };
}

function natural(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : 0;
}

function startOf(range: unknown): Position {
  return positionIn(isShape(range) ? range["start"] : undefined);
}

export function diagnosticsIn(value: unknown): Diagnostic[] {
  return list(value)
    .slice(0, MOST_DIAGNOSTICS)
    .filter(isShape)
    .map((one) => {
      const { range, severity, message, code, source } = one;
      return {
        at: startOf(range),
        severity: typeof severity === "number" ? severity : 1,
        message: textIn(message).slice(0, MESSAGE_CHARS),
        code: typeof code === "number" || typeof code === "string" ? String(code).slice(0, 100) : "",
        source: typeof source === "string" ? source.slice(0, 100) : "",
      };
    });
}

/** A message can also be markup. */
function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  return isShape(value) && typeof value["value"] === "string" ? value["value"] : "";
}

/** One location, several, or links. */
export function locationsIn(value: unknown): Location[] {
  const all = Array.isArray(value) ? (value as unknown[]) : [value];
  return all.slice(0, MOST_ITEMS).flatMap((one) => {
    if (!isShape(one)) return [];
    const path = pathOf(one["uri"] ?? one["targetUri"]);
    const range = one["range"] ?? one["targetSelectionRange"] ?? one["targetRange"];
    return path === undefined ? [] : [{ path, at: startOf(range) }];
  });
}

/** The text of a hover: markup, a string, or a list of both. Images inside it would only be noise. */
export function hoverIn(value: unknown): string {
  const { contents } = isShape(value) ? value : {};
  const parts = Array.isArray(contents) ? (contents as unknown[]) : [contents];
  return parts
    .map(textIn)
    .filter((text) => text.trim() !== "")
    .join("\n\n")
    .replaceAll(/!\[[^\]]*\]\(data:[^)]*\)\s*/g, "")
    .trim();
}

/** Symbols as a tree or as a list. `path` is the file of a tree. */
export function symbolsIn(value: unknown, path = ""): SymbolEntry[] {
  const found: SymbolEntry[] = [];
  const add = (one: unknown, depth: number): void => {
    if (!isShape(one) || found.length >= MOST_ITEMS || depth > 20) return;
    const { name, kind, location, range, selectionRange, containerName, children } = one;
    const place = locationsIn(location)[0] ?? ofTree(path, selectionRange ?? range);
    if (typeof name !== "string" || place === undefined) return;
    const container = typeof containerName === "string" ? containerName : "";
    found.push({ name, kind: natural(kind), depth, container, location: place });
    for (const child of list(children)) add(child, depth + 1);
  };
  for (const one of list(value)) add(one, 0);
  return found;
}

function ofTree(path: string, range: unknown): Location | undefined {
  return path === "" ? undefined : { path, at: startOf(range) };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

const KINDS =
  "file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter".split(
    " ",
  );

export function kindName(kind: number): string {
  return KINDS[kind - 1] ?? "symbol";
}
