/** `tool_response` of the tools that read and write files. */

import { readFile, stat } from "node:fs/promises";
import { type Shape, isShape } from "@runahead/base";
import type { KnownCall } from "./tool-response.ts";

export async function readResponse({ output }: KnownCall): Promise<Shape> {
  const { type, path, base64, mediaType } = output;
  const filePath = path;
  switch (type) {
    case "text":
      return { type, file: textFile(output) };
    case "image": {
      const originalSize = (await sizeOf(path)) ?? size(base64);
      return { type, file: { filePath, base64, type: mediaType, originalSize } };
    }
    case "notebook":
      return { type, file: { filePath, cells: cellsIn(await textOf(path)) } };
    case "pdf": {
      const bytes = await bytesOf(path);
      const originalSize = (await sizeOf(path)) ?? 0;
      return { type, file: { filePath, base64: bytes?.toString("base64") ?? "", originalSize } };
    }
    default:
      return { file: { filePath } };
  }
}

function textFile({ path, lines, firstLine, totalLines }: Shape): Shape {
  const texts = listOf(lines);
  const last = Number(firstLine) + texts.length - 1;
  return {
    filePath: path,
    content: texts.join("\n"),
    numLines: texts.length,
    startLine: firstLine,
    totalLines: typeof totalLines === "number" ? totalLines : last,
  };
}

export function writeResponse({ input, output }: KnownCall): Shape {
  return {
    type: output["type"] === "created" ? "create" : "update",
    filePath: output["path"],
    content: input["content"],
    structuredPatch: hunksOf(output["diff"]),
    originalFile: originalOf(String(input["content"]), output),
    userModified: false,
  };
}

export async function editResponse({ input, output }: KnownCall): Promise<Shape> {
  return {
    filePath: output["path"],
    oldString: input["old_string"],
    newString: input["new_string"],
    originalFile: originalOf(await textOf(output["path"]), output),
    structuredPatch: hunksOf(output["diff"]),
    userModified: false,
    replaceAll: input["replace_all"] === true,
  };
}

export async function notebookResponse({ input, output }: KnownCall): Promise<Shape> {
  const { path, cellId } = output;
  const mode = input["edit_mode"] ?? "replace";
  const updated = await textOf(path);
  const original = originalOf(updated, output);
  const before = cellIn(original, cellId);
  const cell = mode === "delete" ? before : cellIn(updated, cellId);
  const type = input["cell_type"] ?? cell?.["cell_type"];
  return {
    notebook_path: path,
    cell_id: cellId,
    new_source: input["new_source"] ?? "",
    ...(mode === "insert" || before === undefined ? {} : { old_source: sourceOf(before) }),
    cell_type: type === "markdown" ? "markdown" : "code",
    language: languageOf(updated),
    edit_mode: mode,
    original_file: original,
    updated_file: updated ?? null,
  };
}

function notebookIn(text: string | null | undefined): Shape {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isShape(value) ? value : {};
  } catch {
    return {};
  }
}

function cellsIn(text: string | null | undefined): readonly Shape[] {
  return listOf(notebookIn(text)["cells"]).filter(isShape);
}

/** Cells of old notebooks have no id; they are called by their place. */
function cellIn(text: string | null | undefined, id: unknown): Shape | undefined {
  const cells = cellsIn(text);
  return cells.find((cell) => cell["id"] === id) ?? cells[placeIn(id)];
}

function placeIn(id: unknown): number {
  return typeof id === "string" && /^cell-\d+$/.test(id) ? Number(id.slice("cell-".length)) : -1;
}

function sourceOf({ source }: Shape): string {
  return Array.isArray(source) ? source.join("") : typeof source === "string" ? source : "";
}

function languageOf(text: string | undefined): string {
  const { metadata } = notebookIn(text);
  const { language_info: info, kernelspec } = isShape(metadata) ? metadata : {};
  const name = isShape(info) ? info["name"] : undefined;
  const language = isShape(kernelspec) ? kernelspec["language"] : undefined;
  return [name, language].find((one): one is string => typeof one === "string") ?? "python";
}

function size(base64: unknown): number {
  return typeof base64 === "string" ? Buffer.byteLength(base64, "base64") : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

interface Hunk {
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function hunksOf(diff: unknown): readonly Hunk[] {
  return isShape(diff) && Array.isArray(diff["hunks"]) ? (diff["hunks"] as Hunk[]) : [];
}

/** Undoes the change. Null for a new file, and if the text before cannot be determined. */
export function originalOf(text: string | undefined, { type, diff }: Shape): string | null {
  if (type === "created" || text === undefined || !isShape(diff) || diff["type"] !== "hunks") return null;
  const hunks = hunksOf(diff);
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  for (const { newStart, newLines, lines: changed } of hunks.toReversed()) {
    const before = changed.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1));
    lines.splice(newLines === 0 ? newStart : newStart - 1, newLines, ...before);
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}${endedWithBreak(text, hunks) ? "\n" : ""}`;
}

/** A line without a line break at the end of a file is followed by a line that begins with a backslash. */
function endedWithBreak(text: string, hunks: readonly Hunk[]): boolean {
  const marked = hunks.flatMap(({ lines }) => lines.filter((_, at) => lines[at + 1]?.startsWith("\\")));
  if (marked.some((line) => !line.startsWith("+"))) return false;
  return text === "" || marked.length > 0 || text.endsWith("\n");
}

const MOST_BYTES = 4_000_000;

async function sizeOf(path: unknown): Promise<number | undefined> {
  if (typeof path !== "string") return undefined;
  return stat(path).then(
    (stats) => stats.size,
    () => undefined,
  );
}

async function bytesOf(path: unknown): Promise<Buffer | undefined> {
  const bytes = await sizeOf(path);
  if (typeof path !== "string" || bytes === undefined || bytes > MOST_BYTES) return undefined;
  return readFile(path).catch(() => undefined);
}

async function textOf(path: unknown): Promise<string | undefined> {
  return (await bytesOf(path))?.toString("utf8");
}
