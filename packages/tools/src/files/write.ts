/** The Write tool: creates a file or replaces one that was read. */

import { type CallContext, defineTool } from "@runahead/engine";
import { z } from "zod";
import { unchangedFile } from "./current-file.ts";
import { writeInEditor } from "./editor-files.ts";
import { type FileDiff, diffWords, fileDiff } from "./file-diff.ts";
import { type OwnWriting, type Writing, filesOf } from "./file-memory.ts";
import { claimFile, judgedPath, targetOf } from "./file-path.ts";
import { decode } from "./file-text.ts";
import { hookChanges, withText } from "./hook-changes.ts";
import { refuseAfterFailure } from "../shared/failed-commands.ts";

const inputSchema = z.object({
  file_path: z.string().min(1).describe("Path of the file, absolute or relative to the working directory"),
  content: z.string().describe("The whole new content of the file"),
});

type Input = z.infer<typeof inputSchema>;

/** Output of the Write tool. */
export interface WriteOutput {
  /** What happened. */
  readonly type: "created" | "replaced";
  /** Absolute path of the file. */
  readonly path: string;
  /** Size of the new content. */
  readonly bytes: number;
  /** What changed, line by line. */
  readonly diff: FileDiff;
  /** What a language server reported about the file; left out if there is nothing new. */
  readonly diagnostics?: string;
}

export function writeTool({ memory, onTemporary, diagnose, editor }: Writing) {
  return defineTool({
    name: "Write",
    aliases: ["FileWrite"],
    description:
      "Writes a whole file and creates missing directories. An existing file is replaced, and must have been read before. To change a part of a file, use Edit. Do not create documentation or other files that the task does not need.",
    inputSchema,
    access: (input, { cwd }) =>
      claimFile(input, targetOf(input.file_path, cwd), { mode: "write", suggests: false }),
    describe: ({ file_path }) => `Write ${file_path}`,
    check: async (input, { cwd, signal, context }) => {
      const path = judgedPath(input, targetOf(input.file_path, cwd));
      await unchangedFile(path, { files: filesOf(memory, context.agent), editor }, signal);
    },
    call: (input, context) =>
      write(input, context, {
        files: filesOf(memory, context.context.agent),
        onTemporary,
        diagnose,
        editor,
      }),
    afterHooks: (output, { context }) => hookChanges(output, filesOf(memory, context.agent)),
    toResult,
  });
}

function toResult({ type, path, bytes, diff, diagnostics }: WriteOutput): string {
  const found = diagnostics === undefined ? "" : `\n\n${diagnostics}`;
  return type === "created"
    ? `Created ${path}: ${bytes} bytes.${found}`
    : `Wrote ${path}: ${bytes} bytes${diffWords(diff)}.${found}`;
}

async function write(input: Input, context: CallContext, writing: OwnWriting): Promise<WriteOutput> {
  const { cwd, signal } = context;
  const path = judgedPath(input, targetOf(input.file_path, cwd));
  refuseAfterFailure(context.permissions, { reads: [], writes: [path] });
  const before = await unchangedFile(path, writing, signal);
  const bytes = Buffer.from(input.content, "utf8");
  const { onTemporary, editor } = writing;
  const replacement = { path, bytes, before: before?.stats, signal, onTemporary };
  const stats = await writeInEditor(replacement, input.content, editor);
  const diff = diffOf(before?.bytes, before !== undefined, input.content);
  writing.files.wrote({ path, stats, bytes, diff });
  const type = before === undefined ? "created" : "replaced";
  const diagnostics = await writing.diagnose(path, input.content, context);
  const found = diagnostics === undefined ? {} : { diagnostics };
  return withText<WriteOutput>({ type, path, bytes: bytes.length, diff, ...found }, input.content);
}

function diffOf(before: Buffer | undefined, existed: boolean, after: string): FileDiff {
  if (existed && before === undefined) return { type: "left-out" };
  return fileDiff(before === undefined ? "" : decode(before).text, after);
}
