/** The Edit tool: replaces text in a file. */

import { type CallContext, type CheckContext, defineTool } from "@runahead/engine";
import { z } from "zod";
import { type CurrentFile, type Looking, currentFile } from "./current-file.ts";
import { type EditedText, editText, onLines } from "./edit-text.ts";
import { writeInEditor } from "./editor-files.ts";
import { type FileDiff, diffWords, fileDiff } from "./file-diff.ts";
import { type OwnWriting, type Writing, filesOf } from "./file-memory.ts";
import { type Target, claimFile, judgedPath, targetOf } from "./file-path.ts";
import { type Encoding, decode, encode, inEncoding, isBinary } from "./file-text.ts";
import { hookChanges, withText } from "./hook-changes.ts";
import { missingFile } from "./nearest.ts";
import { WHOLE_BYTES } from "./open-file.ts";
import { refuseAfterFailure } from "../shared/failed-commands.ts";
import { Refusal } from "../shared/refusal.ts";

const inputSchema = z.object({
  file_path: z.string().min(1).describe("Path of the file, absolute or relative to the working directory"),
  old_string: z
    .string()
    .describe(
      "The exact text to replace, with its indentation and without line numbers; empty to create a new file",
    ),
  new_string: z.string().describe("The text to put in its place"),
  replace_all: z
    .boolean()
    .optional()
    .describe("Replace every occurrence (default false: old_string must occur exactly once)"),
});

type Input = z.infer<typeof inputSchema>;

/** Output of the Edit tool. */
export interface EditOutput {
  /** What happened. */
  readonly type: "created" | "edited";
  /** Absolute path of the file. */
  readonly path: string;
  /** Line numbers, from 1, where the replaced texts began. */
  readonly lines: readonly number[];
  /** What changed, line by line. */
  readonly diff: FileDiff;
  /** Whether another program had changed the file since the agent read it. */
  readonly hadChanged: boolean;
  /** What a language server reported about the change; left out if there is nothing new. */
  readonly diagnostics?: string;
}

export function editTool({ memory, onTemporary, diagnose, editor }: Writing) {
  return defineTool({
    name: "Edit",
    aliases: ["FileEdit"],
    description:
      "Replaces text in a file that you have read. old_string must match the file exactly, including indentation, and occur once; add surrounding lines to make it unique, or set replace_all. Copy it without the line numbers that Read shows. Several edits of one file in one response are applied in order, each to the result of the one before. If the file changed since you read it, the edit applies while old_string still matches, and the result says so; after a change by another agent, read the file again first. To rewrite most of a file, use Write.",
    inputSchema,
    access: (input, { cwd }) =>
      claimFile(input, targetOf(input.file_path, cwd), { mode: "write", suggests: input.old_string !== "" }),
    describe: ({ file_path }) => `Edit ${file_path}`,
    check: async (input, context) =>
      void (await prepare(input, context, { files: filesOf(memory, context.context.agent), editor })),
    call: (input, context) =>
      edit(input, context, {
        files: filesOf(memory, context.context.agent),
        onTemporary,
        diagnose,
        editor,
      }),
    afterHooks: (output, { context }) => hookChanges(output, filesOf(memory, context.agent)),
    toResult,
  });
}

function toResult({ type, path, lines, diff, hadChanged, diagnostics }: EditOutput): string {
  const found = diagnostics === undefined ? "" : `\n\n${diagnostics}`;
  if (type === "created") return `Created ${path}.${found}`;
  const places = lines.length === 1 ? "1 place" : `${lines.length} places`;
  const note = hadChanged
    ? " The file had changed since you read it (the user, a formatter or another program); the edit was applied to its current content. Read it again before you rely on the rest."
    : "";
  return `Edited ${path} in ${places}, ${onLines(lines)}${diffWords(diff)}.${note}${found}`;
}

async function edit(input: Input, context: CallContext, writing: OwnWriting): Promise<EditOutput> {
  const { path, before, text, encoding, lines, was } = await prepare(input, context, writing);
  refuseAfterFailure(context.permissions, { reads: [], writes: [path] });
  const { signal } = context;
  const bytes = encode({ text, encoding });
  const { onTemporary, editor } = writing;
  const stats = await writeInEditor(
    { path, bytes, before: before?.stats, signal, onTemporary },
    text,
    editor,
  );
  const diff = fileDiff(was, text);
  const hadChanged = before?.hasChanged === true;
  writing.files.wrote({ path, stats, bytes, diff, hasUnseen: hadChanged });
  const type = before === undefined ? "created" : "edited";
  const diagnostics = await writing.diagnose(path, text, context);
  const found = diagnostics === undefined ? {} : { diagnostics };
  return withText<EditOutput>({ type, path, lines, diff, hadChanged, ...found }, text);
}

interface Prepared extends Changed {
  readonly path: string;
  readonly before: CurrentFile | undefined;
}

/** Runs every step that can fail before the file is written. */
async function prepare(input: Input, { cwd, signal }: CheckContext, looking: Looking): Promise<Prepared> {
  if (input.old_string === input.new_string)
    throw new Refusal("old_string and new_string are identical, so there is nothing to change.");
  const target = targetOf(input.file_path, cwd);
  const path = judgedPath(input, target);
  const before = await currentFile(path, looking, signal);
  if (before === undefined && input.old_string !== "") throw await missingFile(input, target, path);
  try {
    return { path, before, ...changed(input, target, before) };
  } catch (error) {
    if (before?.hasChanged !== true || !(error instanceof Refusal)) throw error;
    throw new Refusal(
      `${error.message} The file changed since you read it (the user, a formatter or another program): read it again.`,
    );
  }
}

interface Changed extends EditedText {
  readonly encoding: Encoding;
  /** The text before the edit. */
  readonly was: string;
}

function changed(input: Input, target: Target, before: CurrentFile | undefined): Changed {
  const { old_string, new_string, replace_all = false } = input;
  if (before === undefined) return { text: new_string, encoding: "utf-8", lines: [], was: "" };
  const { text: was, encoding } = textOf(target.named, before);
  if (old_string === "" && was !== "")
    throw new Refusal(
      `${target.named} exists and is not empty. Pass the text to replace as old_string, or use Write to replace the whole file.`,
    );
  if (old_string === "") return { text: new_string, encoding, lines: [1], was };
  const oldText = inEncoding(old_string, encoding);
  const newText = inEncoding(new_string, encoding);
  return { ...editText(target.named, was, { oldText, newText, all: replace_all }), encoding, was };
}

function textOf(name: string, { bytes, stats }: CurrentFile): ReturnType<typeof decode> {
  if (bytes === undefined)
    throw new Refusal(
      `${name} was not edited: it has ${stats.size} bytes (limit ${WHOLE_BYTES}). Change it with a Bash command.`,
    );
  if (isBinary(bytes)) throw new Refusal(`${name} was not edited: it is a binary file.`);
  return decode(bytes);
}
