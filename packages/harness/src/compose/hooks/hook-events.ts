/** Events that inform hooks. Only PermissionDenied hooks can answer something: that the model can try again. */

import { type AgentEvent, type EventResult, type HookRunner, initialView, reduce } from "@runahead/agent";
import type { Instruction, Instructions } from "../../instructions/instructions.ts";

/** The observers of all events that inform. */
export function observer(hooks: HookRunner, denials: DeniedCalls): (event: AgentEvent) => void {
  const [denied, summaries] = [denialObserver(hooks, denials), summaryObserver(hooks)];
  return (event) => {
    denied(event);
    summaries(event);
  };
}

/** What PermissionDenied hooks answer, for the model: that it can make the call again. */
export class DeniedCalls {
  readonly #pending = new Set<Promise<void>>();
  #texts: string[] = [];

  add(toolName: string, answered: Promise<EventResult>): void {
    const work = answered
      .then(({ specific = [] }) => {
        if (specific.some(({ retry }) => retry === true))
          this.#texts.push(
            `A hook says that you can make the denied ${toolName} call again. It is judged like a new call.`,
          );
      })
      .catch(() => {})
      .finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  /** Waits for the hooks that run, and returns what is new. */
  async take(): Promise<readonly string[]> {
    await Promise.all(this.#pending);
    return this.#texts.splice(0);
  }
}

/** SessionStart with the source `compact`: the context of hooks is added again after a summary. */
function summaryObserver(hooks: HookRunner): (event: AgentEvent) => void {
  return (event) => {
    if (event.type !== "compacted" || event.how !== "summarised" || !hooks.has("SessionStart")) return;
    void hooks.sessionStart("compact").catch(() => {});
  };
}

/** PermissionDenied: auto mode did not allow a call, and nobody else did. */
function denialObserver(hooks: HookRunner, denials: DeniedCalls): (event: AgentEvent) => void {
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
      denials.add(toolName, hooks.happen("PermissionDenied", facts));
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

/** InstructionsLoaded, for files that are read because something near them was touched. */
export function reportNested(
  hooks: HookRunner,
  files: readonly LoadedLater[],
  touched: readonly string[],
): void {
  if (!hooks.has("InstructionsLoaded")) return;
  for (const { path, scope, importedBy, isRule } of files) {
    const facts = {
      file_path: path,
      memory_type: KINDS[scope],
      load_reason: importedBy !== undefined ? "include" : isRule ? "path_glob_match" : "nested_traversal",
      ...(importedBy === undefined ? {} : { parent_file_path: importedBy }),
      ...(touched.length === 0 ? {} : { trigger_file_path: touched.at(-1) }),
    };
    void hooks.happen("InstructionsLoaded", facts).catch(() => {});
  }
}

type LoadedLater = Pick<Instruction, "path" | "scope" | "importedBy"> & { readonly isRule: boolean };

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
