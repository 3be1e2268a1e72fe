/** The options of an executor, their defaults, and the errors for invalid ones. */

import type { Start } from "../core/call.ts";
import { systemClock } from "./clock.ts";
import { resolveFilePlace } from "./file-place.ts";
import { type Locks, isLocks } from "./locks.ts";
import { memoryJournal } from "./memory-journal.ts";
import type { EngineEvent } from "./notice.ts";
import { memoryResults } from "./output.ts";
import { currentFolder } from "./platform.ts";
import type { Answer, Ask, CanUseTool, Clock, Hooks, Journal, Results, ValidateJsonSchema } from "./ports.ts";
import {
  COUNT,
  checkArray,
  checkFunctions,
  isCount,
  rejectUnknown,
  shown,
  wrongRange,
  wrongType,
} from "./shapes.ts";
import type { SharedContext, Tool } from "./tool.ts";
import { DEFAULT_LIMIT } from "../core/turn.ts";
import { isRecord } from "../wire/shape.ts";

/** Configures a {@link StreamingToolExecutor}. Only `tools` is required. */
export interface ExecutorOptions<Context extends SharedContext = SharedContext> {
  /** The tools that calls can name. */
  readonly tools: readonly Tool<unknown, unknown, Context>[];
  /** Returns the verdict on one call. **Default: every call is allowed.** If it throws, the call is denied. */
  readonly canUseTool?: CanUseTool<Context>;
  /**
   * Shows a question to the user. Never called for two questions at a time. Default: calls that need approval are
   * denied.
   */
  readonly ask?: Ask;
  /**
   * Answers to questions that were deferred in an earlier executor, by call id. They are used when the rules ask about
   * that call, instead of `ask`. Default: none.
   */
  readonly answers?: ReadonlyMap<string, Answer>;
  /**
   * False: nobody can continue this turn later, so an answer that is deferred counts as none, and a hook that defers asks
   * now. Default: true.
   */
  readonly canDefer?: boolean;
  /** Functions that run before and after calls. */
  readonly hooks?: Hooks<Context>;
  /** Shared by the calls and changed by them for later ones. Default: `{ cwd }` with the current folder. */
  readonly context?: Context;
  /** How many calls run at a time. Default: 10, or `maxConcurrency` of `locks`. */
  readonly limit?: number;
  /** Keeps apart calls that conflict and belong to different executors. Made by {@link createLocks}. */
  readonly locks?: Locks;
  /** Names this executor in events of other executors whose calls wait for it; for example, the type of a sub-agent. */
  readonly owner?: string;
  /** When calls start. Default: `eager`. */
  readonly start?: Start;
  /**
   * Identifies this turn in every process, such as `session-7/turn-3`. The idempotency keys of its calls begin with it.
   * Default: random, so that the keys are not the same after a crash.
   */
  readonly scope?: string;
  /** Interrupts the turn when aborted: with reason `"interrupt"` as a new message, with any other as a stop. */
  readonly signal?: AbortSignal;
  /** Records every event before its effects. Default: `memoryJournal()`. */
  readonly journal?: Journal;
  /** Keeps results that are too large for the model. Default: `memoryResults()`. */
  readonly results?: Results;
  /**
   * Receives every event. An error that it throws becomes a process warning. Default: failures of hooks, of the journal,
   * of the store and of context changes become process warnings.
   */
  readonly onEvent?: (event: EngineEvent) => void;
  /** Checks the input of tools that have a plain JSON Schema. Required if there is such a tool. */
  readonly validateJsonSchema?: ValidateJsonSchema;
  /** Resolves a place before places are compared. Default: `resolveFilePlace`. */
  readonly resolvePlace?: (place: string) => string;
  /** Measures time. Default: the system's clock. */
  readonly clock?: Clock;
}

const WHERE = "StreamingToolExecutor";

const FUNCTIONS = ["canUseTool", "ask", "onEvent", "validateJsonSchema", "resolvePlace"];
const OTHERS = [
  "tools",
  "answers",
  "canDefer",
  "hooks",
  "context",
  "limit",
  "locks",
  "owner",
  "start",
  "scope",
  "signal",
  "journal",
  "results",
  "clock",
];
const HOOKS = ["matches", "preToolUse", "postToolUse", "postToolUseFailure"];

/** Throws a `TypeError` that names the option that is wrong. */
export function checkOptions<Context extends SharedContext>(
  options: ExecutorOptions<Context>,
  where = WHERE,
): void {
  const { tools, hooks = {} } = options ?? {};
  checkArray(tools, `${where}: tools`, "tools");
  rejectUnknown(options, [...OTHERS, ...FUNCTIONS], where);
  checkFunctions(options, FUNCTIONS, where);
  checkPorts(options as unknown as Readonly<Record<string, unknown>>, where);
  rejectUnknown(hooks, HOOKS, `${where}: hooks`);
  checkFunctions(hooks, HOOKS, `${where}: hooks`);
  checkLocks(options, where);
  if (options.answers !== undefined && !(options.answers instanceof Map))
    throw wrongType(`${where}: answers`, "a Map", options.answers);
  if (options.scope !== undefined && (typeof options.scope !== "string" || options.scope === ""))
    throw wrongType(`${where}: scope`, "a string that is not empty", options.scope);
}

/** The functions that each port needs. */
const PORTS: Readonly<Record<string, readonly string[]>> = {
  journal: ["record"],
  results: ["store"],
  clock: ["now", "after", "cancel"],
  signal: ["addEventListener", "removeEventListener"],
};

function checkPorts(options: Readonly<Record<string, unknown>>, where: string): void {
  for (const [name, functions] of Object.entries(PORTS)) {
    const port = options[name] as Record<string, unknown> | null | undefined;
    if (port === undefined) continue;
    const missing = functions.find((one) => typeof port?.[one] !== "function");
    if (missing !== undefined)
      throw new TypeError(`${where}: ${name} needs a function "${missing}": ${shown(port)} has none.`);
  }
  for (const name of ["hooks", "context"]) {
    const value = options[name];
    if (value !== undefined && !isRecord(value)) throw wrongType(`${where}: ${name}`, "an object", value);
  }
  const { context } = options as { context?: { cwd?: unknown } };
  if (context !== undefined && typeof context.cwd !== "string")
    throw new TypeError(`${where}: context needs a cwd: the folder that relative paths are in.`);
}

function checkLocks(
  { locks, owner }: { readonly locks?: unknown; readonly owner?: unknown },
  where: string,
): void {
  if (locks !== undefined && !isLocks(locks))
    throw new TypeError(`${where}: locks must come from createLocks(), not ${shown(locks)}.`);
  if (owner !== undefined && typeof owner !== "string") throw wrongType(`${where}: owner`, "a string", owner);
}

/** Fills in the defaults, and throws if an option is invalid. */
export function complete<Context extends SharedContext>(options: ExecutorOptions<Context>) {
  const { limit = options.locks?.maxConcurrency ?? DEFAULT_LIMIT, start = "eager" } = options;
  if (!isCount(limit)) throw wrongRange("limit", COUNT, limit);
  if (start !== "eager" && start !== "reads" && start !== "after") {
    throw new TypeError(`start must be "eager", "reads" or "after", not ${JSON.stringify(start)}.`);
  }
  return {
    ...options,
    limit,
    start,
    hooks: (options.hooks ?? {}) as Hooks,
    context: options.context ?? ({ cwd: currentFolder() } as Context),
    journal: options.journal ?? memoryJournal(),
    results: options.results ?? memoryResults(),
    resolvePlace: options.resolvePlace ?? resolveFilePlace,
    clock: options.clock ?? systemClock,
  };
}

export type CompleteOptions<Context extends SharedContext> = ReturnType<typeof complete<Context>>;
