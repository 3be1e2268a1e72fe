/** What the first request sends besides the prompt, part by part. */

import { type AnyTool, toAnthropicTools } from "@runahead/engine";

/** The definition of one tool. */
export interface PromptPart {
  /** Name of the tool, such as `Bash`. */
  readonly name: string;
  /** The definition as JSON: name, description and input schema. */
  readonly text: string;
}

/** Everything that the first request would send besides the prompt. */
export interface PromptReport {
  /** The system prompt. */
  readonly system: string;
  /** The reminder before the first prompt; undefined if there is none. */
  readonly opening: string | undefined;
  /** All tools that the model is offered. */
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
