/** Combines the answers of several hooks: the strictest wins, and all context for the model is kept. */

import { type HookVerdict, type Said, stricter } from "./answer.ts";
import type { Shape } from "@runahead/base";

export interface Combined {
  readonly verdict: HookVerdict;
  /** The reasons of the hooks with this verdict. */
  readonly reason: string;
  readonly context: readonly string[];
  readonly messages: readonly string[];
  readonly stop: string | undefined;
  /** The last one, in the order of the configs. */
  readonly input: Shape | undefined;
  readonly output: Said["output"];
  /** `hookSpecificOutput` of each hook that has one that is not a verdict. */
  readonly specific: readonly Shape[];
  /** How many hooks changed the input or the output. */
  readonly changes: number;
}

export function combine(all: readonly Said[]): Combined {
  const verdict = all.map((said) => said.verdict).reduce(stricter, "none");
  const stops = all.flatMap(({ stop }) => (stop === undefined ? [] : [stop]));
  return {
    verdict,
    reason: lines(all.filter((said) => said.verdict === verdict).map(({ reason }) => reason)),
    context: all.flatMap(({ context }) => context),
    messages: all.map(({ message }) => message).filter((message) => message !== ""),
    stop: stops.length === 0 ? undefined : lines(stops),
    input: all.findLast(({ input }) => input !== undefined)?.input,
    output: all.findLast(({ output }) => output !== undefined)?.output,
    specific: all.flatMap(({ specific }) => (specific === undefined ? [] : [specific])),
    changes: all.filter(({ input, output }) => input !== undefined || output !== undefined).length,
  };
}

export function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}
