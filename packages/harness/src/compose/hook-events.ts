/** Events that hooks only hear of: what they answer changes nothing. */

import { type AgentEvent, type HookRunner, initialView, reduce } from "@runahead/agent";
import type { Instructions } from "../instructions/instructions.ts";

/** PermissionDenied: auto mode did not allow a call, and nobody else did. */
export function observer(hooks: HookRunner): (event: AgentEvent) => void {
  if (!hooks.has("PermissionDenied")) return () => {};
  const view = initialView();
  const judged = new Map<string, string>();
  return (event) => {
    if (event.type === "permission-judged" && event.decision === "ask")
      judged.set(event.callId, event.reason);
    for (const { what, call } of reduce(view, event)?.calls ?? []) {
      if (what !== "ended") continue;
      const { id, toolName, input, end } = call;
      const reason = judged.get(id);
      judged.delete(id);
      if (end?.outcome?.type !== "denied" || reason === undefined) continue;
      const facts = { tool_name: toolName, tool_input: input, tool_use_id: id, reason };
      void hooks.happen("PermissionDenied", facts).catch(() => {});
    }
  };
}

const KINDS = { user: "User", project: "Project", local: "Local" } as const;

/** InstructionsLoaded, for each file that the model reads from the start. */
export function reportInstructions(hooks: HookRunner, { files }: Instructions): void {
  if (!hooks.has("InstructionsLoaded")) return;
  for (const { path, scope, importedBy } of files) {
    const facts = {
      file_path: path,
      memory_type: KINDS[scope],
      load_reason: importedBy === undefined ? "session_start" : "include",
      ...(importedBy === undefined ? {} : { parent_file_path: importedBy }),
    };
    void hooks.happen("InstructionsLoaded", facts).catch(() => {});
  }
}
