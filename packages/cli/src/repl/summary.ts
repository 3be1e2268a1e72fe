/** The line below everything, and the card at the end. */

import type { Counts } from "./counts.ts";
import { bold, cyan, dim, green, yellow } from "./style.ts";
import { amount, dollars, duration, plural } from "./words.ts";

export interface Facts {
  readonly mode: string;
  readonly model: string;
  readonly counts: Counts;
}

export function footer({ mode, model, counts }: Facts): string {
  const { inputTokens, outputTokens, contextShare } = counts;
  const parts = [
    model,
    `${amount(inputTokens)} in ${amount(outputTokens)} out`,
    cost(counts),
    `context ${Math.round(contextShare * 100)} %`,
  ];
  return `${modeWord(mode)}${dim(` · ${parts.join(" · ")}`)}`;
}

function modeWord(mode: string): string {
  if (mode === "default") return dim("default");
  return mode === "plan" ? cyan(mode) : yellow(mode);
}

export function cost({ costUsd }: Counts): string {
  return costUsd === undefined ? "cost unknown" : dollars(costUsd);
}

/** Says how to go on only where that is known to work. */
export function exitCard(counts: Counts, resumeId: string | undefined): string[] {
  const { turns, modelMs, toolsMs, savedMs } = counts;
  const resume = resumeId === undefined ? [] : [`Go on with it: ${bold(`runahead --resume ${resumeId}`)}`];
  if (turns === 0) return resume;
  const saved = savedMs < 50 ? [] : [green(`${duration(savedMs)} saved by running ahead`)];
  const times = [`${duration(modelMs)} in the model`, `${duration(toolsMs)} in tools`, ...saved];
  return ["", [plural(turns, "turn"), ...times, cost(counts)].join(" · "), ...resume];
}
