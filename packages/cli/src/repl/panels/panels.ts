/**
 * Which panel has the keyboard. A panel that the person has opened keeps it until it is closed. A dialog that opens by
 * itself gets it if the input line is empty and nobody is typing, or by Tab; else it waits above the input line.
 */

import type { PersonAnswer, PersonQuestion } from "@runahead/harness";
import { Attention, CLOCK, type Clock } from "../input/attention.ts";
import { Chooser, type Choosing } from "./chooser.ts";
import { Dialog } from "./dialog.ts";
import type { Panel } from "../screen/panel.ts";
import { plural } from "../../shared/words.ts";

interface Open {
  readonly panel: Panel;
  /** A person opened it, by a key or a command. Anything else is a dialog that opened by itself. */
  readonly isOwn: boolean;
  /** Nobody will answer any more. */
  readonly giveUp: () => void;
}

type Make<Value> = (done: (value: Value | undefined) => void) => Panel;

interface Options {
  readonly clock?: Clock;
  /** There is text in the input line. */
  readonly hasDraft?: () => boolean;
}

export class Panels {
  readonly #onChange: () => void;
  readonly #hasDraft: () => boolean;
  readonly attention: Attention;
  #question: (Open & { readonly others: number }) | undefined;
  readonly #opened: Open[] = [];
  /** The dialog whose turn it is: it stays so until it is closed, whatever else opens. */
  #current: Open | undefined;
  /** Once it was drawn it stays on the screen. */
  #isDrawn = false;
  /** Tab gave it the keyboard. */
  #hasTab = false;

  constructor(onChange: () => void, { clock = CLOCK, hasDraft = () => false }: Options = {}) {
    this.#onChange = onChange;
    this.#hasDraft = hasDraft;
    this.attention = new Attention(clock, onChange);
  }

  /** What stands in place of the input line. */
  get front(): Panel | undefined {
    return this.#front?.panel;
  }

  /** The front, if it opened by itself. */
  get dialog(): Panel | undefined {
    const front = this.#front;
    return front?.isOwn === false ? front.panel : undefined;
  }

  /** The dialog that a key is for: none if it appeared just now, since nobody can have read it. */
  get answerable(): Panel | undefined {
    const { dialog } = this;
    return dialog !== undefined && this.attention.hasRead({ panel: dialog, isActive: true })
      ? dialog
      : undefined;
  }

  /** The panel that the person has opened. */
  get own(): Panel | undefined {
    return this.#own?.panel;
  }

  /** Tab would give the keyboard to a dialog that waits, and the screen says so. */
  get offersTab(): boolean {
    const waiting = this.#waiting;
    return waiting !== undefined && this.attention.hasRead({ panel: waiting.panel, isActive: false });
  }

  /** Gives the keyboard to the dialog that waits. */
  takeTab(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#hasTab = true;
    this.attention.accepted(waiting.panel);
    this.#onChange();
  }

  /** Gives the keyboard back to the input line. */
  leaveTab(): void {
    this.#hasTab = false;
  }

  /** What the person should know of a dialog that waits; empty if none does. */
  get notice(): string {
    if (this.#waiting === undefined) return "";
    if (this.attention.isTyping)
      return `${plural(this.#count, "question")}: waiting for you to finish typing`;
    if (this.#own !== undefined) return "A question is waiting. Tab answers it.";
    return "A question is waiting. Enter sends your text, Tab answers the question.";
  }

  /** What stands in place of the input line; undefined if the input line stands there itself. */
  render(width: number, rows: number): string[] | undefined {
    const front = this.#front;
    this.#noteShown(front);
    return front?.panel.render(width, rows);
  }

  /** The dialog that waits, to be drawn above the input line. */
  renderWaiting(width: number, rows: number): string[] {
    const waiting = this.#waiting;
    return waiting === undefined || !this.#isDrawn ? [] : waiting.panel.render(width, rows);
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
      const open = { panel, isOwn: false, giveUp, others: question.waiting };
      this.#question = open;
      question.signal.addEventListener("abort", withdraw, { once: true });
      this.#onChange();
    });
  }

  /** For a command of the person. If they have typed on since then, the list waits as a dialog does. */
  choose(choosing: Choosing): Promise<string | undefined> {
    return this.#open((done) => new Chooser(choosing, done), this.attention.isExpecting);
  }

  /** As `choose`, by itself. */
  chooseUnasked(choosing: Choosing): Promise<string | undefined> {
    return this.openUnasked((done) => new Chooser(choosing, done));
  }

  /** By a key. Resolves with what the panel ends with; undefined where it is given up. */
  open<Value>(make: Make<Value>): Promise<Value | undefined> {
    return this.#open(make, true);
  }

  /** By itself: it waits until nobody is typing. */
  openUnasked<Value>(make: Make<Value>): Promise<Value | undefined> {
    return this.#open(make, false);
  }

  /** A question that is open is answered with no (D02). */
  giveUp(): void {
    for (const { giveUp } of [...this.#opened, ...(this.#question === undefined ? [] : [this.#question])])
      giveUp();
  }

  get #front(): Open | undefined {
    const dialog = this.#dialogInTurn();
    if (this.#hasTab && dialog !== undefined) return dialog;
    return this.#own ?? (this.#hasDraft() || this.attention.isTyping ? undefined : dialog);
  }

  get #waiting(): Open | undefined {
    const dialog = this.#dialogInTurn();
    return dialog === this.#front ? undefined : dialog;
  }

  get #own(): Open | undefined {
    return this.#opened.findLast(({ isOwn }) => isOwn);
  }

  /** A question about a call comes before the others. */
  #dialogInTurn(): Open | undefined {
    const current = this.#current;
    if (current !== undefined && (current === this.#question || this.#opened.includes(current)))
      return current;
    this.#current = this.#question ?? this.#opened.findLast(({ isOwn }) => !isOwn);
    this.#isDrawn = false;
    this.#hasTab = false;
    return this.#current;
  }

  /** How many dialogs there are. */
  get #count(): number {
    const questions = this.#question === undefined ? 0 : 1 + this.#question.others;
    return questions + this.#opened.filter(({ isOwn }) => !isOwn).length;
  }

  #noteShown(front: Open | undefined): void {
    const { isTyping } = this.attention;
    const dialog = this.#dialogInTurn();
    const isActive = front === dialog;
    if (dialog !== undefined && (isActive || !isTyping)) {
      this.attention.shown({ panel: dialog.panel, isActive });
      if (isActive || this.#own === undefined) this.#isDrawn = true;
    } else this.attention.hidden();
  }

  #open<Value>(make: Make<Value>, isOwn: boolean): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const done = (value: Value | undefined): void => {
        const at = this.#opened.indexOf(open);
        if (at >= 0) this.#opened.splice(at, 1);
        this.#onChange();
        resolve(value);
      };
      const open: Open = { panel: make(done), isOwn, giveUp: () => done(undefined) };
      this.#opened.push(open);
      this.#onChange();
    });
  }
}
