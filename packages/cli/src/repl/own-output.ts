/** The output of the user's own commands, which goes to the model with the next prompt. */

import type { Prompt } from "@runahead/harness";

const MOST_CHARS = 20_000;

export interface OwnOutput {
  readonly command: string;
  readonly printed: string;
  /** Why it failed, or an empty string. */
  readonly failure: string;
}

/** Adds what the user ran since the last prompt, each as a block of its own. */
export function withOwnOutputs(prompt: Prompt, outputs: readonly OwnOutput[]): Prompt {
  if (outputs.length === 0) return prompt;
  const blocks = typeof prompt === "string" ? [{ type: "text" as const, text: prompt }] : prompt;
  return [...blocks, ...outputs.map((output) => ({ type: "text" as const, text: wrapped(output) }))];
}

/** Tags in the output are escaped, so that it cannot close its own wrapper. */
function wrapped({ command, printed, failure }: OwnOutput): string {
  const shown = (text: string): string => text.replaceAll(/<(\/?user-command\b)/gi, "&lt;$1");
  const ending = failure === "" ? "" : `\n[${failure}]`;
  const output = printed.trimEnd() === "" ? "(no output)" : lastPart(printed.trimEnd());
  return `<user-command>\nThe user ran this command in their terminal:\n$ ${shown(command)}\n${shown(output)}${ending}\n</user-command>`;
}

/** Failures are at the end. */
function lastPart(text: string): string {
  const left = text.length - MOST_CHARS;
  return left <= 0 ? text : `… ${left} earlier characters left out\n${text.slice(left).toWellFormed()}`;
}
