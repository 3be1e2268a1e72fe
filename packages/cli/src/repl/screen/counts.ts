/** Tokens and cost of the session so far. Times come from the timeline. */

import type { AgentView, Usage } from "@runahead/harness";

export class Counts {
  /** The size of the model's context window. */
  windowTokens = 200_000;
  #view: AgentView;
  /** Usage of the conversations before this one. */
  #before = { inputTokens: 0, outputTokens: 0, costUsd: 0 as number | undefined };

  constructor(view: AgentView) {
    this.#view = view;
  }

  /** Switches to another conversation. The usage so far stays counted. */
  follow(view: AgentView): void {
    const { inputTokens, outputTokens, costUsd } = this;
    this.#before = { inputTokens, outputTokens, costUsd };
    this.#view = view;
  }

  get inputTokens(): number {
    const { usage, judgeUsage } = this.#view;
    return this.#before.inputTokens + inputOf(usage) + inputOf(judgeUsage);
  }

  get outputTokens(): number {
    const { usage, judgeUsage } = this.#view;
    return this.#before.outputTokens + usage.outputTokens + judgeUsage.outputTokens;
  }

  get costUsd(): number | undefined {
    const [before, now] = [this.#before.costUsd, this.#view.costUsd];
    return before === undefined || now === undefined ? undefined : before + now;
  }

  get contextTokens(): number {
    return this.#view.contextTokens;
  }

  get contextShare(): number {
    return this.contextTokens / this.windowTokens;
  }
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
