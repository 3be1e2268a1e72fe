/** Converts the end of a run to the protocol's stop reason. */

import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import type { QueryResult } from "@runahead/harness";

/** Throws a `RequestError` if the model failed, because the protocol has no stop reason for that. */
export function stopReasonOf({
  reason,
  detail,
  stop,
}: Pick<QueryResult, "reason" | "detail" | "stop">): StopReason {
  switch (reason) {
    case "completed":
      return stop === "refusal" ? "refusal" : "end_turn";
    case "max_turns":
    case "budget":
      return "max_turn_requests";
    case "aborted_streaming":
    case "aborted_tools":
      return "cancelled";
    case "deferred":
    case "hook_stopped":
      return "end_turn";
    case "model_error":
      if (stop === "max_tokens" || stop === "model_context_window_exceeded") return "max_tokens";
      throw new RequestError(-32603, detail === "" ? "The model request failed." : detail);
  }
}
