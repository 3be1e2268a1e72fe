/** Prompts that wait for the agent, above the input line. */

import type { Prompt } from "@runahead/harness";
import { typedText } from "../input/prompt.ts";
import { cutTo } from "../screen/rows.ts";
import { dim } from "../screen/style.ts";
import { oneLine, plural } from "../../shared/words.ts";

const HINT = " (↑ to edit)";

interface Waiting {
  readonly waiting: readonly Prompt[];
  /** Were given back because the turn before them failed. */
  readonly unsent: readonly Prompt[];
}

/** One line about prompts that wait while a question is open, or none. */
export function queuedSummary({ waiting, unsent }: Waiting, width: number): string[] {
  const [first, ...others] = [...unsent, ...waiting];
  if (first === undefined) return [];
  const text = others.length === 0 ? oneLine(typedText(first)) : plural(others.length + 1, "prompt");
  return [dim(cutTo(`queued: ${text}`, width, "…"))];
}

/** A line for each prompt. A long prompt is cut, and the key never. */
export function queuedLines({ waiting, unsent }: Waiting, width: number): string[] {
  const shown = (what: string) => (prompt: Prompt) => {
    const room = width - what.length - 2 - HINT.length;
    return dim(`${what}: ${cutTo(oneLine(typedText(prompt)), room, "…")}${HINT}`);
  };
  return [...unsent.map(shown("not sent")), ...waiting.map(shown("queued"))];
}
