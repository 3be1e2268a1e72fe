/** What an executor is made with. Only `tools` is required. */

import { systemClock } from "./clock.ts";
import { resolveFilePlace } from "./file-place.ts";
import { memoryJournal } from "./memory-journal.ts";
import type { EngineEvent } from "./notice.ts";
import { memoryResults } from "./output.ts";
import { currentFolder } from "./platform.ts";
import type { Ask, CanUseTool, Clock, Hooks, Journal, Results, ValidateJsonSchema } from "./ports.ts";
import { checkFunctions, rejectUnknown, shown } from "./shapes.ts";
import type { SharedContext, Tool } from "./tool.ts";
import { DEFAULT_LIMIT, type Start } from "../core/turn.ts";

export interface ExecutorOptions<Context extends SharedContext = SharedContext> {
  readonly tools: readonly Tool<unknown, unknown, Context>[];
  /** The verdict on one call. Without it EVERYTHING IS ALLOWED. */
  readonly canUseTool?: CanUseTool<Context>;
  /** Shows one question to a person; never called for two at a time. Without it nothing that asks is run. */
  readonly ask?: Ask;
  readonly hooks?: Hooks<Context>;
  /** Shared by the calls and changed by them for later ones. */
  readonly context?: Context;
  /** How many calls run at a time: 10 where absent. */
  readonly limit?: number;
  readonly start?: Start;
  /** Aborted with reason "interrupt": a new message has come. With any other: stop. */
  readonly signal?: AbortSignal;
  readonly journal?: Journal;
  readonly results?: Results;
  readonly onEvent?: (event: EngineEvent) => void;
  /** Checks the input of tools that have a plain JSON Schema. */
  readonly validateJsonSchema?: ValidateJsonSchema;
  /** Brings a place into the form in which places are compared: links of `fs:` places where absent. */
  readonly resolvePlace?: (place: string) => string;
  readonly clock?: Clock;
}

const WHERE = "StreamingToolExecutor";

const FUNCTIONS = ["canUseTool", "ask", "onEvent", "validateJsonSchema", "resolvePlace"];
const OTHERS = ["tools", "hooks", "context", "limit", "start", "signal", "journal", "results", "clock"];
const HOOKS = ["matches", "preToolUse", "postToolUse", "postToolUseFailure"];

/** Throws a `TypeError` that names the option that is wrong. */
export function checkOptions<Context extends SharedContext>(options: ExecutorOptions<Context>): void {
  const { tools, hooks = {} } = options ?? {};
  if (!Array.isArray(tools))
    throw new TypeError(`${WHERE}: tools must be an array of tools, not ${shown(tools)}.`);
  rejectUnknown(options, [...FUNCTIONS, ...OTHERS], WHERE);
  checkFunctions(options, FUNCTIONS, WHERE);
  rejectUnknown(hooks, HOOKS, `${WHERE}: hooks`);
  checkFunctions(hooks, HOOKS, `${WHERE}: hooks`);
}

/** The defaults filled in, and wrong use said at once. */
export function complete<Context extends SharedContext>(options: ExecutorOptions<Context>) {
  const { limit = DEFAULT_LIMIT, start = "eager" } = options;
  if (!(Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY) || limit < 1) {
    throw new RangeError(`limit must be a whole number of at least 1, not ${limit}.`);
  }
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
