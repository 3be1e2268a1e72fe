/** The items and questions of a session on a server, made from the entries of its journal. */

import type { Message } from "@runahead/harness";
import { reveal, strip } from "../safe-text.ts";
import { arrivingWords, membersOf } from "../words.ts";
import { ItemList, type LiveItem, inputWords } from "./item.ts";
import type { LiveQuestion } from "./protocol.ts";
import { recallCall, recallMessage } from "./recall.ts";

/** The name of the questions among the states of a session. */
const QUESTIONS = "fleet:questions";

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
    const { type, message, block, name, set, unset } = membersOf(entry);
    if (type === "message") return { ...NOTHING, items: this.#message(message as Message) };
    if (type === "call") return { ...NOTHING, items: [recallCall(this.#items, membersOf(block), "working")] };
    if (type === "block") return { ...NOTHING, items: this.#block(block) };
    return type === "state" && name === QUESTIONS ? this.#state(membersOf(set), unset) : NOTHING;
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

  #state(set: Readonly<Record<string, unknown>>, unset: unknown): JournalChange {
    const gone = Array.isArray(unset) ? unset.map(String) : [];
    const open = Object.entries(set).filter(([, one]) => membersOf(one)["answer"] === undefined);
    const answered = [...gone, ...Object.keys(set).filter((id) => !open.some(([other]) => other === id))];
    const asked = open.map(([id, one]) => questionOf(id, one));
    for (const question of asked) this.questions.set(question.callId, question);
    for (const id of answered) this.questions.delete(id);
    return { items: [], asked, answered };
  }
}

/** A server takes only a yes or a no. */
function questionOf(id: string, kept: unknown): LiveQuestion {
  const { toolName, input, reason } = membersOf(kept);
  const { description, plan } = membersOf(input);
  const words = typeof description === "string" ? description : arrivingWords(String(toolName), input);
  return {
    callId: id,
    toolName: String(toolName),
    description: reveal(words),
    reason: reveal(String(reason)),
    input: reveal(JSON.stringify(input, null, 2) ?? ""),
    shown: reveal(typeof plan === "string" ? plan : inputWords(input)),
    plan: undefined,
    choices: [],
  };
}
