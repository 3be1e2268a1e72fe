/** What `/status` and `/doctor` show about language servers. */

import type { CodingAgent } from "@runahead/harness";

export interface LanguageServerFact {
  readonly words: string;
  readonly isBad: boolean;
  /** Whether it runs, or would run on demand. */
  readonly isUsed: boolean;
}

type Status = ReturnType<CodingAgent["languageServers"]>[number];

export function languageServerFacts({
  languageServers,
}: Pick<CodingAgent, "languageServers">): LanguageServerFact[] {
  return languageServers().map((server) => ({
    words: `${server.name} (${server.extensions.join(" ")}): ${stateWords(server)}`,
    isBad: server.running.some(({ state }) => state.type === "off" || state.type === "paused"),
    isUsed: !server.isWithheld,
  }));
}

function stateWords({ running, isWithheld }: Status): string {
  if (isWithheld) return "not started, because this folder is not trusted";
  if (running.length === 0) return "starts on demand";
  return running
    .map(({ root, state }) => {
      const why = "why" in state ? `: ${state.why}` : "";
      return `${state.type}${why} in ${root}`;
    })
    .join("; ");
}
