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
import { amount, callWords, plural } from "../words.ts";
import { ItemList, type LiveItem, type LiveTimes, callDetail } from "./item.ts";
import { addPrompt, recallMessage } from "./recall.ts";

export class LiveFeed {
  #view = initialView();
  readonly #items = new ItemList();
  readonly #ids = new WeakMap<CallView, string>();
  /** The calls of scripts that have an item, by the id of the item. */
  readonly #nested = new Map<string, CallView>();
  #text: LiveItem | undefined;

  /** The latest items, oldest first. */
  get items(): readonly LiveItem[] {
    return this.#items.all;
  }

  /** Another conversation begins. */
  forget(): void {
    this.#view = initialView();
    this.#items.clear();
    this.#nested.clear();
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
    const makers = step.calls.flatMap(({ what, call }) =>
      what === "began" && call.parent !== undefined && isCounted(call.parent) ? [call.parent] : [],
    );
    const calls = [...new Set([...makers, ...changed, ...ended])].flatMap((call) => this.#call(call));
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

  /** A later call of a script replaces an earlier one, so that a script does not push everything else out of the list. */
  #idOf(call: CallView): string | undefined {
    const known = this.#ids.get(call);
    if (known !== undefined)
      return call.parent === undefined || this.#nested.get(known) === call ? known : undefined;
    const { parent } = call;
    const above = parent === undefined ? undefined : this.#ids.get(parent);
    const id =
      parent === undefined || above === undefined
        ? this.#items.nextId("call")
        : `${above}.${(parent.madeCalls - 1) % MOST_NESTED}`;
    this.#ids.set(call, id);
    if (parent !== undefined) this.#nested.set(id, call);
    return id;
  }

  #call(call: CallView): LiveItem[] {
    const id = this.#idOf(call);
    if (id === undefined) return [];
    const above = call.parent === undefined ? undefined : this.#ids.get(call.parent);
    this.#text = undefined;
    const words = call.hasInput ? callWords(call.description, call.input) : call.toolName;
    const text = `${words}${madeWords(call)}`;
    const detail = callDetail(call);
    const why = call.end === undefined ? "" : whyWords(waitsOf(call), call.agent.turn?.responseEndMs);
    const item = this.#items.keep({
      id,
      kind: "call",
      agent: call.agent.id,
      text: strip(text),
      state: call.end === undefined ? call.state : call.end.how,
      times: timesOf(call),
      ...(above === undefined ? {} : { parent: above }),
      ...(why === "" ? {} : { why: strip(why) }),
      ...(detail === "" ? {} : { detail }),
    });
    if (call.end !== undefined && call.madeCalls > 0) this.#forgetNested(id);
    return [item];
  }

  #forgetNested(id: string): void {
    for (let at = 0; at < MOST_NESTED; at++) this.#nested.delete(`${id}.${at}`);
  }
}

/** Of the calls of a script, the last ones are shown. */
const MOST_NESTED = 20;

/** Whether its number of calls is shown now: sending it for each of a thousand calls is too much. */
function isCounted({ madeCalls }: CallView): boolean {
  return madeCalls <= MOST_NESTED || madeCalls % MOST_NESTED === 0;
}

/** ` · 30 calls, 2 failed` for a script. */
function madeWords({ madeCalls, failedCalls }: CallView): string {
  if (madeCalls === 0) return "";
  const failed = failedCalls === 0 ? "" : `, ${amount(failedCalls)} failed`;
  return ` · ${plural(madeCalls, "call")}${failed}`;
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
