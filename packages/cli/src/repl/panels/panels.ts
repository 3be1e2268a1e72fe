/**
 * Which panel has the keyboard. A panel that the user opened keeps it until it is closed. A dialog that opens by itself
 * gets it if the input line is empty and nobody is typing, or by Tab. Otherwise it waits above the input line.
 */

import type { PersonAnswer, PersonQuestion } from "@runahead/harness";
import { Attention, CLOCK, type Clock } from "../input/attention.ts";
import { Chooser, type Choosing } from "./chooser.ts";
import { Dialog } from "./dialog.ts";
import { type EditPlan, type PlanAnswer, PlanDialog } from "./plan-dialog.ts";
import type { Panel } from "../screen/panel.ts";
import { type Asking, TextField } from "./text-field.ts";
import { type Showing, TextView } from "./text-view.ts";
import { plural } from "../../shared/words.ts";

interface Open {
  readonly panel: Panel;
  /** The user opened it with a key or a command. Otherwise it is a dialog that opened by itself. */
  readonly isOwn: boolean;
  /** Closes it without an answer. */
  readonly giveUp: () => void;
}

/** `place` is the number of the question among those that wait together. */
type MakeQuestion = (place: number, done: (answer: PlanAnswer) => void) => Panel;

type Make<Value> = (done: (value: Value | undefined) => void) => Panel;

interface Options {
  readonly clock?: Clock;
  /** Whether there is text in the input line. */
  readonly hasDraft?: () => boolean;
  /** Sends a message of the user to the model. */
  readonly comment?: (text: string) => void;
  /** Paths in dialogs are relative to it. */
  readonly folder?: string;
}

/** A field that opens within this time after the answer before belongs to the same form. */
const SAME_FORM_MS = 50;
/** A panel with more than this part of the rows would push the transcript into the scrollback. */
const MOST_BELOW = 0.6;

export class Panels {
  readonly #onChange: () => void;
  readonly #hasDraft: () => boolean;
  readonly #ofDialogs: Pick<Options, "comment" | "folder">;
  readonly attention: Attention;
  #question: (Open & { readonly others: number }) | undefined;
  readonly #opened: Open[] = [];
  /** The dialog to answer next. It keeps its turn until it is closed, even if others open. */
  #current: Open | undefined;
  /** Once drawn, it stays on the screen. */
  #isDrawn = false;
  /** Tab gave it the keyboard. */
  #hasTab = false;
  /** How many questions of the current row were answered. The row ends with a question after which none waits. */
  #answered = 0;
  /** The user has just answered a panel that opened by itself, so that the next field of a form is expected. */
  #isFillingIn = false;
  /** The next question of the same form: the user has just answered the one before, or gone back. */
  #next: Panel | undefined;
  readonly #clock: Clock;
  /** Panels that needed most of the screen. */
  readonly #full = new WeakSet<Panel>();

  constructor(onChange: () => void, { clock = CLOCK, hasDraft = () => false, ...ofDialogs }: Options = {}) {
    this.#onChange = onChange;
    this.#ofDialogs = ofDialogs;
    this.#hasDraft = hasDraft;
    this.#clock = clock;
    this.attention = new Attention(clock, onChange);
  }

  /** The panel that is shown instead of the input line. */
  get front(): Panel | undefined {
    return this.#front?.panel;
  }

  /** The front panel, if it opened by itself. */
  get dialog(): Panel | undefined {
    const front = this.#front;
    return front?.isOwn === false ? front.panel : undefined;
  }

  /** The dialog that takes keys. Undefined if it has just appeared, since nobody can have read it. */
  get answerable(): Panel | undefined {
    const { dialog } = this;
    return dialog !== undefined && this.attention.hasRead({ panel: dialog, isActive: true })
      ? dialog
      : undefined;
  }

  /** Whether the dialog is the next question of a form that the user is filling in. */
  get isNext(): boolean {
    return this.#next !== undefined && this.dialog === this.#next;
  }

  /** The panel that the user opened. */
  get own(): Panel | undefined {
    return this.#own?.panel;
  }

  /** Whether a dialog waits for an answer. */
  get isAsking(): boolean {
    return this.#count > 0;
  }

  /** Whether Tab gives the keyboard to a waiting dialog, as the screen says. */
  get offersTab(): boolean {
    const waiting = this.#waiting;
    return waiting !== undefined && this.attention.hasRead({ panel: waiting.panel, isActive: false });
  }

  /** Gives the keyboard to the waiting dialog. */
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

  /** A line about the waiting dialog, or an empty string. */
  get notice(): string {
    if (this.#waiting === undefined) return "";
    if (this.attention.isTyping) return `${plural(this.#count, "question")} waiting for you to finish typing`;
    if (this.#own !== undefined) return "A question is waiting. Press Tab to answer it.";
    return "A question is waiting. Press Tab to answer it, or Enter to send your text.";
  }

  /** The lines of the front panel, or undefined if the input line is shown. */
  render(width: number, rows: number): string[] | undefined {
    const front = this.#front;
    this.#noteShown(front);
    const lines = front?.panel.render(width, rows);
    if (front !== undefined && (lines?.length ?? 0) > rows * MOST_BELOW) this.#full.add(front.panel);
    return lines;
  }

  /** Whether the front panel needs most of the screen. It stays so until it is closed, so that nothing jumps. */
  get isFull(): boolean {
    const { front } = this;
    return front !== undefined && this.#full.has(front);
  }

  /** The lines of the waiting dialog, shown above the input line. */
  renderWaiting(width: number, rows: number): string[] {
    const waiting = this.#waiting;
    if (waiting === undefined || !this.#isDrawn) return [];
    return waiting.panel.render(width, Math.max(1, Math.floor(rows * MOST_BELOW)));
  }

  /** Asks one question. The engine queues the others. */
  async ask(question: PersonQuestion): Promise<PersonAnswer> {
    const make: MakeQuestion = (place, done) =>
      new Dialog(question, { place, answer: (answer) => done({ answer }), ...this.#ofDialogs });
    return (await this.#ask(question, make)).answer;
  }

  /** Asks about a plan, which the user can edit. */
  askPlan(question: PersonQuestion, edit: EditPlan): Promise<PlanAnswer> {
    return this.#ask(
      question,
      (_, done) => new PlanDialog(question, { edit, onChange: this.#onChange, done }),
    );
  }

  #ask(question: PersonQuestion, make: MakeQuestion): Promise<PlanAnswer> {
    if (question.signal.aborted) return Promise.resolve({ answer: { type: "withdrawn" } });
    return new Promise((resolve) => {
      const place = this.#answered + 1;
      const answer = (given: PlanAnswer): void => {
        this.#answered = question.waiting === 0 ? 0 : place;
        question.signal.removeEventListener("abort", withdraw);
        if (this.#question === open) this.#question = undefined;
        this.#onChange();
        resolve(given);
      };
      const giveUp = (): void => answer({ answer: { type: "no" } });
      const withdraw = (): void => answer({ answer: { type: "withdrawn" } });
      const panel = make(place, answer);
      const open = { panel, isOwn: false, giveUp, others: question.waiting };
      this.#question = open;
      question.signal.addEventListener("abort", withdraw, { once: true });
      this.#onChange();
    });
  }

  /** Shows a list for a command of the user. If the user has kept typing, the list waits like a dialog. */
  choose(choosing: Choosing): Promise<string | undefined> {
    return this.#open((done) => new Chooser(choosing, done), this.attention.isExpecting);
  }

  /** Asks for a line of text, for a command of the user. */
  askText(asking: Asking): Promise<string | undefined> {
    return this.#open((done) => new TextField(asking, done), this.attention.isExpecting);
  }

  /** Shows text for a command or a key of the user. Resolves when it is closed. */
  async show(showing: Showing): Promise<void> {
    await this.#open<void>((done) => new TextView(showing, () => done(undefined)), true);
  }

  /** Shows a list that the user did not ask for. */
  chooseUnasked(choosing: Choosing): Promise<string | undefined> {
    return this.openUnasked((done) => new Chooser(choosing, done));
  }

  /** Opens a panel for a key. Resolves with its value, or undefined if it was closed without one. */
  open<Value>(make: Make<Value>): Promise<Value | undefined> {
    return this.#open(make, true);
  }

  /** Opens a panel that waits until nobody is typing. */
  openUnasked<Value>(make: Make<Value>): Promise<Value | undefined> {
    return this.#open(make, false);
  }

  /** Closes everything. Open questions are answered with no (D02). */
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

  /** Permission questions come before other dialogs. */
  #dialogInTurn(): Open | undefined {
    const current = this.#current;
    if (current !== undefined && (current === this.#question || this.#opened.includes(current)))
      return current;
    this.#current = this.#question ?? this.#opened.findLast(({ isOwn }) => !isOwn);
    this.#isDrawn = false;
    this.#hasTab = false;
    return this.#current;
  }

  /** The number of open and queued dialogs. */
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
        if (!isOwn && value !== undefined) this.#fillIn();
        this.#onChange();
        resolve(value);
      };
      const open: Open = { panel: make(done), isOwn, giveUp: () => done(undefined) };
      this.#opened.push(open);
      if (!isOwn && this.#isFillingIn) this.#next = open.panel;
      if (this.#next === open.panel && open.panel.takesText === true) this.attention.accepted(open.panel);
      this.#onChange();
    });
  }

  #fillIn(): void {
    this.#isFillingIn = true;
    this.#clock.after(SAME_FORM_MS, () => (this.#isFillingIn = false));
  }
}
