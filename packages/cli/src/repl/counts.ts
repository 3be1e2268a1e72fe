/** What the session has taken so far, counted from what is heard of it. */

import type { AgentEvent } from "@runahead/agent";

/** What a model's context holds, as the loop takes it where nobody says otherwise. */
const CONTEXT_TOKENS = 200_000;

export class Counts {
  turns = 0;
  modelMs = 0;
  toolsMs = 0;
  /** Against calls that start after the response, one after the other. */
  savedMs = 0;
  inputTokens = 0;
  outputTokens = 0;
  costUsd: number | undefined = 0;
  contextTokens = 0;
  readonly #now: () => number;
  readonly #started = new Map<string, number>();
  #turnToolsMs = 0;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  get contextShare(): number {
    return this.contextTokens / CONTEXT_TOKENS;
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case "call-started":
        return void this.#started.set(event.callId, this.#now());
      case "call-settled":
        return this.#settled(event.callId);
      case "turn-ended":
        return this.#turnEnded(event);
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

  #settled(callId: string): void {
    const started = this.#started.get(callId);
    if (started === undefined) return;
    this.#started.delete(callId);
    this.#turnToolsMs += this.#now() - started;
  }

  #turnEnded({ usage, timings }: Extract<AgentEvent, { type: "turn-ended" }>): void {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    const input = inputTokens + cacheReadTokens + cacheWriteTokens;
    this.turns++;
    this.inputTokens += input;
    this.outputTokens += outputTokens;
    this.contextTokens = input + outputTokens;
    this.modelMs += timings.responseMs;
    this.toolsMs += this.#turnToolsMs;
    this.savedMs += Math.max(0, timings.responseMs + this.#turnToolsMs - timings.totalMs);
    this.#turnToolsMs = 0;
  }
}
