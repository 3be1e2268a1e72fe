/** How a run ended, in the protocol's words. */

import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import type { QueryResult } from "@runahead/harness";

/** Throws what the client is answered where the model failed: that is no way to stop. */
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
    case "hook_stopped":
      return "end_turn";
    case "model_error":
      if (stop === "max_tokens" || stop === "model_context_window_exceeded") return "max_tokens";
      throw new RequestError(-32603, detail === "" ? "The model failed." : detail);
  }
}
