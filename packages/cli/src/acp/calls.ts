/** The calls of a session as the client is told of them, those of sub-agents among them. */

import type { SessionUpdate, ToolCallStatus } from "@agentclientprotocol/sdk";
import type { CallChange, CallView } from "@runahead/harness";
import {
  changedLocations,
  fenced,
  kindOf,
  locationsOf,
  rawInputOf,
  settledContent,
  textContent,
  titleOf,
} from "./call.ts";

/** Of what a call prints while it runs, the end. */
const SHOWN_CHARS = 20_000;
/** Live output goes out so often at most. */
const LIVE_MS = 100;

export class Calls {
  readonly #tell: (update: SessionUpdate) => void;
  /** Those that have printed something since the client was last told. */
  readonly #live = new Set<CallView>();
  #timer: NodeJS.Timeout | undefined;
  /** Where relative paths of the next calls lead from: commands may have gone elsewhere. */
  cwd: string;

  constructor(cwd: string, tell: (update: SessionUpdate) => void) {
    this.cwd = cwd;
    this.#tell = tell;
  }

  changed({ what, call }: CallChange): void {
    switch (what) {
      case "began":
        return this.#began(call);
      case "input":
        return this.#arrived(call);
      case "state":
        return call.state === "running" ? this.#status(call, "in_progress") : undefined;
      case "progress":
        this.#live.add(call);
        this.#timer ??= setTimeout(() => this.#tellLive(), LIVE_MS);
        return;
      case "ended":
        return this.#ended(call);
      case "preview":
      case "judged":
    }
  }

  /** Nothing is sent any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#live.clear();
  }

  #began(call: CallView): void {
    const { id, toolName } = call;
    const title = prefixOf(call) + toolName;
    const kind = kindOf(toolName);
    this.#tell({ sessionUpdate: "tool_call", toolCallId: id, title, kind, status: "pending" });
  }

  #arrived(call: CallView): void {
    const { id, toolName, input, description } = call;
    this.#tell({
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      title: prefixOf(call) + titleOf(toolName, input, description),
      locations: locationsOf(toolName, input, this.cwd),
      ...rawInputOf(input),
    });
  }

  #status({ id }: CallView, status: ToolCallStatus): void {
    this.#tell({ sessionUpdate: "tool_call_update", toolCallId: id, status });
  }

  #tellLive(): void {
    this.#timer = undefined;
    for (const { id, printed, status } of this.#live) {
      const shown = printed === "" ? status : printed.slice(-SHOWN_CHARS);
      const content = [textContent(fenced(shown))];
      this.#tell({ sessionUpdate: "tool_call_update", toolCallId: id, content });
    }
    this.#live.clear();
  }

  #ended(call: CallView): void {
    const { id, toolName, agent, end } = call;
    this.#live.delete(call);
    if (end?.outcome === undefined) return this.#status(call, droppedStatus(call));
    const { outcome, output } = end;
    this.#tell({
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      status: outcome.type === "succeeded" ? "completed" : "failed",
      content: settledContent({ toolName, outcome, output }),
      ...changedLocations(output),
    });
    if (agent.call === undefined) this.#follow(toolName, output);
  }

  #follow(toolName: string, output: unknown): void {
    const { cwd } = (output ?? {}) as { cwd?: unknown };
    if (toolName === "Bash" && typeof cwd === "string") this.cwd = cwd;
  }
}

/** Whose it is, before its title: nothing for the agent's own. */
function prefixOf({ agent }: CallView): string {
  return agent.call === undefined ? "" : `${agent.agentType}: `;
}

/** Of a call without a result: a sub-agent's ends as the call that it works for. */
function droppedStatus({ agent }: CallView): ToolCallStatus {
  return agent.call?.end?.how === "succeeded" ? "completed" : "failed";
}
