/** What other windows see of a session: a list of items that grow and change, made from the agent's events. */

import {
  type AgentEvent,
  type AgentView,
  type CallView,
  type Message,
  type Prompt,
  type ViewStep,
  initialView,
  reduce,
} from "@runahead/harness";
import { strip } from "../safe-text.ts";
import { waitsOf, whyWords } from "../why.ts";
import { callWords } from "../words.ts";
import { ItemList, type LiveItem, type LiveTimes, callDetail } from "./item.ts";
import { addPrompt, recallMessage } from "./recall.ts";

export class LiveFeed {
  #view = initialView();
  readonly #items = new ItemList();
  readonly #ids = new WeakMap<CallView, string>();
  #text: LiveItem | undefined;

  /** The latest items, oldest first. */
  get items(): readonly LiveItem[] {
    return this.#items.all;
  }

  /** Another conversation begins. */
  forget(): void {
    this.#view = initialView();
    this.#items.clear();
    this.#text = undefined;
  }

  /** Shows a resumed conversation. */
  recall(messages: readonly Message[]): void {
    for (const message of messages) recallMessage(this.#items, message);
  }

  /** Returns the items that the event has added or changed. */
  hear(event: AgentEvent): readonly LiveItem[] {
    const step = reduce(this.#view, event);
    if (step === undefined) return [];
    const changed = step.calls.filter(({ what }) => what !== "preview").map(({ call }) => call);
    // How much of a call ran ahead is known when the response is complete.
    const ended = step.event.type === "turn-ended" ? [...(step.agent.turn?.calls.values() ?? [])] : [];
    const calls = [...new Set([...changed, ...ended])].map((call) => this.#call(call));
    const agent = step.agent === this.#view ? [] : this.#agent(step.agent);
    const over = changed.filter(({ end }) => end !== undefined).flatMap((call) => this.#agentsOf(call));
    return [...agent, ...over, ...calls, ...this.#own(step)];
  }

  #own({ agent, event }: ViewStep): LiveItem[] {
    if (agent !== this.#view) return [];
    if (event.type === "text") {
      const { id = this.#items.nextId("text"), text = "" } = this.#text ?? {};
      this.#text = this.#items.keep({ id, kind: "text", agent: "", text: text + strip(event.text) });
      return [this.#text];
    }
    if (event.type === "prompt-attached") {
      this.#text = undefined;
      return [addPrompt(this.#items, promptText(event.prompt))];
    }
    if (event.type === "turn-ended" || event.type === "retry") this.#text = undefined;
    return [];
  }

  /** The agents that worked for a call, of all depths. */
  #agentsOf({ agents }: CallView): LiveItem[] {
    return [...agents.values()].flatMap((agent) => [
      ...this.#agent(agent),
      ...[...(agent.turn?.calls.values() ?? [])].flatMap((call) => this.#agentsOf(call)),
    ]);
  }

  /** An agent in the foreground ends with its call. */
  #agent({ id, agentType, description, call, result, isBackground }: AgentView): LiveItem[] {
    const isOver = result !== undefined || (!isBackground && call?.end !== undefined);
    const state = isOver ? "done" : "working";
    const before = this.#items.get(`agent-${id}`);
    if (before?.state === state) return [];
    const parent = call?.agent.id ?? "";
    const text = strip(`${agentType}: ${description}`);
    return [this.#items.keep({ id: `agent-${id}`, kind: "agent", agent: id, text, state, parent })];
  }

  #call(call: CallView): LiveItem {
    const id = this.#ids.get(call) ?? this.#items.nextId("call");
    this.#ids.set(call, id);
    this.#text = undefined;
    const text = call.hasInput ? callWords(call.description, call.input) : call.toolName;
    const detail = callDetail(call);
    const why = call.end === undefined ? "" : whyWords(waitsOf(call), call.agent.turn?.responseEndMs);
    return this.#items.keep({
      id,
      kind: "call",
      agent: call.agent.id,
      text: strip(text),
      state: call.end === undefined ? call.state : call.end.how,
      times: timesOf(call),
      ...(why === "" ? {} : { why: strip(why) }),
      ...(detail === "" ? {} : { detail }),
    });
  }
}

function promptText(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  const text = prompt.find(({ type }) => type === "text")?.["text"];
  return typeof text === "string" ? text : "";
}

function timesOf({ arrivedMs, startedMs, endedMs, queue }: CallView): LiveTimes {
  return {
    fromMs: arrivedMs,
    waits: queue,
    ...(startedMs === undefined ? {} : { startMs: startedMs }),
    ...(endedMs === undefined ? {} : { endMs: endedMs }),
  };
}
