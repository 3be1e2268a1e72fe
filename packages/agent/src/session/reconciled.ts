/** Calls whose outcome is unknown, and the history after their tools said what had happened. */

import type { Fate, ToolResult } from "@runahead/engine";
import type { HistoryBlock, HistoryMessage } from "@runahead/engine/history";
import { isShape } from "@runahead/base";
import { crashed } from "./recover.ts";

/** Whether a tool can be asked what happened to the call. */
export function isReconcilable({ fate, idempotencyKey }: Fate): boolean {
  return fate === "unknown" && idempotencyKey !== undefined;
}

/** Reads the fates of a `recovered` entry that tools can be asked about. */
export function unknownIn(fates: unknown): readonly Fate[] {
  if (!Array.isArray(fates)) return [];
  return fates.filter(isShape).flatMap(({ callId, toolName, fate, idempotencyKey, changedInput }) => {
    const isKnown = typeof callId === "string" && typeof toolName === "string";
    if (!isKnown || fate !== "unknown" || typeof idempotencyKey !== "string") return [];
    const known = crashed({ callId, toolName }, true);
    return [{ ...known, idempotencyKey, ...(changedInput === undefined ? {} : { changedInput }) }];
  });
}

/** Returns the messages with another result for a call. Ids can repeat, so the last one is meant. */
export function withResult<Message extends HistoryMessage>(
  messages: readonly Message[],
  result: ToolResult,
): readonly Message[] {
  const at = messages.findLastIndex(({ content }) => Array.isArray(content) && content.some(isOfCall));
  const message = messages[at];
  if (message === undefined || !Array.isArray(message.content)) return messages;
  const content = (message.content as readonly HistoryBlock[]).map((block) =>
    isOfCall(block) ? { ...result } : block,
  );
  return messages.with(at, { ...message, content });

  function isOfCall(block: unknown): boolean {
    return isShape(block) && block["type"] === "tool_result" && block["tool_use_id"] === result.tool_use_id;
  }
}

/** A call with an unknown outcome, and its id in the history. */
export interface UnreconciledCall extends Fate {
  /** Differs from `callId` if an earlier call had the same id, because ids in a history are unique. */
  readonly historyId: string;
}

/** Finds calls in a history that was repaired, by their place from the end: repairing keeps the order of calls. */
export function inHistory(
  fates: readonly Fate[],
  before: readonly HistoryMessage[],
  after: readonly HistoryMessage[],
): readonly UnreconciledCall[] {
  if (fates.length === 0) return [];
  const [old, repaired] = [callIdsIn(before), callIdsIn(after)];
  return fates.map((fate) => {
    const place = old.lastIndexOf(fate.callId) - old.length;
    return { ...fate, historyId: repaired.at(place) ?? fate.callId };
  });
}

function callIdsIn(messages: readonly HistoryMessage[]): string[] {
  const blocks = messages.flatMap(({ content }): readonly unknown[] =>
    Array.isArray(content) ? content : [],
  );
  return blocks
    .filter(isShape)
    .flatMap((block) => (block["type"] === "tool_use" ? [String(block["id"])] : []));
}
