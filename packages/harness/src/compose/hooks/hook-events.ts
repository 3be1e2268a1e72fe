/** Events that hooks only hear of: what they answer changes nothing. */

import { type AgentEvent, type HookRunner, initialView, reduce } from "@runahead/agent";
import type { Instructions } from "../../instructions/instructions.ts";

/** The observers of all events that only inform. */
export function observer(hooks: HookRunner): (event: AgentEvent) => void {
  const [denials, texts] = [denialObserver(hooks), textObserver(hooks)];
  return (event) => {
    denials(event);
    texts(event);
  };
}

/** MessageDisplay: the text of a response is complete. */
function textObserver(hooks: HookRunner): (event: AgentEvent) => void {
  if (!hooks.has("MessageDisplay")) return () => {};
  let text = "";
  const show = (): void => {
    const message = text.trim();
    text = "";
    if (message !== "") void hooks.happen("MessageDisplay", { message }).catch(() => {});
  };
  return (event) => {
    if (event.type === "text") text += event.text;
    else if (event.type === "message-started" || event.type === "turn-ended" || event.type === "ended")
      show();
  };
}

/** PermissionDenied: auto mode did not allow a call, and nobody else did. */
function denialObserver(hooks: HookRunner): (event: AgentEvent) => void {
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

/** Setup: runs with `--init` and `--maintenance`, before the first prompt. */
export async function runSetup(
  hooks: HookRunner,
  trigger: "init" | "maintenance" | undefined,
  onNotice: (message: string) => void,
): Promise<void> {
  if (trigger === undefined) return;
  if (!hooks.has("Setup")) return onNotice("There are no Setup hooks to run.");
  const { messages, stop } = await hooks.happen("Setup", { trigger });
  for (const message of messages) onNotice(message);
  if (stop !== undefined) onNotice(stop.reason);
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
