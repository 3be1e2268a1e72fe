/** Tokens and cost of the session so far. Times come from the timeline. */

import type { AgentView, CodingAgent, Usage } from "@runahead/harness";

type OpenedSession = Pick<NonNullable<CodingAgent["session"]>, "id" | "usage" | "costUsd">;

export class Counts {
  /** The size of the model's context window. */
  windowTokens = 200_000;
  #view: AgentView;
  /** Usage of the conversations before this one. */
  #before = { inputTokens: 0, outputTokens: 0, costUsd: 0 as number | undefined };

  #savedContext = 0;
  /** The sessions that were opened in this process. */
  readonly #opened = new Set<string>();

  constructor(view: AgentView) {
    this.#view = view;
  }

  /** Adds what a resumed session used before this process, once. `contextTokens` is the size that it was left with. */
  opened(session: OpenedSession | undefined, contextTokens = 0): void {
    this.#savedContext = contextTokens;
    if (session === undefined || this.#opened.has(session.id)) return;
    this.#opened.add(session.id);
    const { usage, costUsd } = session;
    const { inputTokens, outputTokens, costUsd: before } = this.#before;
    this.#before = {
      inputTokens: inputTokens + inputOf(usage),
      outputTokens: outputTokens + usage.outputTokens,
      costUsd: before === undefined || costUsd === undefined ? undefined : before + costUsd,
    };
  }

  /** Switches to another conversation. The usage so far stays counted. */
  follow(view: AgentView): void {
    const { inputTokens, outputTokens, costUsd } = this;
    this.#before = { inputTokens, outputTokens, costUsd };
    this.#view = view;
  }

  get inputTokens(): number {
    const { usage, judgeUsage, agentsUsage } = this.#view;
    return this.#before.inputTokens + inputOf(usage) + inputOf(judgeUsage) + inputOf(agentsUsage);
  }

  get outputTokens(): number {
    const { usage, judgeUsage, agentsUsage } = this.#view;
    const own = usage.outputTokens + judgeUsage.outputTokens;
    return this.#before.outputTokens + own + agentsUsage.outputTokens;
  }

  get costUsd(): number | undefined {
    const [before, now] = [this.#before.costUsd, this.#view.costUsd];
    return before === undefined || now === undefined ? undefined : before + now;
  }

  /** As of the last response, also of a process before this one. */
  get contextTokens(): number {
    return this.#view.contextTokens === 0 ? this.#savedContext : this.#view.contextTokens;
  }

  get contextShare(): number {
    return this.contextTokens / this.windowTokens;
  }
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
