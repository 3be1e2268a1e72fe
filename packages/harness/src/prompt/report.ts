/** What is sent to the model before the first prompt, part by part, with sizes. */

import { type AnyTool, toAnthropicTools } from "@runahead/engine";

/** One part of what the model reads. */
export interface PromptPart {
  /** Such as `system`, `opening` or `tool Bash`. */
  readonly name: string;
  readonly text: string;
}

/** Everything that the first request would send besides the prompt. */
export interface PromptReport {
  readonly system: string;
  /** The reminder before the first prompt; undefined if there is none. */
  readonly opening: string | undefined;
  /** The definition of each tool, as JSON. */
  readonly tools: readonly PromptPart[];
}

export function promptReport(
  system: string,
  opening: string | undefined,
  tools: readonly AnyTool[],
): PromptReport {
  const definitions = toAnthropicTools(tools).map(({ name, ...definition }) => ({
    name,
    text: JSON.stringify({ name, ...definition }, undefined, 2),
  }));
  return { system, opening, tools: definitions };
}
