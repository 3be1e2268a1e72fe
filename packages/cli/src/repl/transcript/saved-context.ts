/** How large a saved conversation was for the model, as of its last response. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { membersOf } from "../../shared/words.ts";

/** The last response is near the end of the file. */
const READ_BYTES = 512 * 1024;
const TURN_ENDED = '{"type":"turn-ended"';

/** In tokens; 0 if it is not known, or if the conversation was compacted since. */
export function savedContext(journal: string): number {
  for (const line of lastLines(journal).toReversed()) {
    if (line.startsWith('{"type":"compacted"')) return 0;
    if (line.startsWith(TURN_ENDED)) return tokensIn(line);
  }
  return 0;
}

function tokensIn(line: string): number {
  try {
    const { usage } = membersOf(JSON.parse(line));
    const counts = membersOf(usage);
    const names = ["inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens"];
    return names.reduce((sum, name) => sum + (Number(counts[name]) || 0), 0);
  } catch {
    return 0;
  }
}

function lastLines(path: string): string[] {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(READ_BYTES, size));
      readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8").split("\n");
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}
