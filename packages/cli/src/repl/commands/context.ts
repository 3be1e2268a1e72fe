/** `/context`: what fills the model's context, by category, as a bar. */

import type { CodingAgent } from "@runahead/harness";
import { type ContextPart as Part, contextParts } from "../../shared/context-parts.ts";
import { amount } from "../../shared/words.ts";
import { type Counts } from "../screen/counts.ts";
import { bold, cyan, dim, green, red, yellow } from "../screen/style.ts";

const PAINTS = [cyan, green, yellow, red, bold];
const FILLS = ["█", "▓", "▒", "░", "▚"];
const MOST_BAR = 80;
const LEAST_BAR = 10;

/** `columns` is the width of the terminal. */
export function contextLines(made: CodingAgent, counts: Counts, columns: number): string[] {
  const { contextTokens, windowTokens, contextShare } = counts;
  const parts = scaled(contextParts(made), contextTokens);
  const width = Math.max(LEAST_BAR, Math.min(MOST_BAR, columns - 2));
  const free = Math.max(0, windowTokens - parts.reduce((sum, { tokens }) => sum + tokens, 0));
  const name = Math.max(...[...parts.map((part) => part.name), "free"].map(({ length }) => length));
  const share = (tokens: number): string => `${((tokens / windowTokens) * 100).toFixed(1)} %`;
  return [
    `Context: ${amount(contextTokens)} tokens, ${Math.round(contextShare * 100)} % of ${amount(windowTokens)}, as of the last turn.`,
    barOf(parts, windowTokens, width),
    ...parts.map(({ name: label, tokens }, at) => {
      const mark = (PAINTS[at % PAINTS.length] ?? dim)(FILLS[at % FILLS.length] ?? "█");
      return `${mark} ${label.padEnd(name)}  ${amount(tokens).padStart(6)}  ${share(tokens).padStart(7)}`;
    }),
    dim(`· ${"free".padEnd(name)}  ${amount(free).padStart(6)}  ${share(free).padStart(7)}`),
  ];
}

function barOf(parts: readonly Part[], window: number, width: number): string {
  let used = 0;
  const filled = parts.map(({ tokens }, at) => {
    const most = width - used;
    // A part that is there has at least one column.
    const columns = Math.min(most, tokens === 0 ? 0 : Math.max(1, Math.round((tokens / window) * width)));
    used += columns;
    return (PAINTS[at % PAINTS.length] ?? dim)((FILLS[at % FILLS.length] ?? "█").repeat(columns));
  });
  return `${filled.join("")}${dim("·".repeat(width - used))}`;
}

/** The sizes are estimated; the server's count of the last request decides their sum. */
function scaled(parts: readonly Part[], total: number): Part[] {
  const sum = parts.reduce((count, { tokens }) => count + tokens, 0);
  if (total === 0 || sum === 0) return [...parts];
  return parts.map(({ name, tokens }) => ({ name, tokens: Math.round((tokens / sum) * total) }));
}
