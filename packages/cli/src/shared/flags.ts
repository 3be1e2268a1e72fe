/** The flags of a run, as commander parses them. */

import type { HarnessOptions } from "@runahead/harness";

export interface RunFlags extends HarnessOptions {
  readonly print?: boolean;
  readonly outputFormat?: "text" | "json" | "stream-json";
  readonly inputFormat?: "text" | "stream-json";
  readonly includePartialMessages?: boolean;
  readonly verbose?: boolean;
  readonly replayUserMessages?: boolean;
  readonly allowDangerouslySkipPermissions?: boolean;
  /** Flags of other programs that have no effect here. */
  readonly maxThinkingTokens?: string;
  readonly effort?: string;
  readonly includeHookEvents?: boolean;
  /** The file to write the timeline to. */
  readonly timeline?: string;
}

/** Splits a list at commas and spaces, except inside parentheses: `Bash(git log *),Read`. */
export function toolList(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === "," || character === " ")) {
      items.push(item);
      item = "";
    } else item += character;
  }
  return [...items, item].map((one) => one.trim()).filter((one) => one !== "");
}
