/** What is at a path before a change: its content, if it can be held, and the facts by which a change is noticed. */

import type { Stats } from "node:fs";
import type { FileMemory } from "./file-memory.ts";
import { readWhole, withFile } from "./open-file.ts";

export interface CurrentFile {
  readonly stats: Stats;
  /** Undefined where it is too large. */
  readonly bytes: Buffer | undefined;
}

/** Undefined where nothing is there; refused where it is not what the agent has seen. */
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
