/** Reports the calls of a session to the client, including those of sub-agents and scripts. */

import type { SessionUpdate, ToolCallContent, ToolCallStatus } from "@agentclientprotocol/sdk";
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

/** How much of the end of live output is sent. */
const SHOWN_CHARS = 20_000;
/** Of the calls of a script, this many are sent. Of the others, those that ask or fail. */
const MOST_NESTED = 20;
/** Live output is sent at most this often. */
const LIVE_MS = 100;

export class Calls {
  readonly #send: (update: SessionUpdate) => void;
  /** Calls with output that has not been sent yet. */
  readonly #live = new Set<CallView>();
  /** The terminals of calls that run in one. */
  readonly #terminals = new Map<string, string>();
  /** Calls of scripts that the client does not know. */
  readonly #hidden = new Set<CallView>();
  #timer: NodeJS.Timeout | undefined;
  /** The folder for relative paths of the next calls. Commands can change it. */
  cwd: string;

  constructor(cwd: string, send: (update: SessionUpdate) => void) {
    this.cwd = cwd;
    this.#send = send;
  }

  changed(change: CallChange): void {
    const { what, call } = change;
    if (what === "began" && isOneOfMany(call)) this.#hidden.add(call);
    if (!this.#hidden.has(call)) return this.#changed(change);
    if (isNotable(call)) this.#reveal(call, what);
    else if (what === "ended") this.#hidden.delete(call);
  }

  /** Sends a call that was not sent when it began. */
  #reveal(call: CallView, what: CallChange["what"]): void {
    this.#hidden.delete(call);
    this.#began(call);
    if (call.hasInput) this.#arrived(call);
    if (what !== "input") this.#changed({ what, call });
  }

  #changed({ what, call }: CallChange): void {
    switch (what) {
      case "began":
        return this.#began(call);
      case "input":
        return this.#arrived(call);
      case "state":
        return call.state === "running" ? this.#status(call, "in_progress") : undefined;
      case "progress":
        this.#live.add(call);
        this.#timer ??= setTimeout(() => this.#sendLive(), LIVE_MS);
        return;
      case "ended":
        return this.#ended(call);
      case "preview":
      case "judged":
    }
  }

  /** Shows a terminal of the editor instead of the output. */
  showTerminal(callId: string, terminalId: string): void {
    this.#terminals.set(callId, terminalId);
    const content: ToolCallContent[] = [{ type: "terminal", terminalId }];
    this.#send({ sessionUpdate: "tool_call_update", toolCallId: callId, status: "in_progress", content });
  }

  /** Stops sending. */
  close(): void {
    clearTimeout(this.#timer);
    this.#live.clear();
    this.#hidden.clear();
  }

  #began(call: CallView): void {
    const { id, toolName } = call;
    const title = prefixOf(call) + toolName;
    const kind = kindOf(toolName);
    this.#send({ sessionUpdate: "tool_call", toolCallId: id, title, kind, status: "pending" });
  }

  #arrived(call: CallView): void {
    const { id, toolName, input, description } = call;
    this.#send({
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      title: prefixOf(call) + titleOf(toolName, input, description),
      locations: locationsOf(toolName, input, this.cwd),
      ...rawInputOf(input),
    });
  }

  #status({ id }: CallView, status: ToolCallStatus): void {
    this.#send({ sessionUpdate: "tool_call_update", toolCallId: id, status });
  }

  #sendLive(): void {
    this.#timer = undefined;
    for (const { id, printed, status } of this.#live) {
      if (this.#terminals.has(id)) continue;
      const shown = printed === "" ? status : printed.slice(-SHOWN_CHARS);
      const content = [textContent(fenced(shown))];
      this.#send({ sessionUpdate: "tool_call_update", toolCallId: id, content });
    }
    this.#live.clear();
  }

  #ended(call: CallView): void {
    const { id, toolName, agent, end } = call;
    this.#live.delete(call);
    if (end?.outcome === undefined) return this.#status(call, droppedStatus(call));
    const { outcome, output } = end;
    const terminalId = this.#terminals.get(id);
    this.#terminals.delete(id);
    this.#send({
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      status: outcome.type === "succeeded" ? "completed" : "failed",
      content:
        terminalId === undefined
          ? settledContent({ toolName, outcome, output })
          : [{ type: "terminal", terminalId }],
      ...changedLocations(output),
    });
    if (agent.id === "") this.#follow(toolName, output);
  }

  #follow(toolName: string, output: unknown): void {
    const { cwd } = (output ?? {}) as { cwd?: unknown };
    if (toolName === "Bash" && typeof cwd === "string") this.cwd = cwd;
  }
}

/** The sub-agent and the script before a title. Empty for calls that the model of the main agent makes. */
function prefixOf({ agent, parent }: CallView): string {
  const ofAgent = agent.id === "" ? "" : `${agent.agentType} (${agent.id}): `;
  return parent === undefined ? ofAgent : `${ofAgent}${parent.toolName}: `;
}

function isOneOfMany({ parent }: CallView): boolean {
  return parent !== undefined && parent.madeCalls > MOST_NESTED;
}

function isNotable({ state, end }: CallView): boolean {
  return state === "asking" || (end !== undefined && end.how !== "succeeded");
}

/** The status of a call without a result. A sub-agent's call ends like the call that started the sub-agent. */
function droppedStatus({ agent }: CallView): ToolCallStatus {
  return agent.call?.end?.how === "succeeded" ? "completed" : "failed";
}
