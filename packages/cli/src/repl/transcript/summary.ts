/** The status line at the bottom, and the summary on exit. */

import { visibleWidth } from "@earendil-works/pi-tui";
import type { Summary } from "@runahead/harness/timeline";
import type { Counts } from "../screen/counts.ts";
import { bold, cyan, dim, green, yellow } from "../screen/style.ts";
import { wordWrap } from "../screen/wrap.ts";
import { amount, dollars, duration, oneLine, plural } from "../../shared/words.ts";

/** Shorter savings are measurement noise. */
const LEAST_SAVED_MS = 50;

export interface Facts {
  readonly mode: string;
  readonly model: string;
  readonly counts: Counts;
}

/** The parts that are left out first in a narrow terminal come first: tokens, model, cost. */
export function footer({ mode, model, counts }: Facts, width = Number.POSITIVE_INFINITY): string {
  const { inputTokens, outputTokens, contextShare } = counts;
  const tokens = `${amount(inputTokens)} in ${amount(outputTokens)} out`;
  const context = `context ${Math.round(contextShare * 100)} %`;
  const price = costParts(counts);
  const name = oneLine(model);
  const all = [[name, tokens, ...price, context], [name, ...price, context], [...price, context], [context]];
  const fits = (parts: readonly string[]): boolean =>
    visibleWidth([oneLine(mode), ...parts].join(" · ")) <= width;
  const shown = all.find(fits) ?? [context];
  return `${modeWord(mode)}${dim(` · ${shown.join(" · ")}`)}`;
}

function modeWord(mode: string): string {
  if (mode === "default") return dim("default");
  return mode === "plan" ? cyan(mode) : yellow(oneLine(mode));
}

/** Nothing is shown for a model that costs nothing. */
function costParts(counts: Counts): string[] {
  return counts.costUsd === 0 ? [] : [cost(counts)];
}

export function cost({ costUsd }: Counts): string {
  return costUsd === undefined ? "cost unknown" : dollars(costUsd);
}

/** What a resumed conversation has used so far: `context 12 %`, `$0.0153`. */
export function usedWords(counts: Counts): string[] {
  const share = counts.contextTokens === 0 ? [] : [`context ${Math.round(counts.contextShare * 100)} %`];
  return [...share, ...costParts(counts)];
}

/** Times as measured by the timeline. */
export function timeWords({ modelMs, toolsMs, savedMs }: Summary): string[] {
  const saved = savedMs < LEAST_SAVED_MS ? [] : [green(`${duration(savedMs)} saved by running ahead`)];
  return [`${duration(modelMs)} in the model`, `${duration(toolsMs)} in tools`, ...saved];
}

/** The summary on exit. It says how to resume only if the session was saved, in one line that can be copied whole. */
export function exitCard(
  summary: Summary,
  counts: Counts,
  { resumeId, width }: { readonly resumeId: string | undefined; readonly width: number },
): string[] {
  const resume = resumeId === undefined ? [] : [`Resume with ${bold(`runahead --resume ${resumeId}`)}`];
  if (summary.turns === 0) return resume;
  const known = counts.costUsd === undefined ? [] : costParts(counts);
  const used = [plural(summary.turns, "turn"), ...timeWords(summary), ...known].join(" · ");
  return ["", ...wordWrap(used, width), ...resume];
}
