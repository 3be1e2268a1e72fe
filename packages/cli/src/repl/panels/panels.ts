/** Which panel is in front: a question about a call before everything else, then what was opened last. */

import type { PersonAnswer, PersonQuestion } from "@runahead/harness";
import { Attention, CLOCK, type Clock } from "../input/attention.ts";
import { Chooser, type Choosing } from "./chooser.ts";
import { Dialog } from "./dialog.ts";
import type { Panel } from "../screen/panel.ts";

interface Open {
  readonly panel: Panel;
  /** It came up by itself, and not by a key: it waits while somebody types. */
  readonly isUnasked: boolean;
  /** A command asked for it, and nothing was typed since: it need not be read first. */
  readonly isExpected: boolean;
  /** Nobody will answer any more. */
  readonly giveUp: () => void;
}

type Make<Value> = (done: (value: Value | undefined) => void) => Panel;

export class Panels {
  readonly #onChange: () => void;
  readonly attention: Attention;
  #question: (Open & { readonly others: number }) | undefined;
  readonly #opened: Open[] = [];

  constructor(onChange: () => void, clock: Clock = CLOCK) {
    this.#onChange = onChange;
    this.attention = new Attention(clock, onChange);
  }

  /** What is on the screen: while somebody types, only what they have opened themselves. */
  get front(): Panel | undefined {
    return this.#front?.panel;
  }

  /** The panel that a key is for: none where it appeared just now, since nobody can have read it. */
  get answerable(): Panel | undefined {
    const front = this.#front;
    if (front === undefined || !front.isUnasked || front.isExpected) return front?.panel;
    return this.attention.hasRead(front.panel) ? front.panel : this.own;
  }

  /** The panel that was opened by a key, whatever else is in front of it. */
  get own(): Panel | undefined {
    return this.#opened.findLast(({ isUnasked }) => !isUnasked)?.panel;
  }

  /** The front came up by itself. */
  get isAsking(): boolean {
    return this.#front?.isUnasked === true;
  }

  /** How many questions wait for the person to finish typing. */
  get held(): number {
    if (!this.attention.isTyping) return 0;
    const questions = this.#question === undefined ? 0 : 1 + this.#question.others;
    return questions + this.#opened.filter(({ isUnasked }) => isUnasked).length;
  }

  render(width: number, rows: number): string[] | undefined {
    const front = this.#front;
    if (front?.isUnasked === true) this.attention.shown(front.panel);
    else this.attention.hidden();
    return front?.panel.render(width, rows);
  }

  /** One at a time; the engine has the others wait. */
  ask(question: PersonQuestion): Promise<PersonAnswer> {
    if (question.signal.aborted) return Promise.resolve({ type: "withdrawn" });
    return new Promise((resolve) => {
      const answer = (given: PersonAnswer): void => {
        question.signal.removeEventListener("abort", withdraw);
        if (this.#question === open) this.#question = undefined;
        this.#onChange();
        resolve(given);
      };
      const giveUp = (): void => answer({ type: "no" });
      const withdraw = (): void => answer({ type: "withdrawn" });
      const panel = new Dialog(question, answer);
      const open = { panel, isUnasked: true, isExpected: false, giveUp, others: question.waiting };
      this.#question = open;
      question.signal.addEventListener("abort", withdraw, { once: true });
      this.#onChange();
    });
  }

  /** For a command of the person. Undefined where nothing was chosen. */
  choose(choosing: Choosing): Promise<string | undefined> {
    const isExpected = !this.attention.isTyping;
    return this.#open((done) => new Chooser(choosing, done), { isUnasked: true, isExpected });
  }

  /** As `choose`, by itself. */
  chooseUnasked(choosing: Choosing): Promise<string | undefined> {
    return this.openUnasked((done) => new Chooser(choosing, done));
  }

  /** By a key. Resolves with what the panel ends with; undefined where it is given up. */
  open<Value>(make: Make<Value>): Promise<Value | undefined> {
    return this.#open(make, { isUnasked: false, isExpected: true });
  }

  /** By itself: it waits until nobody is typing. */
  openUnasked<Value>(make: Make<Value>): Promise<Value | undefined> {
    return this.#open(make, { isUnasked: true, isExpected: false });
  }

  /** A question that is open is answered with no (D02). */
  giveUp(): void {
    for (const { giveUp } of [...this.#opened, ...(this.#question === undefined ? [] : [this.#question])])
      giveUp();
  }

  get #front(): Open | undefined {
    if (this.attention.isTyping) return this.#opened.findLast(({ isUnasked }) => !isUnasked);
    return this.#question ?? this.#opened.at(-1);
  }

  #open<Value>(make: Make<Value>, how: Pick<Open, "isUnasked" | "isExpected">): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const done = (value: Value | undefined): void => {
        const at = this.#opened.indexOf(open);
        if (at >= 0) this.#opened.splice(at, 1);
        this.#onChange();
        resolve(value);
      };
      const open: Open = { panel: make(done), ...how, giveUp: () => done(undefined) };
      this.#opened.push(open);
      this.#onChange();
    });
  }
}
