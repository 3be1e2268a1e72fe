/** Reads a file before it is changed: its content, if it is small enough, and its stats to detect later changes. */

import type { Stats } from "node:fs";
import type { FileMemory } from "./file-memory.ts";
import { readWhole, withFile } from "./open-file.ts";

export interface CurrentFile {
  readonly stats: Stats;
  /** Undefined if the file is too large. */
  readonly bytes: Buffer | undefined;
}

/** Resolves with undefined if there is no file. Throws if the agent has not seen its current state. */
export async function currentFile(
  path: string,
  memory: FileMemory,
  signal: AbortSignal,
): Promise<CurrentFile | undefined> {
  return withFile(path, async (file) => {
    const whole = await readWhole(file, signal);
    const bytes = whole.type === "whole" ? whole.bytes : undefined;
    memory.check(path, file.stats, bytes);
    return { stats: file.stats, bytes };
  });
}
