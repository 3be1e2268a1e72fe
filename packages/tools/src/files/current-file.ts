/** Reads a file before it is changed: its content, if it is small enough, and its stats to detect later changes. */

import type { Stats } from "node:fs";
import type { AgentFiles } from "./agent-files.ts";
import { type EditorFiles, inEditor } from "./editor-files.ts";
import { readWhole, withFile } from "./open-file.ts";
import { Refusal } from "../shared/refusal.ts";

export interface CurrentFile {
  readonly stats: Stats;
  /** Undefined if the file is too large. */
  readonly bytes: Buffer | undefined;
  /** Whether another program changed it since the agent read it. */
  readonly hasChanged: boolean;
}

/**
 * Resolves with undefined if there is no file. Throws if the agent has not read it, or another agent changed it since.
 */
export async function currentFile(
  path: string,
  { files, editor = {} }: Looking,
  signal: AbortSignal,
): Promise<CurrentFile | undefined> {
  return withFile(path, async (file) => {
    const whole = await readWhole(file, signal);
    const bytes = whole.type === "whole" ? await inEditor(path, whole.bytes, editor, signal) : undefined;
    const hasChanged = files.check(path, file.stats, bytes) === "changed";
    return { stats: file.stats, bytes, hasChanged };
  });
}

/** The memory of an agent, and the editor if there is one. */
export interface Looking {
  readonly files: AgentFiles;
  readonly editor?: EditorFiles | undefined;
}

/** Like `currentFile`, but also throws if another program changed the file. */
export async function unchangedFile(
  path: string,
  looking: Looking,
  signal: AbortSignal,
): Promise<CurrentFile | undefined> {
  const current = await currentFile(path, looking, signal);
  if (current?.hasChanged !== true) return current;
  throw new Refusal(
    `${path} changed since you read it (the user, a formatter or another program). Read it again before you change it.`,
  );
}
