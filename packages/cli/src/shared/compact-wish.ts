/** `/compact`: the only command of the program itself that programs and editors can send as a prompt, too. */

import type { CodingAgent } from "@runahead/harness";

const COMPACT = /^\/compact(?:\s+([\s\S]*))?$/;

/** What to keep, if the text is `/compact`; undefined if it is something else. */
export function compactWish(text: string): string | undefined {
  const found = COMPACT.exec(text.trim());
  return found === null ? undefined : (found[1] ?? "").trim();
}

/** The answer to `/compact` before the first prompt. */
export const NOTHING_TO_COMPACT = "There is nothing to summarise yet.";

/** Resolves with what to say to the user; empty if the conversation became shorter, which an event reports. */
export async function compacted({ agent }: Pick<CodingAgent, "agent">, wish: string): Promise<string> {
  if (agent.messages.length === 0) return NOTHING_TO_COMPACT;
  const isShorter = await agent.compact(wish === "" ? undefined : wish);
  return isShorter ? "" : "The conversation was not made shorter.";
}
