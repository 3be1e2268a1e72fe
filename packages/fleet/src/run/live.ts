/** Reports what a run does to those who read the session: entries when they are stored, text while it arrives. */

import type { AgentEvent } from "@runahead/agent";
import type { StoredBatch } from "@runahead/agent/internal";
import { isShape, shapeOf, stringOf } from "@runahead/base";
import type { LiveNotice } from "../queue/dispatcher.ts";

/** Parts of a text that arrive within this time are sent together. */
const TEXT_MS = 40;
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
    const chars = lines.reduce((sum, line) => sum + line.length, 0);
    const most = this.#isRead === true ? MOST_CHARS : FIRST_CHARS;
    this.#send({ type: "stored", at, end, ...(chars < most ? { lines } : {}) });
    if (this.#text === "") return;
    for (const line of lines) if (line.startsWith('{"type":"block"')) this.#stored += textIn(line);
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case "message-started":
        this.#turn = event.turn;
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
    clearTimeout(this.#timer);
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
