/** The messages of sub-agents and the calls of scripts, each with the id of the call that started them. */

import type { Block, CallView, TurnView, ViewStep } from "@runahead/harness";
import { usageOf } from "./usage.ts";

/** Returns the lines for an event of a sub-agent: streamed text if wanted, and its messages at the end of a turn. */
export function subAgentLines({ agent, event }: ViewStep, isPartial: boolean): object[] {
  const parent = { parent_tool_use_id: agent.call?.id ?? null };
  if (event.type === "text" && isPartial) {
    const delta = { type: "text_delta", text: event.text };
    return [{ type: "stream_event", event: { type: "content_block_delta", index: 0, delta }, ...parent }];
  }
  if (event.type !== "turn-ended" || agent.turn === undefined) return [];
  const about = { agent_id: agent.id, subagent_type: agent.agentType };
  return messagesOf(agent.turn).map((message) => ({ type: message.role, message, ...parent, ...about }));
}

/** Returns the lines for calls that a call makes, such as those of a script: a call when it arrives, and its result. */
export function nestedCallLines({ calls }: ViewStep): object[] {
  return calls.flatMap(({ what, call }): object[] => {
    if (call.parent === undefined) return [];
    const parent = { parent_tool_use_id: call.parent.id };
    if (what === "input") {
      const content = [useOf(call)];
      const message = wholeMessage({ id: call.id, model: "", content, stop: "tool_use", usage: undefined });
      return [{ type: "assistant", message, ...parent }];
    }
    const content = what === "ended" ? resultOf(call).map(shortened) : [];
    return content.length === 0 ? [] : [{ type: "user", message: { role: "user", content }, ...parent }];
  });
}

/** The script reads the whole result, which can have millions of characters. */
const MOST_RESULT_CHARS = 10_000;

function shortened(block: Block): Block {
  const { content } = block;
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  if (text.length <= MOST_RESULT_CHARS) return block;
  const left = text.length - MOST_RESULT_CHARS;
  return { ...block, content: `${text.slice(0, MOST_RESULT_CHARS)}… (${left} more characters)` };
}

/** Members of a message that the Messages API always has. */
export const ABSENT = { stop_details: null, container: null, context_management: null } as const;

interface Response {
  readonly id: string;
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop: string | null;
  readonly usage: TurnView["usage"] | undefined;
}

/** A message of a model with all members that it has in the Messages API. */
function wholeMessage({ id, model, content, stop, usage }: Response) {
  const ends = { stop_reason: stop, stop_sequence: null, usage: usageOf(usage), ...ABSENT };
  return { id: `msg_${id}`, type: "message", role: "assistant", model, content, ...ends } as const;
}

function messagesOf({ agent, number, text, calls, model, stop, usage }: TurnView) {
  const all = [...calls.values()];
  const said: Block[] = text === "" ? [] : [{ type: "text", text }];
  const uses = all.filter(({ hasInput }) => hasInput).map(useOf);
  const results = all.toSorted((one, other) => (one.endedMs ?? 0) - (other.endedMs ?? 0)).flatMap(resultOf);
  const id = `${agent.call?.id ?? ""}_${agent.id}_${number}`;
  const isWhole = stop !== "open" && stop !== "cut" && stop !== "again";
  const messages = [
    wholeMessage({ id, model, content: [...said, ...uses], stop: isWhole ? stop : null, usage }),
    { role: "user", content: results } as const,
  ];
  return messages.filter(({ content }) => content.length > 0);
}

function useOf({ id, toolName, input }: CallView): Block {
  return { type: "tool_use", id, name: toolName, input };
}

function resultOf({ id, end }: CallView): Block[] {
  if (end?.outcome === undefined) return [];
  const isError = end.outcome.type !== "succeeded";
  return [{ type: "tool_result", tool_use_id: id, content: contentOf(end.outcome), is_error: isError }];
}

type Outcome = NonNullable<NonNullable<CallView["end"]>["outcome"]>;

function contentOf(outcome: Outcome): unknown {
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
