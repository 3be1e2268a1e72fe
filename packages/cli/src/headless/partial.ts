/** `--include-partial-messages`: the events of a response in the form of the Messages API. */

import type { AgentEvent } from "@runahead/harness";
import { ABSENT } from "./sub-agents.ts";
import { usageOf } from "./usage.ts";

interface OpenBlock {
  readonly type: "text" | "thinking" | "tool_use";
  /** The id of the call. */
  readonly id: string;
}

type Event = Readonly<Record<string, unknown>>;

/** Turns the events of one agent into those of the API. Blocks are numbered in the order in which they begin. */
export class PartialMessages {
  #open: OpenBlock | undefined;
  #index = -1;
  #isOver = false;

  /** `messageId` is the id of the message that begins, for `message-started`. */
  of(event: AgentEvent, messageId: string): Event[] {
    switch (event.type) {
      case "message-started":
        return this.#begin(event.model, messageId);
      case "text":
        return [...this.#block("text"), this.#delta({ type: "text_delta", text: event.text })];
      case "thinking":
        return [...this.#block("thinking"), this.#delta({ type: "thinking_delta", thinking: event.text })];
      case "call-arriving":
        return this.#block("tool_use", event);
      case "call-arrived":
        // A call of a script is not part of the response.
        return event.parentId === undefined ? this.#call(event) : [];
      case "response-ended":
      case "turn-ended":
        return this.#end(event);
      default:
        return [];
    }
  }

  #begin(model: string, id: string): Event[] {
    this.#open = undefined;
    this.#index = -1;
    this.#isOver = false;
    const message = {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(undefined),
      ...ABSENT,
    };
    return [{ type: "message_start", message }];
  }

  /** Begins a block, unless it is the open one. */
  #block(
    type: OpenBlock["type"],
    call: { readonly callId: string; readonly toolName: string } = NO_CALL,
  ): Event[] {
    if (this.#open?.type === type && this.#open.id === call.callId) return [];
    const ended = this.#close();
    this.#open = { type, id: call.callId };
    const content_block =
      type === "tool_use"
        ? { type, id: call.callId, name: call.toolName, input: {} }
        : type === "text"
          ? { type, text: "" }
          : { type, thinking: "", signature: "" };
    return [...ended, { type: "content_block_start", index: ++this.#index, content_block }];
  }

  #call(call: Extract<AgentEvent, { type: "call-arrived" }>): Event[] {
    const begun = this.#block("tool_use", call);
    const partial_json = JSON.stringify(call.input ?? {});
    return [...begun, this.#delta({ type: "input_json_delta", partial_json }), ...this.#close()];
  }

  #end({ stop, usage }: Extract<AgentEvent, { type: "response-ended" | "turn-ended" }>): Event[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    const delta = { stop_reason: stop === "cut" ? null : stop, stop_sequence: null };
    return [
      ...this.#close(),
      { type: "message_delta", delta, usage: usageOf(usage) },
      { type: "message_stop" },
    ];
  }

  #delta(delta: Event): Event {
    return { type: "content_block_delta", index: this.#index, delta };
  }

  #close(): Event[] {
    if (this.#open === undefined) return [];
    this.#open = undefined;
    return [{ type: "content_block_stop", index: this.#index }];
  }
}

const NO_CALL = { callId: "", toolName: "" } as const;
