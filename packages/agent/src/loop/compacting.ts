/** Compacts a conversation and reports it as events. */

import { NO_USAGE } from "../model/token-usage.ts";
import type { Member } from "../agents/binding.ts";
import type { AgentEvent } from "./event.ts";
import { noticesOf } from "./hooking.ts";
import { type Preparation, type PreparationPorts, compactionRequest } from "./preparing.ts";
import type { Message } from "../model/message.ts";
import type { Tally } from "./tally.ts";
import { textOf } from "./text.ts";

export interface Compacting extends PreparationPorts {
  readonly preparation: Preparation;
  /** The agent's place among the agents of its session. */
  readonly member: Member;
}

export interface CompactionWish {
  /** The user asked for it, perhaps with instructions. */
  readonly manual: boolean;
  readonly instructions?: string;
  readonly signal: AbortSignal;
  readonly tally: Tally;
}

type Events = AsyncGenerator<AgentEvent, boolean, undefined>;

/** Continues with the history that was prepared. Returns false if there is none, or it is no longer valid. */
export async function* usePrepared(
  { conversation, preparation, hooks }: Compacting,
  signal: AbortSignal,
): Events {
  const prepared = preparation.take();
  if (prepared === undefined) return false;
  for (const message of prepared.notices) yield { type: "notice", message };
  const beforeTokens = conversation.meter.tokens;
  conversation.replace(prepared.messages);
  const { how } = prepared;
  yield { type: "compacted", how, beforeTokens, afterTokens: conversation.meter.tokens };
  const summary = how === "summarised" ? textIn(prepared.messages[0]) : "";
  yield* noticesOf(await hooks.compacted(false, summary, signal));
  return true;
}

/** Returns true if the conversation became shorter. */
export async function* compactNow(ports: Compacting, wish: CompactionWish): Events {
  const { conversation, compactor, hooks, preparation } = ports;
  const { manual, instructions, signal, tally } = wish;
  await preparation.cancel();
  preparation.count(tally);
  const said = await hooks.compact(manual, instructions ?? "", signal);
  yield* noticesOf(said);
  if (said.blocked !== undefined) {
    yield {
      type: "notice",
      message: `A hook blocked compaction: ${said.blocked.reason}`,
    };
    return false;
  }
  const { model } = conversation;
  const request = compactionRequest(ports, { manual, instructions, signal });
  const done = await compactor.compact(conversation.messages, request).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (done === undefined) return false;
  if (done.usage !== NO_USAGE) conversation.spent("compaction", done.usage, tally.add(done.usage, model));
  if (done.type === "failed") {
    preparation.postpone();
    const given = done.gaveUp
      ? " Automatic compaction is now off; compact manually or start a new conversation."
      : "";
    yield {
      type: "notice",
      message: `Cannot compact the conversation: ${done.reason.replace(/\.$/, "")}.${given}`,
    };
    return false;
  }
  conversation.replace(done.messages);
  const { how, beforeTokens, afterTokens } = done;
  yield { type: "compacted", how, beforeTokens, afterTokens };
  const summary = how === "summarised" ? textIn(done.messages[0]) : "";
  yield* noticesOf(await hooks.compacted(manual, summary, signal));
  return true;
}

/** The summary is the first message. */
function textIn(message: Message | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : textOf(content);
}
