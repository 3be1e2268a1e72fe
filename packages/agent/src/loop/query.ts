/** Answers one prompt. */

import { checkFree, hold } from "../session/holder.ts";
import { checkQuery } from "./check-options.ts";
import { factsOf } from "../model/models.ts";
import { Compactor } from "./compaction.ts";
import { Conversation } from "./conversation.ts";
import { type AgentIdentity, toAnthropicTools } from "@runahead/engine";
import { AgentTree } from "../agents/agent-tree.ts";
import type { Member } from "../agents/binding.ts";
import type { AgentEvent, QueryResult } from "./event.ts";
import { type LoopOptions, type QueryOptions, toolsNow } from "./options.ts";
import type { Compacting } from "./compacting.ts";
import type { Around } from "./event-stream.ts";
import { LoopHooks } from "./hooking.ts";
import { Preparation } from "./preparing.ts";
import { Run } from "./run.ts";
import type { OutputOf, OutputSchema } from "./structured-output.ts";

/**
 * Answers one prompt: yields events while it runs, and returns the result.
 *
 * Throws a TypeError for invalid options, and {@link SessionLocked} if an agent or query of this process uses the
 * session. Later errors are in the result: see its `reason`. The events can be read once: a second loop over them
 * throws.
 *
 * @example
 * ```ts
 * import { anthropic, query } from "@runahead/agent";
 *
 * const model = anthropic({ model: "claude-sonnet-4-6" });
 * for await (const event of query({ model, tools: [], prompt: "Say hello.", maxTurns: 10 })) {
 *   if (event.type === "text") process.stdout.write(event.text);
 *   if (event.type === "ended") console.log(event.result.reason, event.result.costUsd);
 * }
 * ```
 */
export function query<Schema extends OutputSchema>(
  options: QueryOptions & { readonly outputSchema: Schema },
): AsyncGenerator<AgentEvent, QueryResult<OutputOf<Schema>>, undefined>;
export function query(options: QueryOptions): AsyncGenerator<AgentEvent, QueryResult, undefined>;
export function query(options: QueryOptions): AsyncGenerator<AgentEvent, QueryResult, undefined> {
  checkQuery(options);
  checkFree(options.session);
  const parts = partsOf(options);
  const prompts = options.prompt === undefined ? [] : [options.prompt];
  const signal = options.signal ?? new AbortController().signal;
  const ports = { ...parts, takeMessages: () => prompts.splice(0), signal, waitsForBackground: true };
  const run = new Run(ports);
  return forOneReader(run.events(holding(run, parts)));
}

/** Two loops over the same events would each get a part of them. */
function forOneReader<Events extends AsyncGenerator>(events: Events): Events {
  let isRead = false;
  const value = (): Events => {
    if (isRead)
      throw new TypeError(
        "query: the events are already being read by another loop. Read them once and pass them on, or use " +
          "createAgent({ onEvent }).",
      );
    isRead = true;
    return events;
  };
  return Object.defineProperty(events, Symbol.asyncIterator, { value });
}

/** Held from the first event on, because a query that is never read would not release it. */
function holding(run: Run, { hooks, options, member: { tree } }: Compacting): Around<QueryResult> {
  return async (work) => {
    tree.onEvent = (event) => run.report(event);
    const release = hold(options.session, "a query");
    try {
      return await work();
    } finally {
      await tree.close();
      await hooks.end();
      release();
    }
  };
}

/** Makes the parts that all prompts of a conversation share. `sub` is set for a sub-agent. */
export function partsOf(options: LoopOptions, sub?: SubMember): Compacting {
  const { session } = options;
  const results = session?.results ?? options.results;
  const tools = toAnthropicTools(toolsNow(options));
  const hooks = new LoopHooks(options, sub?.agent);
  const member = sub?.member ?? mainMember(options);
  const conversation = new Conversation(options, tools, sub?.agent);
  const compactor = new Compactor({
    // The model can change during a conversation: a fallback takes over, or the user chooses another one.
    windowTokens: () => options.contextTokens ?? factsOf(conversation.model).contextTokens,
    ...(results === undefined ? {} : { results }),
  });
  const shared = { options, conversation, compactor, hooks, member };
  return { ...shared, preparation: new Preparation(shared) };
}

/** A sub-agent: its place in the session, and its name for hooks and tools. */
interface SubMember {
  readonly member: Member;
  readonly agent: AgentIdentity;
}

function mainMember({ session, background, locks, limits, limit: maxCalls }: LoopOptions): Member {
  const tree = new AgentTree({ session, background, locks, limits, maxCalls });
  return { tree, id: undefined, type: "main", depth: 0, presence: undefined };
}
