/** Middleware around the run of calls: code that runs before and after a tool, in the place of the tool's own function. */

import { onAbort } from "./cancellation.ts";
import { checkArray, checkName, rejectUnknown, wrongType } from "./shapes.ts";
import { toolWith } from "./tool-members.ts";
import type { AnyTool, CallContext, SharedContext } from "./tool.ts";

/** Describes a call to a middleware. */
export interface AroundCall {
  /** The tool of the call. */
  readonly tool: AnyTool;
  /** The validated input that the permission was given for. It cannot be changed here; a PreToolUse hook can change it. */
  readonly input: unknown;
  /** What the tool gets: id, idempotency key, signal, shared context, progress. */
  readonly context: CallContext;
  /**
   * Whether `next` can run the tool more than once: the call only reads, or the tool has `retry` with `writes: true`.
   */
  readonly isRepeatable: boolean;
}

/** Replaces parts of the context that the tool gets. */
export interface AroundChanges {
  /** The shared context for this run of the tool, such as with a tenant added. Later calls are not affected. */
  readonly context?: SharedContext;
  /** A signal that also stops the tool. The call's own signal keeps its effect. */
  readonly signal?: AbortSignal;
}

/**
 * Runs the tool, and resolves with its output or rejects with its error.
 *
 * Rejects without running the tool if the call has been stopped or has ended, and on the second use if the call is not
 * repeatable.
 */
export type Next = (changes?: AroundChanges) => Promise<unknown>;

/**
 * Wraps the run of a call: it has been validated and permitted, and holds its claims. What it returns becomes the output
 * of the call, what it throws becomes a failed result. Without a use of `next`, the tool does not run.
 */
export type Around = (call: AroundCall, next: Next) => unknown;

type Call = (input: unknown, context: CallContext) => unknown;

/** Tools are wrapped before each turn, so the wrapped ones are kept. */
const wrapped = new WeakMap<Around, WeakMap<AnyTool, AnyTool>>();

/**
 * Returns tools whose calls run inside of `around`. With several middlewares, the last one that is applied is outermost.
 *
 * The middleware runs once for each attempt of a call: if the tool has `retry`, a call that fails passes through it
 * again. The call ends when the middleware and every run of the tool that it started have ended.
 *
 * @throws TypeError if `tools` is not an array of tools, or `around` is not a function.
 *
 * @example
 * ```ts
 * import { type Around, type AnyTool, aroundTools, StreamingToolExecutor } from "@runahead/engine";
 *
 * declare const tools: readonly AnyTool[];
 * const timed: Around = async ({ tool }, next) => {
 *   const begun = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     console.log(`${tool.name}: ${Math.round(performance.now() - begun)} ms`);
 *   }
 * };
 * const executor = new StreamingToolExecutor({ tools: aroundTools(tools, timed) });
 * ```
 */
export function aroundTools(tools: readonly AnyTool[], around: Around): readonly AnyTool[] {
  if (typeof around !== "function") throw wrongType("aroundTools: the middleware", "a function", around);
  checkArray(tools, "aroundTools: tools", "tools");
  tools.forEach(checkName);
  let own = wrapped.get(around);
  if (own === undefined) wrapped.set(around, (own = new WeakMap()));
  return tools.map((tool) => {
    const known = own.get(tool) ?? wrap(tool, around);
    own.set(tool, known);
    return known;
  });
}

function wrap(tool: AnyTool, around: Around): AnyTool {
  return toolWith(tool, {
    call: (input: unknown, context: CallContext) => runAround({ tool, input, context }, around),
  });
}

type Running = Pick<AroundCall, "tool" | "input" | "context">;

async function runAround(call: Running, around: Around): Promise<unknown> {
  const { tool, input, context } = call;
  const isRepeatable = canRepeat(call);
  const runs: Promise<unknown>[] = [];
  let hasEnded = false;
  const next: Next = async (changes = {}) => {
    const { signal } = context;
    if (signal.aborted) throw signal.reason;
    if (hasEnded)
      throw new Error(`next() was used after the middleware of ${tool.name} had ended: nothing was run.`);
    if (runs.length > 0 && !isRepeatable)
      throw new Error(
        `next() was used twice for a call of ${tool.name} that can write: it was not run again. ` +
          "Use it once, or set retry: { writes: true } on the tool if a second run has no second effect.",
      );
    const run = runWith(changes, context, (changed) => (tool.call as Call)(input, changed));
    runs.push(run);
    return run;
  };
  try {
    return await around({ tool, input, context, isRepeatable }, next);
  } finally {
    hasEnded = true;
    // The tool works with the claims of the call, so the call cannot end before it.
    await Promise.allSettled(runs);
  }
}

async function runWith(
  changes: AroundChanges,
  context: CallContext,
  run: (changed: CallContext) => unknown,
): Promise<unknown> {
  checkChanges(changes);
  const { signal } = changes;
  if (signal === undefined) return run(changedContext(context, changes));
  const either = eitherOf(context.signal, signal);
  try {
    return await run(changedContext(context, { ...changes, signal: either.signal }));
  } finally {
    either.end();
  }
}

/**
 * A signal that is aborted with one of two. It listens to both: Node 20 can forget `AbortSignal.timeout` inside
 * `AbortSignal.any` when it collects garbage, and then the tool is never stopped.
 */
function eitherOf(one: AbortSignal, other: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const made = new AbortController();
  const listening = [one, other].map((signal) => onAbort(signal, () => made.abort(signal.reason)));
  const end = (): void => {
    for (const stopListening of listening) stopListening();
  };
  return { signal: made.signal, end };
}

function checkChanges(changes: AroundChanges): void {
  rejectUnknown(changes, ["context", "signal"], "next");
  const { context, signal } = changes;
  if (context !== undefined && (typeof context !== "object" || typeof context?.cwd !== "string"))
    throw wrongType('next: "context"', 'a shared context with a "cwd"', context);
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw wrongType('next: "signal"', "an AbortSignal", signal);
}

function canRepeat({ tool, input }: Running): boolean {
  if (tool.retry?.writes === true) return true;
  try {
    return tool.isReadOnly?.(input as Record<string, unknown>) === true;
  } catch {
    return false;
  }
}

/** A plain object, because the members of the original are computed when they are read. */
function changedContext(original: CallContext, { context, signal }: AroundChanges): CallContext {
  if (context === undefined && signal === undefined) return original;
  const shared = context ?? original.context;
  const { callId, idempotencyKey, message, permissions, progress, change } = original;
  return {
    callId,
    idempotencyKey,
    signal: signal ?? original.signal,
    cwd: shared.cwd,
    context: shared,
    message,
    permissions,
    progress,
    change,
  };
}
