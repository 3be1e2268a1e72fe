/** What other windows see of a session: a list of items that grow and change, made from the agent's events. */

import {
  type AgentEvent,
  type AgentView,
  type CallView,
  type Message,
  type Prompt,
  type ViewStep,
  initialView,
  isReminder,
  reduce,
} from "@runahead/harness";
import { strip } from "../safe-text.ts";
import { callWords, duration } from "../words.ts";

/** One part of the transcript. An item with the id of an earlier one replaces it. */
export interface LiveItem {
  readonly id: string;
  readonly kind: "prompt" | "text" | "call" | "agent";
  /** The id of the sub-agent; empty for the main agent. */
  readonly agent: string;
  readonly text: string;
  /** The state of a call or an agent. */
  readonly state?: string;
  /** Why a call waited, and for how long. */
  readonly waited?: string;
  /** The input, the output or the diff of a call. */
  readonly detail?: string;
  /** The agent that started this agent. */
  readonly parent?: string;
}

const MOST_ITEMS = 500;
const MOST_DETAIL = 8_000;
/** A shorter wait is not worth a word. */
const LEAST_WAIT_MS = 50;

export class LiveFeed {
  #view = initialView();
  readonly #items = new Map<string, LiveItem>();
  readonly #ids = new WeakMap<CallView, string>();
  #last = 0;
  #text: LiveItem | undefined;

  /** The latest items, oldest first. */
  get items(): readonly LiveItem[] {
    return [...this.#items.values()];
  }

  /** Another conversation begins. */
  forget(): void {
    this.#view = initialView();
    this.#items.clear();
    this.#text = undefined;
  }

  prompt(text: string): LiveItem {
    this.#text = undefined;
    return this.#keep({ id: this.#nextId("prompt"), kind: "prompt", agent: "", text: strip(text) });
  }

  /** Shows the texts of a resumed conversation. */
  recall(messages: readonly Message[]): void {
    for (const message of messages.filter((one) => !isReminder(one))) {
      const { role, content } = message;
      const text = promptText(content).trim();
      if (text === "") continue;
      if (role === "user") this.prompt(text);
      else this.#keep({ id: this.#nextId("text"), kind: "text", agent: "", text: strip(text) });
    }
  }

  /** Returns the items that the event has added or changed. */
  hear(event: AgentEvent): readonly LiveItem[] {
    const step = reduce(this.#view, event);
    if (step === undefined) return [];
    const calls = step.calls.filter(({ what }) => what !== "preview").map(({ call }) => this.#call(call));
    const agent = step.agent === this.#view ? [] : this.#agent(step.agent);
    return [...agent, ...calls, ...this.#own(step)];
  }

  #own({ agent, event }: ViewStep): LiveItem[] {
    if (agent !== this.#view) return [];
    if (event.type === "text") {
      const { id = this.#nextId("text"), text = "" } = this.#text ?? {};
      this.#text = this.#keep({ id, kind: "text", agent: "", text: text + strip(event.text) });
      return [this.#text];
    }
    if (event.type === "prompt-attached") return [this.prompt(promptText(event.prompt))];
    if (event.type === "turn-ended" || event.type === "retry") this.#text = undefined;
    return [];
  }

  #agent({ id, agentType, description, call, result }: AgentView): LiveItem[] {
    const state = result === undefined ? "working" : "done";
    const before = this.#items.get(`agent-${id}`);
    if (before?.state === state) return [];
    const parent = call?.agent.id ?? "";
    const text = strip(`${agentType}: ${description}`);
    return [this.#keep({ id: `agent-${id}`, kind: "agent", agent: id, text, state, parent })];
  }

  #call(call: CallView): LiveItem {
    const id = this.#ids.get(call) ?? this.#nextId("call");
    this.#ids.set(call, id);
    this.#text = undefined;
    const text = call.hasInput ? callWords(call.description, call.input) : call.toolName;
    const detail = detailOf(call);
    const waited = waitedOf(call);
    return this.#keep({
      id,
      kind: "call",
      agent: call.agent.id,
      text: strip(text),
      state: call.end === undefined ? call.state : call.end.how,
      ...(waited === "" ? {} : { waited }),
      ...(detail === "" ? {} : { detail }),
    });
  }

  #nextId(kind: string): string {
    return `${kind}-${++this.#last}`;
  }

  #keep(item: LiveItem): LiveItem {
    this.#items.set(item.id, item);
    const [first] = this.#items.keys();
    if (this.#items.size > MOST_ITEMS && first !== undefined) this.#items.delete(first);
    return item;
  }
}

function promptText(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  const text = prompt.find(({ type }) => type === "text")?.["text"];
  return typeof text === "string" ? text : "";
}

/** The diff of a change, otherwise what the call printed or returned, otherwise its input. */
function detailOf({ end, printed, input, hasInput }: CallView): string {
  const { old_string: gone, new_string: come, content } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const signed = (text: unknown, sign: string): string[] =>
    typeof text === "string" ? text.split("\n").map((line) => `${sign} ${line}`) : [];
  const diff = [...signed(gone, "-"), ...signed(come ?? content, "+")].join("\n");
  const result = end?.outcome === undefined ? printed : outcomeText(end.outcome);
  const shown = diff !== "" ? diff : result !== "" ? result : hasInput ? JSON.stringify(input, null, 2) : "";
  return strip(shown.length > MOST_DETAIL ? `${shown.slice(0, MOST_DETAIL)}\n…` : shown);
}

function outcomeText(outcome: NonNullable<NonNullable<CallView["end"]>["outcome"]>): string {
  if (outcome.type === "failed") return outcome.message;
  if (outcome.type === "denied") return outcome.reason;
  if (outcome.type !== "succeeded") return "";
  const { content } = outcome;
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

const REASONS = { judging: "permission check", asking: "your answer", waiting: "earlier calls" } as const;

function waitedOf({ queue }: CallView): string {
  return queue
    .filter(([, from, to]) => to - from >= LEAST_WAIT_MS)
    .map(([state, from, to]) => `${duration(to - from)} for ${REASONS[state]}`)
    .join(", ");
}
