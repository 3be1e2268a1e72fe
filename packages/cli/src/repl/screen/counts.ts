/** What the session has taken so far of tokens and money; times are the timeline's. */

import type { AgentEvent, Usage } from "@runahead/harness";

/** What a model's context holds, as the loop takes it where nobody says otherwise. */
const CONTEXT_TOKENS = 200_000;

export class Counts {
  inputTokens = 0;
  outputTokens = 0;
  costUsd: number | undefined = 0;
  contextTokens = 0;

  get contextShare(): number {
    return this.contextTokens / CONTEXT_TOKENS;
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case "turn-ended":
        return this.#turnEnded(event);
      case "permission-judged":
        this.inputTokens += inputOf(event.usage);
        this.outputTokens += event.usage.outputTokens;
        return;
      case "compacted":
        this.contextTokens = event.afterTokens;
        return;
      case "ended": {
        const { costUsd } = event.result;
        this.costUsd =
          this.costUsd === undefined || costUsd === undefined ? undefined : this.costUsd + costUsd;
      }
    }
  }

  #turnEnded({ usage }: Extract<AgentEvent, { type: "turn-ended" }>): void {
    const input = inputOf(usage);
    this.inputTokens += input;
    this.outputTokens += usage.outputTokens;
    this.contextTokens = input + usage.outputTokens;
  }
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
