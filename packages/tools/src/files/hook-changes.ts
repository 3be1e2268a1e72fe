/** Finds out what PostToolUse hooks changed in a file that a tool has just written, such as a formatter. */

import { decode } from "./file-text.ts";
import { fileDiff } from "./file-diff.ts";
import type { AgentFiles } from "./agent-files.ts";
import { readWhole, withFile } from "./open-file.ts";

/** A longer diff is not shown. */
const SHOWN_LINES = 40;
const SHOWN_CHARS = 4_000;

interface WrittenFile {
  readonly path: string;
}

/** What was written, by the output of the call. */
const texts = new WeakMap<WrittenFile, string>();

/** Remembers the text that a call wrote, for `hookChanges`. */
export function withText<Output extends WrittenFile>(output: Output, text: string): Output {
  texts.set(output, text);
  return output;
}

/** Counts what hooks changed as read, and resolves with a description of it; undefined if they changed nothing. */
export async function hookChanges(output: WrittenFile, files: AgentFiles): Promise<string | undefined> {
  const text = texts.get(output);
  if (text === undefined) return undefined;
  const { path } = output;
  const found = await withFile(path, async (file) => ({
    stats: file.stats,
    whole: await readWhole(file, new AbortController().signal),
  }));
  if (found === undefined) return `A hook deleted ${path} afterwards.`;
  const { stats, whole } = found;
  if (whole.type === "too-large") return `A hook changed ${path} afterwards: it has ${whole.size} bytes now.`;
  const { text: now } = decode(whole.bytes);
  if (now === text) return undefined;
  const diff = fileDiff(text, now);
  files.wrote({ path, stats, bytes: whole.bytes, diff, hasUnseen: files.hasUnseen(path) });
  return `A hook changed ${path} afterwards${diffText(diff)}`;
}

function diffText(diff: ReturnType<typeof fileDiff>): string {
  if (diff.type === "left-out") return ". Read it again before you rely on its content.";
  const { added, removed, hunks } = diff;
  const lines = hunks.flatMap(({ newStart, newLines, lines: shown }) => [
    `@@ line ${newStart}${newLines > 1 ? `–${newStart + newLines - 1}` : ""} @@`,
    ...shown,
  ]);
  const text = lines.join("\n");
  const counts = ` (+${added} −${removed} lines)`;
  if (lines.length > SHOWN_LINES || text.length > SHOWN_CHARS)
    return `${counts}. The change is too long to show here.`;
  return `${counts}:\n${text}`;
}
