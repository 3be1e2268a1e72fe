/** One prompt and its answer. */

import { Compactor } from "./compaction.ts";
import { Conversation } from "./conversation.ts";
import { toolDefinitions } from "./definitions.ts";
import type { AgentEvent, QueryResult } from "./event.ts";
import type { LoopOptions, QueryOptions } from "./options.ts";
import type { Compacting } from "./compacting.ts";
import { Run } from "./run.ts";

/** Gives events while it runs and ends in a result. Only wrong use throws: what goes wrong is in the result. */
export function query(options: QueryOptions): AsyncGenerator<AgentEvent, QueryResult, undefined> {
  const parts = partsOf(options);
  parts.conversation.add("user", options.prompt);
  const signal = options.signal ?? new AbortController().signal;
  return new Run({ ...parts, takeMessages: () => [], signal }).events();
}

/** What prompts on the same conversation share. */
export function partsOf(options: LoopOptions): Compacting {
  const { session, contextTokens } = options;
  const results = session?.results ?? options.results;
  const compactor = new Compactor({
    ...(contextTokens === undefined ? {} : { windowTokens: contextTokens }),
    ...(results === undefined ? {} : { results }),
  });
  const tools = toolDefinitions(options.tools);
  return { options, conversation: new Conversation(options, tools), compactor, tools };
}
