/** Why a response ended: providers, gateways and local servers each have their own words for it. */

import type { ResponseEnding } from "../runtime/ports.ts";
import { wrongType } from "../runtime/shapes.ts";

/**
 * Says how a response ended.
 *
 * - `whole`: the model ended it. An unknown reason counts as this, too.
 * - `limit`: a limit on tokens or on the context window cut it off.
 * - `refused`: a filter ended it, or the model refused.
 * - `broken`: the server gave up, so that the same request can succeed later.
 */
export type Finish = "whole" | "limit" | "refused" | "broken";

const WORDS: Readonly<Record<Exclude<Finish, "whole">, readonly string[]>> = {
  limit: [
    "length",
    "max_tokens",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
    "context_length_exceeded",
  ],
  refused: [
    "content_filter",
    "content_filtered",
    "refusal",
    "safety",
    "sensitive",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "guardrail_intervened",
  ],
  broken: [
    "error",
    "network_error",
    "insufficient_system_resource",
    "abort",
    "cancelled",
    "malformed_function_call",
    "function_call_filter",
  ],
};

const FINISHES: ReadonlyMap<string, Finish> = new Map(
  (["limit", "refused", "broken"] as const).flatMap((finish) =>
    WORDS[finish].map((word) => [word, finish] as const),
  ),
);

/**
 * Says what a finish reason or stop reason means, in the words of any provider.
 *
 * @example
 * ```ts
 * import { finishOf } from "@runahead/engine/wire";
 *
 * console.log(finishOf("stop"), finishOf("model_length"), finishOf("content_filter: RECITATION"));
 * // whole limit refused
 * ```
 */
export function finishOf(reason: string): Finish {
  if (typeof reason !== "string") throw wrongType("finishOf: reason", 'a string such as "stop"', reason);
  const known = FINISHES.get(reason);
  if (known !== undefined) return known;
  // Gemini writes some reasons in capitals, and adds details to others after a colon.
  const [word = ""] = reason.toLowerCase().split(":");
  return FINISHES.get(word.trim()) ?? "whole";
}

/** What the executor learns about such an end. */
export function endingOf(finish: Finish, reason: string): ResponseEnding {
  if (finish === "refused") return { ok: false, reason: "refusal" };
  return finish === "broken"
    ? { ok: false, reason: `the server ended the response: ${reason}` }
    : { ok: true };
}
