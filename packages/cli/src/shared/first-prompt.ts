/** The first prompt of a session: what the definition of the main agent asks first, and what the user asks. */

import type { CodingAgent } from "@runahead/harness";

/** A session that continues has had its first prompt. */
export function firstPrompt(
  {
    initialPrompt,
    agent,
  }: { readonly initialPrompt?: string; readonly agent: Pick<CodingAgent["agent"], "messages"> },
  prompt: string,
): string {
  const isNew = agent.messages.length === 0;
  return [isNew ? (initialPrompt ?? "") : "", prompt].filter((part) => part !== "").join("\n\n");
}
