/** The NotebookEdit tool: changes one cell and leaves every other byte of the file as it is. */

import { type CallContext, type CheckContext, defineTool } from "@runahead/engine";
import { z } from "zod";
import type { AgentFiles } from "../files/agent-files.ts";
import { unchangedFile } from "../files/current-file.ts";
import { type FileDiff, diffWords, fileDiff } from "../files/file-diff.ts";
import { type OwnWriting, type Writing, filesOf } from "../files/file-memory.ts";
import { claimFile, judgedPath, targetOf } from "../files/file-path.ts";
import { decode, encode } from "../files/file-text.ts";
import { hookChanges, withText } from "../files/hook-changes.ts";
import { missingFile } from "../files/nearest.ts";
import { editNotebook } from "./notebook-cells.ts";
import { refuseAfterFailure } from "../shared/failed-commands.ts";
import { Refusal } from "../shared/refusal.ts";
import { replaceFile } from "../files/replace-file.ts";

const inputSchema = z.object({
  notebook_path: z
    .string()
    .min(1)
    .describe("Path of the .ipynb file, absolute or relative to the working directory"),
  cell_id: z
    .string()
    .optional()
    .describe(
      "Id of the cell, as Read shows it; when inserting, the new cell goes after it (default: at the start)",
    ),
  new_source: z.string().optional().describe("New source of the cell; leave it out when deleting"),
  cell_type: z
    .enum(["code", "markdown"])
    .optional()
    .describe("Type of the cell; required when inserting (default when replacing: unchanged)"),
  edit_mode: z
    .enum(["replace", "insert", "delete"])
    .optional()
    .describe("What to do with the cell (default replace)"),
});

type Input = z.infer<typeof inputSchema>;

/** Output of the NotebookEdit tool. */
export interface NotebookEditOutput {
  /** What happened. */
  readonly type: "replaced" | "inserted" | "deleted";
  /** Absolute path of the file. */
  readonly path: string;
  /** Id of the cell. */
  readonly cellId: string;
  /** What changed, line by line. */
  readonly diff: FileDiff;
}

export function notebookEditTool({ memory, onTemporary }: Writing) {
  return defineTool({
    name: "NotebookEdit",
    description:
      "Replaces, inserts or deletes one cell of a Jupyter notebook that you have read. Replacing the source of a code cell clears its outputs. To delete, pass only cell_id and edit_mode.",
    inputSchema,
    access: (input, { cwd }) =>
      claimFile(input, targetOf(input.notebook_path, cwd), { mode: "write", suggests: true }),
    describe: ({ notebook_path, cell_id, edit_mode = "replace" }) =>
      `NotebookEdit ${notebook_path}: ${edit_mode} ${cell_id ?? "first cell"}`,
    check: async (input, context) =>
      void (await prepare(input, context, filesOf(memory, context.context.agent))),
    call: (input, context) =>
      edit(input, context, { files: filesOf(memory, context.context.agent), onTemporary }),
    afterHooks: (output, { context }) => hookChanges(output, filesOf(memory, context.agent)),
    toResult: ({ type, path, cellId, diff }: NotebookEditOutput) =>
      `Cell ${cellId} of ${path} was ${type}${diffWords(diff)}.`,
  });
}

async function edit(
  input: Input,
  context: CallContext,
  writing: Omit<OwnWriting, "diagnose" | "editor">,
): Promise<NotebookEditOutput> {
  const { path, stats, was, encoding, text, cellId, type } = await prepare(input, context, writing.files);
  refuseAfterFailure(context.permissions, { reads: [], writes: [path] });
  const bytes = encode({ text, encoding });
  const written = await replaceFile({
    path,
    bytes,
    before: stats,
    signal: context.signal,
    onTemporary: writing.onTemporary,
  });
  const diff = fileDiff(was, text);
  writing.files.wrote({ path, stats: written, bytes, diff });
  return withText<NotebookEditOutput>({ type, path, cellId, diff }, text);
}

/** Runs every step that can fail before the file is written. */
async function prepare(input: Input, { cwd, signal }: CheckContext, files: AgentFiles) {
  const target = targetOf(input.notebook_path, cwd);
  const path = judgedPath(input, target);
  const before = await unchangedFile(path, { files }, signal);
  if (before === undefined) throw await missingFile(input, target, path);
  if (before.bytes === undefined) throw new Refusal(`${target.named} was not edited: the file is too large.`);
  const { text: was, encoding } = decode(before.bytes);
  const { edit_mode: mode = "replace", new_source: source } = input;
  if (source === undefined && mode !== "delete")
    throw new Refusal(`new_source is required to ${mode} a cell.`);
  const edited = editNotebook(target.named, was, {
    cellId: input.cell_id,
    source: source ?? "",
    cellType: input.cell_type,
    mode,
  });
  return { path, stats: before.stats, was, encoding, ...edited };
}
