/** The calls of a session as the client is told of them, those of sub-agents among them. */

import type { SessionUpdate, ToolCallStatus } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "@runahead/harness";
import {
  type Settled,
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
const KEPT_CHARS = 20_000;
/** Live output goes out so often at most. */
const LIVE_MS = 100;

interface Shown {
  readonly toolName: string;
  /** Whose it is, before its title: nothing for the agent's own. */
  readonly prefix: string;
  /** The call that it is part of. */
  readonly parent: string | undefined;
  printed: string;
}

interface Whose {
  readonly prefix: string;
  readonly parent: string | undefined;
}

const OWN: Whose = { prefix: "", parent: undefined };

type Progress =
  | { readonly type: "output"; readonly content: string }
  | { readonly type: "status"; readonly message: string }
  | { readonly type: "agent"; readonly agentType: string; readonly event: AgentEvent };

export class Calls {
  readonly #tell: (update: SessionUpdate) => void;
  readonly #open = new Map<string, Shown>();
  readonly #live = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Where relative paths of the next calls lead from: commands may have gone elsewhere. */
  cwd: string;

  constructor(cwd: string, tell: (update: SessionUpdate) => void) {
    this.cwd = cwd;
    this.#tell = tell;
  }

  hear(event: AgentEvent, whose: Whose = OWN): void {
    switch (event.type) {
      case "call-arriving":
        return this.#show(event.callId, event.toolName, whose);
      case "call-arrived":
        return this.#arrived(event, whose);
      case "call-started":
        return this.#update(event.callId, "in_progress");
      case "call-progress":
        return this.#progress(event.callId, event.data as Progress);
      case "call-settled":
        return this.#settled(event);
    }
  }

  /** What had begun to come in is asked for again, or never came to its end. */
  discard(): void {
    for (const callId of this.#open.keys()) this.#end(callId, "failed");
  }

  /** Nothing is sent any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#live.clear();
  }

  #show(callId: string, toolName: string, { prefix, parent }: Whose): void {
    if (this.#open.has(callId)) return;
    this.#open.set(callId, { toolName, prefix, parent, printed: "" });
    this.#tell({
      sessionUpdate: "tool_call",
      toolCallId: callId,
      title: prefix + toolName,
      kind: kindOf(toolName),
      status: "pending",
    });
  }

  #arrived(
    { callId, toolName, input, description }: Extract<AgentEvent, { type: "call-arrived" }>,
    whose: Whose,
  ): void {
    this.#show(callId, toolName, whose);
    this.#tell({
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      title: whose.prefix + titleOf(toolName, input, description),
      locations: locationsOf(toolName, input, this.cwd),
      ...rawInputOf(input),
    });
  }

  #update(callId: string, status: ToolCallStatus): void {
    if (this.#open.has(callId)) this.#tell({ sessionUpdate: "tool_call_update", toolCallId: callId, status });
  }

  #progress(callId: string, progress: Progress | undefined): void {
    const shown = this.#open.get(callId);
    if (shown === undefined) return;
    if (progress?.type === "agent") {
      const prefix = `${progress.agentType}: `;
      return this.hear(progress.event, { prefix, parent: callId });
    }
    if (progress?.type === "output" && typeof progress.content === "string")
      shown.printed = (shown.printed + progress.content).slice(-KEPT_CHARS);
    else if (progress?.type === "status" && typeof progress.message === "string")
      shown.printed = progress.message;
    else return;
    this.#live.add(callId);
    this.#timer ??= setTimeout(() => this.#tellLive(), LIVE_MS);
  }

  #tellLive(): void {
    this.#timer = undefined;
    for (const callId of this.#live) {
      const { printed = "" } = this.#open.get(callId) ?? {};
      this.#tell({
        sessionUpdate: "tool_call_update",
        toolCallId: callId,
        content: [textContent(fenced(printed))],
      });
    }
    this.#live.clear();
  }

  #settled(event: Settled): void {
    const { callId, output, outcome } = event;
    const shown = this.#open.get(callId);
    if (shown === undefined) return;
    const hasSucceeded = outcome.type === "succeeded";
    // Its sub-agent is over with it.
    for (const [id, { parent }] of this.#open)
      if (parent === callId) this.#end(id, hasSucceeded ? "completed" : "failed");
    this.#forget(callId);
    this.#tell({
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      status: hasSucceeded ? "completed" : "failed",
      content: settledContent(event),
      ...changedLocations(output),
    });
    if (shown.parent === undefined) this.#follow(event);
  }

  #follow({ toolName, output }: Settled): void {
    const { cwd } = (output ?? {}) as { cwd?: unknown };
    if (toolName === "Bash" && typeof cwd === "string") this.cwd = cwd;
  }

  #end(callId: string, status: ToolCallStatus): void {
    this.#forget(callId);
    this.#tell({ sessionUpdate: "tool_call_update", toolCallId: callId, status });
  }

  #forget(callId: string): void {
    this.#open.delete(callId);
    this.#live.delete(callId);
  }
}
