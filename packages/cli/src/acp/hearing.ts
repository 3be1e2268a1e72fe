/** Turns events of the agent into updates for the client. */

import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import {
  type AgentEvent,
  type AgentTask,
  type CallView,
  type QueryResult,
  initialView,
  reduce,
} from "@runahead/harness";
import { endingWords } from "../shared/ending.ts";
import { tasksIn } from "../shared/outputs.ts";
import { Calls } from "./calls.ts";

export interface HearingOptions {
  readonly cwd: string;
  /** Whether the client supports notices. Otherwise they are sent as text of the agent. */
  readonly hasNotices: boolean;
  readonly send: (update: SessionUpdate) => void;
}

export class Hearing {
  readonly #options: HearingOptions;
  readonly #view = initialView();
  readonly calls: Calls;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.calls = new Calls(options.cwd, options.send);
  }

  hear(heard: AgentEvent): void {
    const step = reduce(this.#view, heard);
    if (step === undefined) return;
    for (const change of step.calls) {
      this.calls.changed(change);
      if (change.what === "ended") this.#plan(change.call);
    }
    if (step.agent !== this.#view) return;
    const { event } = step;
    switch (event.type) {
      case "text":
        return this.#say("agent_message_chunk", event.text);
      case "thinking":
        return this.#say("agent_thought_chunk", event.text);
      case "retry":
        return this.notice(
          `${event.error.message.replace(/\.$/, "")}. Retrying the response from the beginning.`,
        );
      case "compacted":
        return this.notice(`The conversation was ${event.how} to make room.`, "info");
      case "notice":
        return this.notice(event.message);
      case "ended":
        return this.#ended(event.result);
      default:
    }
  }

  notice(message: string, severity: "info" | "warning" = "warning"): void {
    if (this.#options.hasNotices)
      this.#options.send({ sessionUpdate: "notice", severity, title: message.slice(0, 2_000) });
    else this.#say("agent_message_chunk", `\n\n> ${message.replaceAll("\n", "\n> ")}\n\n`);
  }

  #say(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    if (text !== "") this.#options.send({ sessionUpdate, content: { type: "text", text } });
  }

  #plan({ agent, end }: CallView): void {
    const tasks = tasksIn(end?.output);
    if (agent === this.#view && tasks !== undefined) this.plan(tasks);
  }

  /** Sends the task list. */
  plan(tasks: readonly AgentTask[]): void {
    const entries = tasks.map(
      ({ subject, status }): PlanEntry => ({ content: subject, priority: "medium", status }),
    );
    this.#options.send({ sessionUpdate: "plan", entries });
  }

  /** Reports why the run ended, if the stop reason does not say it. */
  #ended({ reason, detail }: QueryResult): void {
    if (detail !== "" && (reason === "hook_stopped" || reason === "budget" || reason === "max_turns"))
      this.notice(endingWords({ reason, detail }));
  }
}
