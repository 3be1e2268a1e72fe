/** Reports what a run does to those who read the session: entries when they are stored, text while it arrives. */

import type { AgentEvent } from "@runahead/agent";
import type { StoredBatch } from "@runahead/agent/internal";
import { isShape, shapeOf, stringOf } from "@runahead/base";
import type { LiveNotice } from "../queue/dispatcher.ts";

/** Parts of a text that arrive within this time are sent together. */
const TEXT_MS = 40;
/** Entries that are stored within this time are sent together. The first ones are sent at once. */
const STORED_MS = 100;
/** Larger batches are read from the store. */
const MOST_CHARS = 200_000;
/** The same while it is not known whether somebody reads. */
const FIRST_CHARS = 20_000;

export class LiveReport {
  readonly #publish: (notice: LiveNotice) => Promise<number>;
  readonly #name: string;
  /** Whether somebody received the last notice; undefined: not known yet. */
  #isRead: boolean | undefined;
  /** The end of the journal. */
  #end = 0;
  #attempt = 0;
  #turn = 0;
  #text = "";
  /** How much of the text was sent, and how much of it is in the journal. */
  #sent = 0;
  #stored = 0;
  #timer: NodeJS.Timeout | undefined;
  /** What was stored and not sent yet. */
  #held: { readonly at: number; readonly lines: string[] } | undefined;
  #heldChars = 0;
  #heldTimer: NodeJS.Timeout | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;

  /** `name` is another one for each run. */
  constructor(name: string, publish: (notice: LiveNotice) => Promise<number>) {
    this.#name = name;
    this.#publish = publish;
  }

  /** A run begins at this end of the journal. */
  begin(end: number): void {
    this.#end = end;
  }

  stored({ at, end, lines }: StoredBatch): void {
    // The text of a block comes before the block.
    this.#flush();
    this.#end = end;
    this.#held ??= { at, lines: [] };
    this.#held.lines.push(...lines);
    this.#heldChars += lines.reduce((sum, line) => sum + line.length, 0);
    const waitMs = this.#sentAt + STORED_MS - performance.now();
    if (waitMs <= 0) this.#sendStored();
    else this.#heldTimer ??= setTimeout(() => this.#sendStored(), waitMs);
    if (this.#text === "") return;
    for (const line of lines) if (line.startsWith('{"type":"block"')) this.#stored += textIn(line);
  }

  /** `turn` is the number of the current turn in the session; events count the turns of a run. */
  hear(event: AgentEvent, turn: number): void {
    switch (event.type) {
      case "message-started":
        this.#turn = turn;
        return this.#restart();
      case "text":
        this.#text += event.text;
        this.#timer ??= setTimeout(() => this.#flush(), TEXT_MS);
        return;
      case "retry":
      case "turn-ended":
      case "ended":
        this.#flush();
        this.#restart();
        return;
      // Everything else is in the journal.
      default:
    }
  }

  /** A reader came: it needs the text of the current response that is not in the journal. */
  showAll(): void {
    this.#isRead = true;
    const offset = Math.min(this.#stored, this.#text.length);
    if (offset === this.#text.length) return;
    this.#sent = this.#text.length;
    this.#send({ ...this.#about(), offset, text: this.#text.slice(offset), isAll: true });
  }

  close(): void {
    this.#sendStored();
    clearTimeout(this.#timer);
  }

  #sendStored(): void {
    clearTimeout(this.#heldTimer);
    this.#heldTimer = undefined;
    if (this.#held === undefined) return;
    const { at, lines } = this.#held;
    const most = this.#isRead === true ? MOST_CHARS : FIRST_CHARS;
    const isSmall = this.#heldChars < most;
    this.#held = undefined;
    this.#heldChars = 0;
    this.#sentAt = performance.now();
    this.#send({ type: "stored", at, end: this.#end, ...(isSmall ? { lines } : {}) });
  }

  #restart(): void {
    this.#attempt++;
    this.#text = "";
    this.#sent = 0;
    this.#stored = 0;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [offset, text] = [this.#sent, this.#text.slice(this.#sent)];
    this.#sent = this.#text.length;
    // The first notice about something stored finds out whether somebody reads.
    if (text !== "" && this.#isRead === true) this.#send({ ...this.#about(), offset, text });
  }

  #about() {
    const response = `${this.#name}.${this.#attempt}`;
    return { type: "text", response, turn: this.#turn, at: this.#end } as const;
  }

  /** A reader that comes later asks for the text, so nothing is sent until then. */
  #send(notice: LiveNotice): void {
    // Text belongs after the entries that were stored before it.
    if (notice.type === "text") this.#sendStored();
    if (this.#isRead === false) return;
    this.#publish(notice).then(
      (receivers) => void (this.#isRead = receivers > 0),
      // Readers find everything in the store.
      () => {},
    );
  }
}

/** How much text a stored block has. */
function textIn(line: string): number {
  const { block } = shapeOf(JSON.parse(line));
  return isShape(block) && block["type"] === "text" ? stringOf(block["text"]).length : 0;
}
