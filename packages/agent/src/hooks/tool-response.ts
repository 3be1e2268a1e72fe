/** `tool_response`: the output of a built-in tool with the members that hook scripts know. */

import { readFile, stat } from "node:fs/promises";
import { type Shape, isShape } from "@runahead/base";
import type { ResultContent } from "@runahead/engine";

export interface FinishedTool {
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly content: ResultContent;
  readonly ranMs: number;
}

/** The members of the tool's own output stay beside the documented ones. */
export async function toolResponse(call: FinishedTool): Promise<unknown> {
  const { toolName, output, content } = call;
  if (toolName.startsWith("mcp__")) return content;
  if (!isWritable(output)) return content;
  if (!isShape(output)) return output;
  const input = isShape(call.input) ? call.input : {};
  const documented = await DOCUMENTED[toolName]?.({ ...call, input, output });
  return documented === undefined ? output : { ...output, ...documented };
}

function isWritable(output: unknown): boolean {
  try {
    return JSON.stringify(output) !== undefined;
  } catch {
    return false;
  }
}

interface Known extends FinishedTool {
  readonly input: Shape;
  readonly output: Shape;
}

const DOCUMENTED: Readonly<Record<string, (call: Known) => Shape | Promise<Shape>>> = {
  Bash: ({ output: { text, type, id, outputPath } }) => ({
    stdout: text,
    stderr: "",
    interrupted: false,
    isImage: false,
    ...(type === "background" ? { backgroundTaskId: id } : {}),
    ...(outputPath === undefined ? {} : { persistedOutputPath: outputPath }),
  }),
  Read: readResponse,
  Write: async ({ input, output }) => ({
    type: output["type"] === "created" ? "create" : "update",
    filePath: output["path"],
    content: input["content"],
    structuredPatch: hunksOf(output["diff"]),
    originalFile: originalOf(String(input["content"]), output),
    userModified: false,
  }),
  Edit: async ({ input, output }) => ({
    filePath: output["path"],
    oldString: input["old_string"],
    newString: input["new_string"],
    originalFile: originalOf(await textOf(output["path"]), output),
    structuredPatch: hunksOf(output["diff"]),
    userModified: false,
    replaceAll: input["replace_all"] === true,
  }),
  NotebookEdit: ({ input, output }) => ({
    notebook_path: output["path"],
    cell_id: output["cellId"],
    new_source: input["new_source"] ?? "",
    cell_type: input["cell_type"] ?? "code",
    edit_mode: input["edit_mode"] ?? "replace",
  }),
  Glob: ({ output: { files, total }, ranMs }) => ({
    durationMs: Math.round(ranMs),
    numFiles: listOf(files).length,
    filenames: files,
    truncated: Number(total) > listOf(files).length,
  }),
  Grep: ({ output: { mode, lines } }) => {
    const texts = isShape(lines) ? listOf(lines["texts"]) : [];
    if (mode === "files_with_matches") return { mode, numFiles: texts.length, filenames: texts };
    return { mode, numFiles: 0, filenames: [], content: texts.join("\n"), numLines: texts.length };
  },
  WebFetch: ({ input, output, content, ranMs }) => {
    const { answer, status = 200, to } = output;
    const result = typeof answer === "string" ? answer : contentText(content);
    const bytes = Buffer.byteLength(result);
    const code = typeof status === "number" ? status : 200;
    return { bytes, code, codeText: "", result, durationMs: Math.round(ranMs), url: to ?? input["url"] };
  },
  WebSearch: ({ output: { query, results }, ranMs }) => ({
    query,
    results: [{ tool_use_id: "", content: results }],
    durationSeconds: ranMs / 1000,
  }),
};

function readResponse({ output, ranMs: _ranMs }: Known): Shape {
  const { type, path, lines, firstLine, base64, mediaType } = output;
  if (type === "image")
    return { type, file: { filePath: path, base64, type: mediaType, originalSize: size(base64) } };
  if (type !== "text") return { file: { filePath: path } };
  const texts = listOf(lines);
  return {
    type,
    file: {
      filePath: path,
      content: texts.join("\n"),
      numLines: texts.length,
      startLine: firstLine,
      totalLines: Number(firstLine) + texts.length - 1,
    },
  };
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
function originalOf(text: string | undefined, { type, diff }: Shape): string | null {
  if (type === "created" || text === undefined || !isShape(diff) || diff["type"] !== "hunks") return null;
  const lines = text.split("\n");
  for (const { newStart, newLines, lines: changed } of hunksOf(diff).toReversed()) {
    // A missing line break at the end of a file does not show in the lines.
    if (changed.some((line) => line.startsWith("\\"))) return null;
    const before = changed.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
    lines.splice(newLines === 0 ? newStart : newStart - 1, newLines, ...before);
  }
  return lines.join("\n");
}

const MOST_BYTES = 4_000_000;

async function textOf(path: unknown): Promise<string | undefined> {
  if (typeof path !== "string") return undefined;
  try {
    return (await stat(path)).size > MOST_BYTES ? undefined : await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}

function contentText(content: ResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
