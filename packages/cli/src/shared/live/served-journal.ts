/** The items and questions of a session on a server, made from the entries of its journal. */

import type { Message } from "@runahead/harness";
import { reveal, strip } from "../safe-text.ts";
import { membersOf, recalledWords } from "../words.ts";
import { ItemList, type LiveItem, inputWords } from "./item.ts";
import type { LiveQuestion } from "./protocol.ts";
import { recallCall, recallMessage } from "./recall.ts";

/** What an entry has changed. */
export interface JournalChange {
  readonly items: readonly LiveItem[];
  readonly asked: readonly LiveQuestion[];
  readonly answered: readonly string[];
}

const NOTHING: JournalChange = { items: [], asked: [], answered: [] };

export class ServedJournal {
  readonly #items = new ItemList();
  /** Texts of the current response that are shown already. */
  readonly #texts = new Set<string>();
  readonly questions = new Map<string, LiveQuestion>();

  get items(): readonly LiveItem[] {
    return this.#items.all;
  }

  take(entry: unknown): JournalChange {
    const { type, message, block, id, calls, continues } = membersOf(entry);
    if (type === "call") return { ...NOTHING, items: [recallCall(this.#items, membersOf(block), "working")] };
    if (type === "block") return { ...NOTHING, items: this.#block(block) };
    if (type === "turn-parked") return this.#parked(calls);
    if (type === "answered") return { ...NOTHING, answered: this.#close([String(id)]) };
    const isOver = type === "rewound" || (type === "turn-begun" && continues !== true);
    if (type !== "message") return isOver ? { ...NOTHING, answered: this.#closeAll() } : NOTHING;
    const items = this.#message(message as Message);
    return {
      ...NOTHING,
      items,
      answered: membersOf(message)["role"] === "assistant" ? this.#closeAll() : [],
    };
  }

  #message(message: Message): LiveItem[] {
    const { role, content } = message;
    if (role === "user" || typeof content === "string") return recallMessage(this.#items, message);
    const unseen = content.filter(({ type, text }) => type !== "text" || !this.#texts.has(String(text)));
    this.#texts.clear();
    return recallMessage(this.#items, { ...message, content: unseen });
  }

  #block(block: unknown): LiveItem[] {
    const { type, text } = membersOf(block);
    if (type !== "text" || typeof text !== "string" || text.trim() === "") return [];
    this.#texts.add(text);
    const id = this.#items.nextId("text");
    return [this.#items.keep({ id, kind: "text", agent: "", text: strip(text).trim() })];
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
    return { items: [], asked, answered: this.#close(gone) };
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
  };
}
