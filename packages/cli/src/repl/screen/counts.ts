/** Tokens and cost of the session so far. Times come from the timeline. */

import type { AgentView, CallView, CodingAgent, Usage } from "@runahead/harness";

type OpenedSession = Pick<NonNullable<CodingAgent["session"]>, "id" | "usage" | "costUsd">;

/** In US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const CHARS_PER_TOKEN = 4;
/** The estimate changes in steps, so that the last line is not redrawn with every word. */
const COUNTED_TOKENS = 25;
/** How often the length of an input that streams is looked at. */
const LOOK_MS = 200;
const NOTHING = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

interface InputSize {
  readonly preview: CallView["preview"];
  readonly chars: number;
  readonly atMs: number;
}

export class Counts {
  /** The size of the model's context window. */
  windowTokens = 200_000;
  #view: AgentView;
  /** Usage of the conversations before this one. */
  #before = { inputTokens: 0, outputTokens: 0, costUsd: 0 as number | undefined };

  #savedContext = 0;
  /** The price of the model; undefined if it is not known. */
  price: Price | undefined;
  /** The usage whose cost the view includes. */
  #priced: Pick<Usage, keyof typeof NOTHING> = NOTHING;
  readonly #inputs = new WeakMap<CallView, InputSize>();
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
    this.#priced = NOTHING;
  }

  get inputTokens(): number {
    const { usage, judgeUsage, agentsUsage } = this.#view;
    return this.#before.inputTokens + inputOf(usage) + inputOf(judgeUsage) + inputOf(agentsUsage);
  }

  get outputTokens(): number {
    const { usage, judgeUsage, agentsUsage } = this.#view;
    const own = usage.outputTokens + judgeUsage.outputTokens;
    return this.#before.outputTokens + own + agentsUsage.outputTokens + this.#streamedTokens;
  }

  /** While a prompt is being answered, an estimate of what it costs so far is included. */
  get costUsd(): number | undefined {
    const [before, now] = [this.#before.costUsd, this.#view.costUsd];
    return before === undefined || now === undefined ? undefined : before + now + this.#runningUsd;
  }

  /** The cost of the prompt is known, and included in the view. */
  settled(): void {
    this.#priced = withAgents(this.#view);
  }

  get #runningUsd(): number {
    if (this.price === undefined || this.#view.result !== undefined) return 0;
    const { input, output, cacheRead, cacheWrite } = this.price;
    const [now, then] = [withAgents(this.#view), this.#priced];
    const dollars =
      (now.inputTokens - then.inputTokens) * input +
      (now.outputTokens - then.outputTokens + this.#streamedTokens) * output +
      (now.cacheReadTokens - then.cacheReadTokens) * cacheRead +
      (now.cacheWriteTokens - then.cacheWriteTokens) * cacheWrite;
    return Math.max(0, dollars) / 1_000_000;
  }

  /** An estimate of what the current response has streamed; its usage comes at its end. */
  get #streamedTokens(): number {
    const { turn } = this.#view;
    if (turn?.stop !== "open") return 0;
    const inputs = [...turn.calls.values()].reduce((chars, call) => chars + this.#inputChars(call), 0);
    const tokens = (turn.text.length + turn.thinking.length + inputs) / CHARS_PER_TOKEN;
    return Math.floor(tokens / COUNTED_TOKENS) * COUNTED_TOKENS;
  }

  /** The length of a call's input so far. An input that streams is parsed for it, so it is looked at now and then. */
  #inputChars(call: CallView): number {
    const known = this.#inputs.get(call);
    const nowMs = performance.now();
    if (known?.preview === call.preview) return known.chars;
    if (known !== undefined && !call.hasInput && nowMs - known.atMs < LOOK_MS) return known.chars;
    const chars = JSON.stringify(call.preview() ?? "")?.length ?? 0;
    this.#inputs.set(call, { preview: call.preview, chars, atMs: nowMs });
    return chars;
  }

  /** As of the last response, also of a process before this one. */
  get contextTokens(): number {
    const known = this.#view.contextTokens === 0 ? this.#savedContext : this.#view.contextTokens;
    return known + this.#streamedTokens;
  }

  /** How much of the context came from the provider's cache with the last request, and how much was added to it. */
  get cachedTokens(): { readonly read: number; readonly written: number } {
    const { turn } = this.#view;
    const { cacheReadTokens: read, cacheWriteTokens: written } = turn?.usage ?? NOTHING;
    // The conversation was made shorter since that request.
    return read + written > this.contextTokens ? { read: 0, written: 0 } : { read, written };
  }

  get contextShare(): number {
    return this.contextTokens / this.windowTokens;
  }
}

/** The usage of the agent and its sub-agents. Their models can have other prices, so a cost of it is an estimate. */
function withAgents({ usage, agentsUsage }: AgentView): typeof NOTHING {
  return {
    inputTokens: usage.inputTokens + agentsUsage.inputTokens,
    outputTokens: usage.outputTokens + agentsUsage.outputTokens,
    cacheReadTokens: usage.cacheReadTokens + agentsUsage.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens + agentsUsage.cacheWriteTokens,
  };
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
