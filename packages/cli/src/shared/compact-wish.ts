/** `/compact`: the only command of the program itself that programs and editors can send as a prompt. */

import type { CodingAgent } from "@runahead/harness";

const COMPACT = /^\/compact(?:\s+([\s\S]*))?$/;

/** What to keep, if the text is `/compact`; undefined if it is something else. */
export function compactWish(text: string): string | undefined {
  const found = COMPACT.exec(text.trim());
  return found === null ? undefined : (found[1] ?? "").trim();
}

/** Resolves with whether there was something to summarise. */
export function compacted({ agent }: Pick<CodingAgent, "agent">, wish: string): Promise<boolean> {
  return agent.compact(wish === "" ? undefined : wish);
}

export const NOTHING_TO_COMPACT = "There is nothing to summarise yet.";
