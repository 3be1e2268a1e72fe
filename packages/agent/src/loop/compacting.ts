/** Compacts a conversation and reports it as events. */

import type { Compactor } from "./compaction.ts";
import type { Conversation } from "./conversation.ts";
import type { AgentEvent } from "./event.ts";
import { type LoopHooks, noticesOf } from "./hooking.ts";
import { toAnthropicTools } from "@runahead/engine";
import type { Message } from "../model/message.ts";
import { type LoopOptions, toolsNow } from "./options.ts";
import type { Tally } from "./tally.ts";
import { textOf } from "./text.ts";

export const DEFAULT_MAX_TOKENS = 32_000;
/** Attempts at a summary, if the caller sets the waits. */
const ATTEMPTS = 4;

export interface Compacting {
  readonly options: LoopOptions;
  readonly conversation: Conversation;
  readonly compactor: Compactor;
  readonly hooks: LoopHooks;
}

export interface CompactionWish {
  /** The user asked for it, perhaps with instructions. */
  readonly manual: boolean;
  readonly instructions?: string;
  readonly signal: AbortSignal;
  readonly tally: Tally;
}

/** Returns true if the conversation became shorter. */
export async function* compactNow(
  { options, conversation, compactor, hooks }: Compacting,
  { manual, instructions, signal, tally }: CompactionWish,
): AsyncGenerator<AgentEvent, boolean, undefined> {
  const { system = "", maxTokens = DEFAULT_MAX_TOKENS } = options;
  const { model } = conversation;
  const said = await hooks.compact(manual, instructions ?? "", signal);
  yield* noticesOf(said);
  if (said.blocked !== undefined) {
    yield {
      type: "notice",
      message: `A hook blocked compaction: ${said.blocked.reason}`,
    };
    return false;
  }
  const asked = instructions === undefined ? {} : { instructions };
  const retry = options.retry === undefined ? {} : { retry: { ...options.retry, attempts: ATTEMPTS } };
  const tools = toAnthropicTools(toolsNow(options));
  const ports = { model, system, tools, maxTokens, signal, manual, ...asked, ...retry };
  const done = await compactor.compact(conversation.messages, ports).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (done === undefined) return false;
  tally.add(done.usage, model);
  if (done.type === "failed") {
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
