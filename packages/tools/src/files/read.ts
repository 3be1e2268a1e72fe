/** The Read tool: text with line numbers, images, PDF pages and notebooks. */

import { extname } from "node:path";
import { type CallContext, type ResultContent, defineTool } from "@runahead/engine";
import { z } from "zod";
import type { AgentFiles } from "./agent-files.ts";
import type { Looking } from "./current-file.ts";
import { type EditorFiles, inEditor } from "./editor-files.ts";
import { type FileMemory, filesOf } from "./file-memory.ts";
import { claimFile, judgedPath, targetOf } from "./file-path.ts";
import { decode, isBinary } from "./file-text.ts";
import { missingFile } from "./nearest.ts";
import { type OpenFile, WHOLE_BYTES, type Whole, readWhole, withFile } from "./open-file.ts";
import { IMAGE_FILE_BYTES, type ReadImage, readImage } from "./read-image.ts";
import { type ReadNotebook, readNotebook, toBlock } from "../notebook/read-notebook.ts";
import { MOST_PAGES, PDF_FILE_BYTES, type ReadPdf, pageRange, pdfText, readPdf } from "./read-pdf.ts";
import { type ReadText, readLargeText, readSmallText, textResult } from "./read-text.ts";
import { Refusal } from "../shared/refusal.ts";
import { fileStamp } from "./stamp.ts";

const DEFAULT_LINES = 2_000;
/** A larger text file is read only with an offset or a limit: its beginning is seldom what is needed. */
const WHOLE_TEXT_BYTES = 262_144;
/** Above what any reader returns, so that a result that was read from a file is not saved to another file. */
const MOST_CHARS = 120_000;

const inputSchema = z.object({
  file_path: z.string().min(1).describe("Path of the file, absolute or relative to the working directory"),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe("First line to read, from 1; in a notebook, first cell (default 1)"),
  limit: z.int().min(1).optional().describe(`Number of lines or cells to read (default ${DEFAULT_LINES})`),
  pages: z
    .string()
    .optional()
    .describe(
      `Pages of a PDF, such as "3" or "1-5" (at most ${MOST_PAGES} at a time; default: the first ${MOST_PAGES})`,
    ),
});

type Input = z.infer<typeof inputSchema>;

/** Output of the Read tool: the text, image, pages or cells of a file. */
export type ReadOutput = {
  /** Absolute path of the file. */
  readonly path: string;
} & (ReadText | ReadImage | ReadPdf | ReadNotebook);

export function readTool(memory: FileMemory, editor: EditorFiles) {
  return defineTool({
    name: "Read",
    aliases: ["FileRead"],
    description: `Reads a file: text, images (you see them), PDF (the text of its pages) and notebooks (cells with outputs). Each line of text starts with its number and a tab, which are not part of the file. Returns up to ${DEFAULT_LINES} lines and about 25,000 tokens; a file above 256 KB needs offset and limit: find the place with Grep. Not for directories: use Glob. A file must be read before Edit or Write changes it. After a successful Edit or Write there is no need to read it again to check.`,
    inputSchema,
    maxResultChars: MOST_CHARS,
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    access: (input, { cwd }) =>
      claimFile(input, targetOf(input.file_path, cwd), { mode: "read", suggests: true }),
    describe: ({ file_path, offset }) =>
      `Read ${file_path}${offset === undefined ? "" : ` from line ${offset}`}`,
    check: async (input, { cwd }) => {
      const target = targetOf(input.file_path, cwd);
      const path = judgedPath(input, target);
      const isThere = await withFile(path, () => Promise.resolve(true));
      if (isThere !== true) throw await missingFile(input, target, path);
    },
    cache: true,
    stamp: (input, { cwd, context }) => {
      const path = judgedPath(input, targetOf(input.file_path, cwd));
      // A file that the agent has not read yet must be noted, and an editor can change its text at any time.
      const isRead = editor.read === undefined && filesOf(memory, context.agent).renew(path);
      return isRead ? fileStamp(path, `${context.agent?.id ?? "main"} `) : undefined;
    },
    call: (input, context) => read(input, context, { files: filesOf(memory, context.context.agent), editor }),
    toResult,
  });
}

async function read(input: Input, context: CallContext, looking: Looking): Promise<ReadOutput> {
  const target = targetOf(input.file_path, context.cwd);
  const path = judgedPath(input, target);
  const output = await withFile(path, (file) => readOpen({ input, path, file, ...looking }, context));
  if (output === undefined) throw await missingFile(input, target, path);
  return { path, ...output };
}

interface Work {
  readonly input: Input;
  readonly path: string;
  readonly file: OpenFile;
  readonly files: AgentFiles;
  readonly editor?: EditorFiles | undefined;
}

type Found = ReadText | ReadImage | ReadPdf | ReadNotebook;

async function readOpen(work: Work, context: CallContext): Promise<Found> {
  const { input, path, file, files } = work;
  const at = files.now;
  const form = formOf(path);
  if (input.pages !== undefined && form !== "pdf")
    throw new Refusal(
      `pages works only for PDF files, and ${input.file_path} is not one. Use offset and limit.`,
    );
  const found = await readWhole(file, context.signal, MOST_BYTES[form]);
  const whole: Whole =
    found.type === "whole" && form === "text"
      ? { type: "whole", bytes: await inEditor(path, found.bytes, work.editor ?? {}, context.signal) }
      : found;
  if (whole.type === "too-large" && form !== "text")
    throw new Refusal(
      `${input.file_path} was not read: it has ${whole.size} bytes (limit for this file type: ${MOST_BYTES[form]}).`,
    );
  if (form === "text" && input.offset === undefined && input.limit === undefined)
    refuseLarge(input.file_path, file, whole);
  files.note(path, file.stats, whole.type === "whole" ? whole.bytes : undefined, at);
  const name = input.file_path;
  const wish = { name, offset: Math.max(1, input.offset ?? 1), limit: input.limit ?? DEFAULT_LINES };
  if (whole.type === "too-large") return readLargeText(wish, { ...file, path, files }, context);
  const { bytes } = whole;
  switch (form) {
    case "image":
      return readImage(name, bytes, context.signal);
    case "pdf":
      return readPdf({ name, bytes, range: pageRange(input.pages) }, context.signal);
    case "notebook":
      return readNotebook({ ...wish, text: decode(bytes).text }, context.signal);
    case "text":
      return readSmallText(wish, bytes);
  }
}

function refuseLarge(name: string, { stats }: OpenFile, whole: Whole): void {
  const bytes = whole.type === "whole" ? whole.bytes : undefined;
  const size = bytes?.length ?? stats.size;
  if (size <= WHOLE_TEXT_BYTES || (bytes !== undefined && isBinary(bytes))) return;
  const lines = bytes === undefined ? "" : ` and ${linesOf(linesIn(bytes))}`;
  throw new Refusal(
    `${name} was not read: it has ${counted(size)} bytes${lines}, and one call returns about 25,000 tokens. ` +
      "Find the place with Grep, then read that part with offset and limit.",
  );
}

function linesOf(count: number): string {
  return count === 1 ? "1 line" : `${counted(count)} lines`;
}

function linesIn(bytes: Buffer): number {
  let count = bytes.at(-1) === 0x0a ? 0 : 1;
  for (const byte of bytes) if (byte === 0x0a) count++;
  return count;
}

function counted(count: number): string {
  return count.toLocaleString("en-US");
}

type Form = "text" | "image" | "pdf" | "notebook";

const FORMS: Readonly<Record<string, Form>> = {
  ".png": "image",
  ".jpg": "image",
  ".jpeg": "image",
  ".gif": "image",
  ".webp": "image",
  ".pdf": "pdf",
  ".ipynb": "notebook",
};

const MOST_BYTES: Readonly<Record<Form, number>> = {
  text: WHOLE_BYTES,
  image: IMAGE_FILE_BYTES,
  pdf: PDF_FILE_BYTES,
  notebook: WHOLE_BYTES,
};

function formOf(path: string): Form {
  return FORMS[extname(path).toLowerCase()] ?? "text";
}

function toResult(output: ReadOutput): ResultContent {
  switch (output.type) {
    case "text":
      return textResult(output);
    case "pdf":
      return pdfText(output);
    case "notebook":
      return output.blocks;
    case "image":
      return [...(output.note === "" ? [] : [{ type: "text", text: output.note } as const]), toBlock(output)];
  }
}
