/** A sub-agent at work, as the call that it works for shows it: what it is doing now, how long, for how many tokens. */

import type { AgentEvent } from "@runahead/harness";
import { arrivingWords, amount, callWords, duration, oneLine, plural } from "../../shared/words.ts";

interface NestedCall {
  /** Read when it is shown: the input that comes in is read anew each time. */
  words: () => string;
  state: "arriving" | "queued" | "asks" | "running";
  startedMs: number;
  agent: NestedAgent | undefined;
}

/** What a tool reports of a sub-agent. */
interface AgentProgress {
  readonly type: "agent";
  readonly event: AgentEvent;
}

const MOST_LINES = 6;

export class NestedAgent {
  readonly #now: () => number;
  /** Those under way, by their ids. */
  readonly #calls = new Map<string, NestedCall>();
  #done = 0;
  #tokens = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case "call-arriving":
        this.#call(event).words = () => arrivingWords(event.toolName, event.preview());
        return;
      case "call-arrived": {
        const words = callWords(event.description, event.input);
        this.#call(event).words = () => words;
        return;
      }
      case "call-queued":
        this.#call(event).state = event.state === "asking" ? "asks" : "queued";
        return;
      case "call-started": {
        const call = this.#call(event);
        call.state = "running";
        call.startedMs = this.#now();
        return;
      }
      case "call-progress":
        return this.#progress(event);
      default:
        return this.#ended(event);
    }
  }

  /** `2 calls · 12.3k tokens`, as far as there are some. */
  get sums(): string {
    const parts = [
      ...(this.#done > 0 ? [plural(this.#done, "call")] : []),
      ...(this.#tokens > 0 ? [`${amount(this.#tokens)} tokens`] : []),
    ];
    return parts.join(" · ");
  }

  /** One for each call under way; below it, further in, those of its own sub-agent. */
  lines(): string[] {
    const all = [...this.#calls.values()].flatMap((call) => [
      `${call.words()} · ${this.#stateOf(call)}`,
      ...(call.agent?.lines() ?? []).map((line) => `  ${line}`),
    ]);
    const more = all.length - MOST_LINES;
    return more > 0 ? [...all.slice(0, MOST_LINES), `… ${plural(more, "line")} more`] : all;
  }

  #stateOf({ state, startedMs, agent }: NestedCall): string {
    if (state !== "running") return state;
    const sums = agent?.sums ?? "";
    return `running ${duration(this.#now() - startedMs)}${sums === "" ? "" : ` · ${sums}`}`;
  }

  #call({ callId, toolName }: { readonly callId: string; readonly toolName: string }): NestedCall {
    const known = this.#calls.get(callId);
    if (known !== undefined) return known;
    const call: NestedCall = {
      words: () => oneLine(toolName),
      state: "arriving",
      startedMs: this.#now(),
      agent: undefined,
    };
    this.#calls.set(callId, call);
    return call;
  }

  #progress(event: Extract<AgentEvent, { type: "call-progress" }>): void {
    if (!isAgentProgress(event.data)) return;
    const call = this.#call(event);
    call.agent ??= new NestedAgent(this.#now);
    call.agent.hear(event.data.event);
  }

  #ended(event: AgentEvent): void {
    if (event.type === "call-settled") {
      this.#calls.delete(event.callId);
      this.#done++;
    } else if (event.type === "turn-ended") {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
      this.#tokens += inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
    } else if (event.type === "retry") this.#calls.clear();
  }
}

/** Any tool may report anything. */
export function isAgentProgress(data: unknown): data is AgentProgress {
  if (typeof data !== "object" || data === null) return false;
  const { type, event } = data as Partial<AgentProgress>;
  return type === "agent" && typeof event === "object" && event !== null && "type" in event;
}
