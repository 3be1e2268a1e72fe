/** One prompt and its answer. */

import { Compactor } from "./compaction.ts";
import { Conversation } from "./conversation.ts";
import { toAnthropicTools } from "@runahead/engine";
import type { AgentEvent, QueryResult } from "./event.ts";
import { type LoopOptions, type QueryOptions, toolsNow } from "./options.ts";
import type { Compacting } from "./compacting.ts";
import { LoopHooks } from "./hooking.ts";
import { Run } from "./run.ts";

/** Gives events while it runs and ends in a result. Only wrong use throws: what goes wrong is in the result. */
export function query(options: QueryOptions): AsyncGenerator<AgentEvent, QueryResult, undefined> {
  const parts = partsOf(options);
  const prompts = [options.prompt];
  const signal = options.signal ?? new AbortController().signal;
  return ended(new Run({ ...parts, takeMessages: () => prompts.splice(0), signal }), parts);
}

async function* ended(run: Run, { hooks }: Compacting): AsyncGenerator<AgentEvent, QueryResult, undefined> {
  try {
    return yield* run.events();
  } finally {
    await hooks.end();
  }
}

/** What prompts on the same conversation share. */
export function partsOf(options: LoopOptions): Compacting {
  const { session, contextTokens } = options;
  const results = session?.results ?? options.results;
  const compactor = new Compactor({
    ...(contextTokens === undefined ? {} : { windowTokens: contextTokens }),
    ...(results === undefined ? {} : { results }),
  });
  const tools = toAnthropicTools(toolsNow(options));
  const hooks = new LoopHooks(options);
  return { options, conversation: new Conversation(options, tools), compactor, hooks };
}
