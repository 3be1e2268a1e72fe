/** The messages of sub-agents, each with the id of the call that started the sub-agent. */

import type { Block, CallView, TurnView, ViewStep } from "@runahead/harness";

/** Returns the lines for an event of a sub-agent: streamed text if wanted, and its messages at the end of a turn. */
export function subAgentLines({ agent, event }: ViewStep, isPartial: boolean): object[] {
  const parent = { parent_tool_use_id: agent.call?.id ?? null };
  if (event.type === "text" && isPartial) {
    const delta = { type: "text_delta", text: event.text };
    return [{ type: "stream_event", event: { type: "content_block_delta", index: 0, delta }, ...parent }];
  }
  if (event.type !== "turn-ended" || agent.turn === undefined) return [];
  return messagesOf(agent.turn).map((message) => ({ type: message.role, message, ...parent }));
}

interface SubAgentMessage {
  readonly role: "assistant" | "user";
  readonly content: readonly Block[];
}

function messagesOf({ text, calls }: TurnView): SubAgentMessage[] {
  const all = [...calls.values()];
  const said: Block[] = text === "" ? [] : [{ type: "text", text }];
  const uses = all.filter(({ hasInput }) => hasInput).map(useOf);
  const results = all.toSorted((one, other) => (one.endedMs ?? 0) - (other.endedMs ?? 0)).flatMap(resultOf);
  const messages: SubAgentMessage[] = [
    { role: "assistant", content: [...said, ...uses] },
    { role: "user", content: results },
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
