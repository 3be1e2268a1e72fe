/** The cache of tools with `cache`, shared by all agents that share locks. */

import {
  type AnyTool,
  type Locks,
  type ResultContent,
  type ShownResult,
  type ToolCache,
  type ToolCacheView,
  createToolCache,
} from "@runahead/engine";
import type { BackgroundTasks } from "@runahead/base";
import type { Message } from "../model/message.ts";

/** A conversation, by the messages that its model gets. */
export interface Messages {
  readonly messages: readonly Message[];
}

interface Shared {
  readonly cache: ToolCache;
  /** The background work of every agent that shares the locks. */
  readonly background: Set<BackgroundTasks>;
}

const sharedBy = new WeakMap<Locks, Shared>();
const views = new WeakMap<Messages, ToolCacheView>();

export interface TreeCacheParts {
  readonly locks: Locks;
  /** Whether agents of other trees have the same locks. */
  readonly isShared: boolean;
  readonly background: BackgroundTasks | undefined;
}

export class TreeCache {
  readonly #parts: TreeCacheParts;

  constructor(parts: TreeCacheParts) {
    this.#parts = parts;
  }

  /** If no tool has `cache`, the tools themselves, unless others need to know what they write. */
  tools(
    tools: readonly AnyTool[],
    conversation: Messages | undefined,
    isWatched = false,
  ): readonly AnyTool[] {
    const { locks, isShared, background } = this.#parts;
    const known = sharedBy.get(locks);
    // Agents of another tree can have such tools later, and must know then what is being written.
    if (known === undefined && !isShared && !isWatched && !tools.some(({ cache }) => cache === true))
      return tools;
    const shared = known ?? newCache(locks);
    if (background !== undefined) shared.background.add(background);
    return shared.cache.tools(tools, ...(conversation === undefined ? [] : [viewOf(conversation)]));
  }
}

function newCache(locks: Locks): Shared {
  const background = new Set<BackgroundTasks>();
  const cache = createToolCache({ isBusy: commandsIn(background) });
  const shared: Shared = { cache, background };
  sharedBy.set(locks, shared);
  return shared;
}

/**
 * Whether a command runs in the background, or one was started since the last question. Sub-agents in the background do
 * not count: their calls have claims of their own.
 */
function commandsIn(sources: ReadonlySet<BackgroundTasks>): () => boolean {
  const last = new Map<BackgroundTasks, string>();
  return () => {
    let isBusy = false;
    for (const source of sources) {
      const commands = source.list().filter(({ kind }) => kind === "command");
      const newest = commands.at(-1)?.id ?? "";
      if (commands.some(({ isRunning }) => isRunning) || (newest !== "" && newest !== last.get(source)))
        isBusy = true;
      last.set(source, newest);
    }
    return isBusy;
  };
}

/** One for each conversation, because each has read other results. */
function viewOf(conversation: Messages): ToolCacheView {
  const known = views.get(conversation);
  if (known !== undefined) return known;
  const view: ToolCacheView = { isShown: (result) => isShown(conversation.messages, result) };
  views.set(conversation, view);
  return view;
}

/** Whether a result is in the history as it was: a compaction shortens or removes it. */
function isShown(messages: readonly Message[], { callId, content }: ShownResult): boolean {
  const message = messages.findLast(
    ({ role, content: blocks }) =>
      role === "user" &&
      typeof blocks !== "string" &&
      blocks.some((block) => block.type === "tool_result" && block["tool_use_id"] === callId),
  );
  if (message === undefined || typeof message.content === "string") return false;
  const block = message.content.find(({ tool_use_id: id }) => id === callId);
  return block?.["is_error"] !== true && beginsWith(block?.["content"], content);
}

/** Hooks can have added something after it. */
function beginsWith(kept: unknown, content: ResultContent): boolean {
  if (typeof content === "string") return typeof kept === "string" && kept.startsWith(content);
  return (
    Array.isArray(kept) &&
    content.every((block, at) => JSON.stringify(block) === JSON.stringify((kept as unknown[])[at]))
  );
}
