/** After a crash: asks tools what happened to the calls whose outcome is unknown. */

import { type Outcome, toToolResult } from "../core/outcome.ts";
import { onAbort } from "./cancellation.ts";
import { type Clock, systemClock, withLimit } from "./clock.ts";
import { maxCharsOf } from "./execute.ts";
import { type Bounding, bound, memoryResults, toContent } from "./output.ts";
import { currentFolder } from "./platform.ts";
import type { Results, ValidateJsonSchema } from "./ports.ts";
import { type Fate, NOT_STARTED } from "./recover.ts";
import { messageOf, notAnObject, toText } from "./serialise.ts";
import { checkArray, checkFunctions, rejectUnknown } from "./shapes.ts";
import type { AnyTool, Reconciled, SharedContext } from "./tool.ts";
import { Toolbox } from "./toolbox.ts";
import { isObject } from "../wire/shape.ts";

/** Configures {@link reconcileTurn}. */
export interface ReconcileOptions {
  /** The tools of the turn. Those without `reconcile` are not asked. */
  readonly tools: readonly AnyTool[];
  /** Returns the input that the model gave to a call. */
  readonly inputOf: (callId: string) => unknown;
  /** The shared context, as it was when the turn began. Default: `{ cwd }` with the current folder. */
  readonly context?: SharedContext;
  /** Ends the questions to tools: what is not known by then stays unknown. */
  readonly signal?: AbortSignal;
  /** Keeps results that are too large for the model. Default: `memoryResults()`. */
  readonly results?: Results;
  /** Checks the input of tools that have a plain JSON Schema. */
  readonly validateJsonSchema?: ValidateJsonSchema;
  /** Measures time. Default: the system's clock. */
  readonly clock?: Clock;
  /** Receives the name of a tool whose `reconcile` failed, and why. Default: failures are not reported. */
  readonly onFailure?: (toolName: string, message: string) => void;
}

const OPTIONS = [
  "tools",
  "inputOf",
  "context",
  "signal",
  "results",
  "validateJsonSchema",
  "clock",
  "onFailure",
];

/** A tool that takes longer than this does not know. */
const LIMIT_MS = 60_000;

/**
 * Asks each tool that has `reconcile` what happened to its calls with an unknown outcome. Such a call becomes
 * `finished`, with its output, or `never-started`. Other fates are returned as they are.
 *
 * Only fates with an `idempotencyKey` are asked about: pass the `scope` of the executor to {@link recoverTurn}.
 *
 * @example
 * ```ts
 * import { type AnyTool, type JournalEvent, reconcileTurn, recoverTurn } from "@runahead/engine";
 *
 * export async function recover(events: JournalEvent[], inputs: Map<string, unknown>, tools: AnyTool[]) {
 *   const fates = recoverTurn(events, { scope: "session-7/turn-3" });
 *   return reconcileTurn(fates, { tools, inputOf: (callId) => inputs.get(callId) });
 * }
 * ```
 */
export async function reconcileTurn(fates: readonly Fate[], options: ReconcileOptions): Promise<Fate[]> {
  checkArray(fates, "reconcileTurn: fates", "fates of recoverTurn");
  rejectUnknown(options, OPTIONS, "reconcileTurn");
  checkArray(options.tools, "reconcileTurn: tools", "tools");
  checkFunctions(options, ["inputOf", "onFailure", "validateJsonSchema"], "reconcileTurn");
  const tools = new Map<string, AnyTool>();
  for (const tool of options.tools)
    for (const name of [tool.name, ...(tool.aliases ?? [])]) tools.set(name, tool);
  return Promise.all(
    fates.map(async (fate) => {
      const tool = fate.fate === "unknown" ? tools.get(fate.toolName) : undefined;
      const key = fate.idempotencyKey;
      if (tool?.reconcile === undefined || key === undefined) return fate;
      try {
        return settled(fate, await outcomeOf(tool, { ...fate, idempotencyKey: key }, options));
      } catch (error) {
        options.onFailure?.(tool.name, messageOf(error));
        return fate;
      }
    }),
  );
}

type Keyed = Fate & { readonly idempotencyKey: string };

async function outcomeOf(
  tool: AnyTool,
  { callId, idempotencyKey, changedInput }: Keyed,
  options: ReconcileOptions,
): Promise<Outcome | undefined> {
  const { clock = systemClock, results = memoryResults() } = options;
  const input = changedInput ?? (await validInput(tool, options.inputOf(callId), options));
  const stop = new AbortController();
  const stopListening = options.signal && onAbort(options.signal, () => stop.abort(options.signal?.reason));
  const context = options.context ?? { cwd: currentFolder() };
  const { signal } = stop;
  try {
    const asked = tool.reconcile?.(idempotencyKey, input as Record<string, unknown>, {
      callId,
      signal,
      cwd: context.cwd,
      context,
    });
    const said = checked(await withLimit(clock, LIMIT_MS, orAborted(asked, signal)));
    if (said.fate !== "finished") return said.fate === "unknown" ? undefined : NOT_STARTED;
    const onFailure: Bounding["onFailure"] = (_, toolName, message) => options.onFailure?.(toolName, message);
    const bounding = { callId, toolName: tool.name, maxChars: maxCharsOf(tool), results, onFailure };
    return { type: "succeeded", content: await bound(toContent(tool, said.output), bounding) };
  } finally {
    stopListening?.();
    stop.abort(new Error("The answer is no longer needed."));
  }
}

async function validInput(tool: AnyTool, input: unknown, options: ReconcileOptions): Promise<unknown> {
  const validated = await new Toolbox([tool], options.validateJsonSchema).validate(tool, input);
  if (validated.ok) return validated.input;
  throw new Error(validated.message);
}

/** Rejects when the signal is aborted, because a tool can ignore it. */
function orAborted<Value>(value: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(new Error("it was stopped")));
    Promise.resolve(value).then(resolve, reject).finally(stopListening);
  });
}

/** Tools are foreign code, so their answers are validated. */
function checked(said: unknown): Reconciled {
  if (!isObject(said)) throw notAnObject(said);
  const { fate } = said;
  if (fate === "finished" || fate === "never-started" || fate === "unknown")
    return said as unknown as Reconciled;
  throw new TypeError(`its fate must be "finished", "never-started" or "unknown", got ${toText(fate)}`);
}

function settled(before: Fate, outcome: Outcome | undefined): Fate {
  if (outcome === undefined) return before;
  const fate = outcome.type === "succeeded" ? "finished" : "never-started";
  return { ...before, fate, outcome, result: toToolResult(before.callId, outcome, []) };
}
