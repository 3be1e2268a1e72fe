/** Where the events of a sub-agent go: to its call while that waits for it, and then to the listener of the session. */

import type { CallContext } from "@runahead/engine";
import type { AgentEvent } from "../loop/event.ts";
import { agentEventOf } from "../loop/engine-listener.ts";
import type { AgentAbout } from "../session/entry.ts";
import { AgentProgress } from "./agent-progress.ts";
import type { AgentTree } from "./agent-tree.ts";
import type { Report } from "./sub-agent-run.ts";

/** The call that waits for a sub-agent, until the call ends or the sub-agent is moved to the background. */
export class WaitingCall {
  readonly progress: CallContext["progress"];
  readonly #stop = new AbortController();
  readonly #context: CallContext;
  readonly #onAbort = (): void => this.#stop.abort();

  constructor(context: CallContext) {
    this.#context = context;
    this.progress = context.progress;
    if (context.signal.aborted) this.#stop.abort();
    else context.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Stops the sub-agent with its call. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The sub-agent is no longer stopped with its call. */
  leave(): void {
    this.#context.signal.removeEventListener("abort", this.#onAbort);
  }
}

interface Reported {
  readonly id: string;
  readonly about: AgentAbout;
  readonly caller: { readonly callId: string };
}

export class AgentReports {
  readonly #agent: Reported;
  readonly #tree: AgentTree;
  readonly #call: WaitingCall | undefined;
  #goesToCall: boolean;
  /** Events that wait until those that went through the call have been heard. */
  #held: AgentEvent[] | undefined;

  /** `call` is undefined for a sub-agent that no call started. */
  constructor(agent: Reported, tree: AgentTree, call: WaitingCall | undefined) {
    this.#agent = agent;
    this.#tree = tree;
    this.#call = call;
    this.#goesToCall = call !== undefined && !agent.about.isBackground;
  }

  readonly report: Report = (event) => {
    if (this.#held !== undefined) this.#held.push(event);
    // As progress of the call, the first event comes after those of the call itself.
    else if (this.#goesToCall || (event.type === "agent-started" && this.#call !== undefined))
      this.#call?.progress(this.#progress(event));
    else this.#announce(event);
  };

  /** The sub-agent goes on in the background, and its call ends now. What the call has reported is heard first. */
  move(): void {
    const { description } = this.#agent.about;
    this.report({ type: "agent-started", description, isBackground: true });
    this.#goesToCall = false;
    this.#held = [];
    setImmediate(() => {
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const event of held) this.#announce(event);
    });
  }

  #announce(event: AgentEvent): void {
    const { callId } = this.#agent.caller;
    this.#tree.onEvent(agentEventOf({ callId, toolName: "Agent" }, this.#progress(event)));
  }

  #progress(event: AgentEvent): AgentProgress {
    return new AgentProgress(this.#agent.id, this.#agent.about.type, event);
  }
}
