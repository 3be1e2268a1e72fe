/** How a run ended, in the protocol's words. */

import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import type { QueryResult } from "@runahead/harness";

/** Throws what the client is answered where the model failed: that is no way to stop. */
export function stopReasonOf({ reason, detail }: Pick<QueryResult, "reason" | "detail">): StopReason {
  switch (reason) {
    case "completed":
      return detail.startsWith("refusal") ? "refusal" : "end_turn";
    case "max_turns":
    case "budget":
      return "max_turn_requests";
    case "aborted_streaming":
    case "aborted_tools":
      return "cancelled";
    case "hook_stopped":
      return "end_turn";
    case "model_error":
      if (/^(max_tokens|model_context_window_exceeded)\b/.test(detail)) return "max_tokens";
      throw new RequestError(-32603, detail === "" ? "The model failed." : detail);
  }
}
