/** The result line, which is the last line of every prompt. */

import type { OpenQuestion, QueryResult } from "@runahead/harness";
import { endingWords } from "../shared/ending.ts";
import { modelUsageOf, usageOf } from "./usage.ts";

const SUBTYPES: Readonly<Partial<Record<QueryResult["reason"], string>>> = {
  completed: "success",
  deferred: "success",
  max_turns: "error_max_turns",
  budget: "error_max_budget_usd",
};

/** Why a prompt ended, in the words of the Agent SDK where they differ. */
const TERMINAL_REASONS: Readonly<Partial<Record<QueryResult["reason"], string>>> = {
  deferred: "tool_deferred",
  budget: "budget_exhausted",
};

/** The result of a prompt that starts no turn. */
export const NO_WORK: QueryResult = {
  reason: "completed",
  detail: "",
  text: "",
  messages: [],
  turns: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
  models: [],
};

export type Spent = Pick<QueryResult, "usage" | "costUsd">;

/** The summary of a session that is not kept is not counted, so its cost is unknown. */
export function spentSince(before: Spent | undefined, now: Spent | undefined): Spent {
  if (before === undefined || now === undefined) return { usage: NO_WORK.usage, costUsd: undefined };
  const more = (name: keyof Spent["usage"]): number => (now.usage[name] ?? 0) - (before.usage[name] ?? 0);
  const isPriced = now.costUsd !== undefined && before.costUsd !== undefined;
  return {
    usage: {
      inputTokens: more("inputTokens"),
      outputTokens: more("outputTokens"),
      cacheReadTokens: more("cacheReadTokens"),
      cacheWriteTokens: more("cacheWriteTokens"),
    },
    costUsd: isPriced ? now.costUsd - before.costUsd : undefined,
  };
}

export interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** What every result line says about the run. */
export interface Facts {
  readonly sessionId: string;
  readonly denials: readonly Denial[];
  readonly ms: number;
  /** Milliseconds of all responses. */
  readonly apiMs: number;
}

interface Around extends Facts {
  /** Why the last response ended. */
  readonly stop: string | null;
  /** The first question that waits for an answer. */
  readonly deferred: OpenQuestion | undefined;
  /** What stands for a cost that is unknown. */
  readonly unknownCost: number | null;
}

/** The result line of a prompt that ran. */
export function resultOf(result: QueryResult, around: Around): object {
  const { sessionId, denials, ms, apiMs, stop, deferred, unknownCost } = around;
  const { reason, detail, text, turns, usage, costUsd } = result;
  const isError = reason !== "completed" && reason !== "deferred";
  return {
    type: "result",
    subtype: SUBTYPES[reason] ?? "error_during_execution",
    is_error: isError,
    result: isError && text === "" ? endingWords(result) : text,
    stop_reason: reason === "deferred" ? "tool_deferred" : stop,
    ...(deferred === undefined
      ? {}
      : {
          deferred_tool_use: { id: deferred.callId, name: deferred.toolName, input: deferred.input },
        }),
    terminal_reason: TERMINAL_REASONS[reason] ?? reason,
    ...(detail === "" ? {} : { detail }),
    ...(isError ? { errors: [endingWords(result)] } : {}),
    session_id: sessionId,
    num_turns: turns,
    duration_ms: ms,
    duration_api_ms: apiMs,
    total_cost_usd: costUsd ?? unknownCost,
    usage: usageOf(usage),
    modelUsage: modelUsageOf(result),
    permission_denials: denials,
    ...structuredOf(result),
  };
}

/** The result line of a run that failed before it had a result. */
export function failureOf(words: string, { sessionId, denials, ms, apiMs }: Facts): object {
  return {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    result: words,
    session_id: sessionId,
    num_turns: 0,
    duration_ms: ms,
    duration_api_ms: apiMs,
    stop_reason: null,
    total_cost_usd: 0,
    usage: usageOf(undefined),
    modelUsage: {},
    permission_denials: denials,
    errors: [words],
  };
}

/** With `--json-schema`: the value, or the error that says why there is none. */
function structuredOf({ reason, output: structured }: QueryResult): object {
  if (structured?.type === "valid") return { structured_output: structured.value };
  if (structured === undefined || reason !== "completed") return {};
  const detail = structured.message;
  return { subtype: "error_max_structured_output_retries", is_error: true, detail, errors: [detail] };
}
