/** The items and questions of a session on a server, made from the entries of its journal. */

import type { Message } from "@runahead/harness";
import { runEndWords } from "../ending.ts";
import { reveal, strip } from "../safe-text.ts";
import { membersOf, recalledWords } from "../words.ts";
import { ItemList, type LiveItem, inputWords } from "./item.ts";
import type { LiveQuestion } from "./protocol.ts";
import { recallCall, recallMessage, recalledId } from "./recall.ts";

/** What an entry has changed. */
export interface JournalChange {
  readonly items: readonly LiveItem[];
  readonly asked: readonly LiveQuestion[];
  readonly answered: readonly string[];
}

const NOTHING: JournalChange = { items: [], asked: [], answered: [] };

/** The state of a session that says what its run is doing. */
const RUN = "fleet:run";

export class ServedJournal {
  readonly #items = new ItemList();
  /** Texts of the current response that are shown already. */
  readonly #texts = new Set<string>();
  /** The text that arrives now. */
  #arriving: LiveItem | undefined;
  /** The id of the last notice; undefined once the run has gone on. A notice is not repeated. */
  #notified: string | undefined;
  readonly questions = new Map<string, LiveQuestion>();
  /** The calls that the questions are about. */
  readonly #calls = new Map<string, string>();

  get items(): readonly LiveItem[] {
    return this.#items.all;
  }

  take(entry: unknown): JournalChange {
    const { type, message, block, id, answer, calls, continues } = membersOf(entry);
    if (type === "call") return { ...NOTHING, items: [recallCall(this.#items, membersOf(block), "working")] };
    if (type === "text-delta") return { ...NOTHING, items: this.#delta(membersOf(entry)) };
    if (type === "block") return { ...NOTHING, items: this.#block(block) };
    if (type === "turn-parked") return this.#parked(calls);
    if (type === "answered") return this.#answered(String(id), membersOf(answer)["behavior"]);
    if (type === "state") return { ...NOTHING, items: this.#state(membersOf(entry)) };
    const isOver = type === "rewound" || (type === "turn-begun" && continues !== true);
    if (type !== "message") return isOver ? { ...NOTHING, answered: this.#closeAll() } : NOTHING;
    const items = this.#message(message as Message);
    return {
      ...NOTHING,
      items,
      answered: membersOf(message)["role"] === "assistant" ? this.#closeAll() : [],
    };
  }

  /** Why a run has ended, unless it is just done, and that it waits for the model. */
  #state({ name, data }: Readonly<Record<string, unknown>>): LiveItem[] {
    if (name !== RUN) return [];
    const { status, reason, detail, failures, cuts } = membersOf(data);
    const why = typeof detail === "string" ? detail : "";
    if (status === "begun" && Number(failures) > 0)
      return this.#notice("The model is not available. The session will try again.");
    if (status === "begun" && Number(cuts) > 1)
      return this.#notice("The worker of this session stopped again. The session will try again.");
    this.#notified = undefined;
    if (status === "failed") return this.#notice(`The session failed: ${why}`);
    if (status === "interrupted") return this.#notice("Interrupted.");
    const words = status === "ended" ? runEndWords(String(reason), why) : undefined;
    return words === undefined ? [] : this.#notice(words);
  }

  #notice(words: string): LiveItem[] {
    const text = strip(words);
    const isSame = this.#notified !== undefined && this.#items.get(this.#notified)?.text === text;
    if (isSame) return [];
    const id = this.#items.nextId("notice");
    this.#notified = id;
    return [this.#items.keep({ id, kind: "notice", agent: "", text })];
  }

  /** A part of the text that the model writes now. An offset of 0 begins a response, or begins it again. */
  #delta({ offset, text }: Readonly<Record<string, unknown>>): LiveItem[] {
    if (typeof text !== "string" || typeof offset !== "number") return [];
    const { id = this.#items.nextId("text"), text: before = "" } = this.#arriving ?? {};
    const all = before.slice(0, offset) + strip(text);
    this.#arriving = this.#items.keep({ id, kind: "text", agent: "", text: all });
    return [this.#arriving];
  }

  #message(message: Message): LiveItem[] {
    const { role, content } = message;
    if (role === "user" || typeof content === "string") return recallMessage(this.#items, message);
    const unseen = content.filter(({ type, text }) => type !== "text" || !this.#texts.has(String(text)));
    this.#texts.clear();
    // A text that arrived without a block of its own is shown already. The message can also be that of an earlier turn.
    const [first, ...others] = unseen;
    if (this.#arriving === undefined || first?.type !== "text")
      return recallMessage(this.#items, { ...message, content: unseen });
    const shown = this.#block(first);
    this.#texts.clear();
    return [...shown, ...recallMessage(this.#items, { ...message, content: others })];
  }

  #block(block: unknown): LiveItem[] {
    const { type, text } = membersOf(block);
    if (type !== "text" || typeof text !== "string" || text.trim() === "") return [];
    this.#texts.add(text);
    const { id = this.#items.nextId("text") } = this.#arriving ?? {};
    this.#arriving = undefined;
    return [this.#items.keep({ id, kind: "text", agent: "", text: strip(text).trim() })];
  }

  #answered(question: string, behavior: unknown): JournalChange {
    const call = this.#calls.get(question);
    const items = call === undefined ? [] : this.#called(call, behavior === "allow" ? "working" : "denied");
    return { ...NOTHING, items, answered: this.#close([question]) };
  }

  #called(callId: string, state: string): LiveItem[] {
    const known = this.#items.get(recalledId(callId));
    return known === undefined ? [] : [this.#items.keep({ ...known, state })];
  }

  /** The questions of a turn that waits for answers. */
  #parked(calls: unknown): JournalChange {
    const open = (Array.isArray(calls) ? calls : []).map(membersOf).flatMap((call) => {
      const { question, answer, result } = call;
      if (question === undefined || answer !== undefined || result !== undefined) return [];
      return [questionOf(call, membersOf(question))];
    });
    const gone = [...this.questions.keys()].filter((id) => !open.some(({ callId }) => callId === id));
    const asked = open.filter(({ callId }) => !this.questions.has(callId));
    for (const question of asked) this.questions.set(question.callId, question);
    const items = (Array.isArray(calls) ? calls : [])
      .map(membersOf)
      .flatMap(({ callId, question, answer }) => {
        if (question === undefined || answer !== undefined) return [];
        this.#calls.set(String(membersOf(question)["id"]), String(callId));
        return this.#called(String(callId), "asking");
      });
    return { items, asked, answered: this.#close(gone) };
  }

  #closeAll(): readonly string[] {
    return this.#close([...this.questions.keys()]);
  }

  #close(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => this.questions.delete(id));
  }
}

/** A server takes only a yes or a no. */
function questionOf(
  call: Readonly<Record<string, unknown>>,
  { id, reason, input = call["input"] }: Readonly<Record<string, unknown>>,
): LiveQuestion {
  const { toolName } = call;
  const { plan } = membersOf(input);
  const words = recalledWords(String(toolName), input);
  return {
    callId: String(id),
    toolName: String(toolName),
    description: reveal(words),
    reason: reveal(String(reason)),
    input: reveal(JSON.stringify(input, null, 2) ?? ""),
    shown: reveal(typeof plan === "string" ? plan : inputWords(input)),
    plan: undefined,
    choices: [],
    isLater: true,
  };
}
