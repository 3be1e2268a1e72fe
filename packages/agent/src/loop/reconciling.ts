/** After a crash: asks tools what happened to the calls that were running, before the model reads that it is unknown. */

import { reconcileTurn } from "@runahead/engine";
import { isShape } from "@runahead/base";
import type { Compacting } from "./compacting.ts";
import type { Message } from "../model/message.ts";
import type { AgentEvent } from "./event.ts";
import { toolsNow } from "./options.ts";

type Ports = Pick<Compacting, "conversation" | "options"> & { readonly signal: AbortSignal };

export async function* reconcileCalls({
  conversation,
  options,
  signal,
}: Ports): AsyncGenerator<AgentEvent, void, undefined> {
  const unknown = conversation.takeUnreconciled();
  if (unknown.length === 0) return;
  const historyIds = new Map(unknown.map(({ callId, historyId }) => [callId, historyId]));
  const historyIdOf = (callId: string): string => historyIds.get(callId) ?? callId;
  const { validateJsonSchema, session } = options;
  const results = session?.results ?? options.results;
  const failures: string[] = [];
  const fates = await reconcileTurn(unknown, {
    tools: toolsNow(options),
    inputOf: (callId) => inputOf(conversation.messages, historyIdOf(callId)),
    context: conversation.context,
    signal,
    ...(results === undefined ? {} : { results }),
    ...(validateJsonSchema === undefined ? {} : { validateJsonSchema }),
    onFailure: (toolName, message) =>
      failures.push(`Cannot determine whether the call of ${toolName} happened: ${message}`),
  });
  for (const message of failures) yield { type: "notice", message };
  for (const fate of fates) {
    if (fate.fate === "unknown") continue;
    conversation.reconciled(fate, historyIdOf(fate.callId));
    const found = fate.fate === "finished" ? "had finished" : "had not happened";
    yield { type: "notice", message: `The call of ${fate.toolName} that was interrupted ${found}.` };
  }
  await conversation.sync();
}

/** The last call with this id: ids can repeat in later responses. */
function inputOf(messages: readonly Message[], callId: string): unknown {
  for (const { content } of messages.toReversed()) {
    if (typeof content === "string") continue;
    const call = content.find(
      (block) => isShape(block) && block.type === "tool_use" && block["id"] === callId,
    );
    if (call !== undefined) return call["input"];
  }
  return {};
}
