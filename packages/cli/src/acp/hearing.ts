/** What is heard of the agent becomes updates for the client. */

import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent, QueryResult, TasksOutput } from "@runahead/harness";
import { Calls } from "./calls.ts";

const TASK_TOOLS = new Set(["TaskCreate", "TaskUpdate", "TaskList"]);

export interface HearingOptions {
  readonly cwd: string;
  /** Whether the client knows of notices; else they are said as the agent's own words. */
  readonly hasNotices: boolean;
  readonly tell: (update: SessionUpdate) => void;
}

export class Hearing {
  readonly #options: HearingOptions;
  readonly calls: Calls;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.calls = new Calls(options.cwd, options.tell);
  }

  hear(event: AgentEvent): void {
    this.calls.hear(event);
    switch (event.type) {
      case "text":
        return this.#say("agent_message_chunk", event.text);
      case "thinking":
        return this.#say("agent_thought_chunk", event.text);
      case "call-settled":
        return this.#plan(event.toolName, event.output);
      case "retry":
        this.calls.discard();
        return this.notice(`${event.error.message}. It is asked for again, from the beginning.`);
      case "compacted":
        return this.notice(`The conversation was ${event.how} to make room.`, "info");
      case "notice":
        return this.notice(event.message);
      case "ended":
        return this.#ended(event.result);
    }
  }

  notice(message: string, severity: "info" | "warning" = "warning"): void {
    if (this.#options.hasNotices)
      this.#options.tell({ sessionUpdate: "notice", severity, title: message.slice(0, 2_000) });
    else this.#say("agent_message_chunk", `\n\n> ${message.replaceAll("\n", "\n> ")}\n\n`);
  }

  #say(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    if (text !== "") this.#options.tell({ sessionUpdate, content: { type: "text", text } });
  }

  #plan(toolName: string, output: unknown): void {
    const { tasks } = (output ?? {}) as Partial<TasksOutput>;
    if (!TASK_TOOLS.has(toolName) || tasks === undefined) return;
    const entries = tasks.map(
      ({ subject, status }): PlanEntry => ({ content: subject, priority: "medium", status }),
    );
    this.#options.tell({ sessionUpdate: "plan", entries });
  }

  /** Why it ended, where the stop reason does not say it. */
  #ended({ reason, detail }: QueryResult): void {
    this.calls.discard();
    if (detail !== "" && (reason === "hook_stopped" || reason === "budget" || reason === "max_turns"))
      this.notice(detail);
  }
}
