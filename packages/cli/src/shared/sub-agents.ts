/** What sub-agents say and do, as messages that name the call that they work for. */

import type { AgentEvent, Block } from "@runahead/harness";

/** Deeper than agents ever call agents: an event that holds itself comes to an end. */
const DEEPEST = 8;

interface OpenTurn {
  text: string;
  readonly calls: Block[];
  readonly results: Block[];
}

export class SubAgents {
  readonly #tell: (line: object) => void;
  readonly #isPartial: boolean;
  /** By the sub-agent's id. */
  readonly #open = new Map<string, OpenTurn>();

  constructor(tell: (line: object) => void, isPartial: boolean) {
    this.#tell = tell;
    this.#isPartial = isPartial;
  }

  /** What a tool reports; of anything but a sub-agent nothing comes. */
  hear(callId: string, data: unknown, depth = 0): void {
    const told = data as Partial<{ type: string; agentId: string; event: AgentEvent }> | null;
    if (told?.type !== "agent" || typeof told.agentId !== "string" || depth > DEEPEST) return;
    const { agentId, event } = told;
    if (event?.type === "call-progress") return this.hear(event.callId, event.data, depth + 1);
    if (event !== undefined) this.#event({ agentId, callId }, event);
  }

  #event(from: { agentId: string; callId: string }, event: AgentEvent): void {
    const turn = this.#open.get(from.agentId) ?? { text: "", calls: [], results: [] };
    this.#open.set(from.agentId, turn);
    switch (event.type) {
      case "message-started":
      case "retry":
        return void this.#open.delete(from.agentId);
      case "text":
        turn.text += event.text;
        if (this.#isPartial) this.#delta(from.callId, event.text);
        return;
      case "call-arrived":
        return void turn.calls.push({
          type: "tool_use",
          id: event.callId,
          name: event.toolName,
          input: event.input,
        });
      case "call-settled":
        return void turn.results.push(resultOf(event));
      case "turn-ended":
        this.#open.delete(from.agentId);
        return this.#messages(from.callId, turn);
    }
  }

  #delta(callId: string, text: string): void {
    const event = { type: "content_block_delta", delta: { type: "text_delta", text } };
    this.#tell({ type: "stream_event", event, parent_tool_use_id: callId });
  }

  #messages(callId: string, { text, calls, results }: OpenTurn): void {
    const said: Block[] = text === "" ? [] : [{ type: "text", text }];
    const content = [...said, ...calls];
    const parent = { parent_tool_use_id: callId };
    if (content.length > 0)
      this.#tell({ type: "assistant", message: { role: "assistant", content }, ...parent });
    if (results.length > 0)
      this.#tell({ type: "user", message: { role: "user", content: results }, ...parent });
  }
}

function resultOf({ callId, outcome }: Extract<AgentEvent, { type: "call-settled" }>): Block {
  const isError = outcome.type !== "succeeded";
  return { type: "tool_result", tool_use_id: callId, content: contentOf(outcome), is_error: isError };
}

function contentOf(outcome: Extract<AgentEvent, { type: "call-settled" }>["outcome"]): unknown {
  switch (outcome.type) {
    case "succeeded":
      return outcome.content;
    case "failed":
      return outcome.message;
    case "denied":
      return outcome.reason;
    case "aborted":
      return outcome.output;
  }
}
