/** A question from the model to the user, with answers to choose from and a field for other text. */

import { Input, SelectList, matchesKey, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { AskUser } from "@runahead/harness";
import { type Panel, digitOf } from "../screen/panel.ts";
import type { Panels } from "./panels.ts";
import { strip } from "../../shared/safe-text.ts";
import { EDITOR, bold, dim, yellow } from "../screen/style.ts";
import { oneLine } from "../../shared/words.ts";

type Questions = Parameters<AskUser>[0];
type Answers = Awaited<ReturnType<AskUser>>;
type Question = Questions[number];
type Answer = Extract<Answers, { type: "answered" }>["answers"][number];

const OTHER = "other";
const MOST_SHOWN = 9;
const FRAME_LINES = 3;
const LABEL_COLUMNS = { minPrimaryColumnWidth: 20, maxPrimaryColumnWidth: 40 };

/** What the user did with one question. */
type Step = { readonly type: "back" } | { readonly type: "answer"; readonly answer: Answer };

const SKIPPED: Answer = { type: "skipped" };

/** Asks one question after the other. Esc skips one, Left goes back to the one before, Ctrl+C declines all of them. */
export async function askUser(panels: Panels, questions: Questions, signal: AbortSignal): Promise<Answers> {
  const declined: Answers = { type: "declined", words: "" };
  const answers: Answer[] = questions.map(() => SKIPPED);
  for (let at = 0; at < questions.length; ) {
    if (signal.aborted) return declined;
    const step = await panels.openUnasked<Step>((done) => {
      signal.addEventListener("abort", () => done(undefined), { once: true });
      return new AskPanel({ questions, at, before: answers[at] ?? SKIPPED }, done);
    });
    if (step === undefined) return declined;
    if (step.type === "answer") answers[at++] = step.answer;
    else at = Math.max(0, at - 1);
  }
  return answers.every(({ type }) => type === "skipped") ? declined : { type: "answered", answers };
}

interface Place {
  readonly questions: Questions;
  readonly at: number;
  /** The answer that the user gave before going back. */
  readonly before: Answer;
}

class AskPanel implements Panel {
  readonly #question: Question;
  readonly #place: Place;
  readonly #done: (step: Step | undefined) => void;
  readonly #chosen: Set<string>;
  #at: number;
  #shown = MOST_SHOWN;
  #list: SelectList;
  #words: Input | undefined;

  constructor(place: Place, done: (step: Step | undefined) => void) {
    const { questions, at, before } = place;
    this.#question = questions[at] as Question;
    this.#place = place;
    this.#done = done;
    const { options, multiSelect } = this.#question;
    const labels = before.type === "chosen" ? before.labels : [];
    this.#chosen = new Set(multiSelect === true ? labels : []);
    const first = options.findIndex(({ label }) => labels.includes(label));
    this.#at = before.type === "said" ? options.length : Math.max(0, first);
    this.#list = this.#newList();
    if (options.length === 0) this.#takeWords();
  }

  get takesText(): boolean {
    return this.#words !== undefined;
  }

  /** A digit moves to an answer, which Enter chooses. */
  meaningOf(letter: string): "acts" | "marks" | undefined {
    if (this.#placeOf(letter) !== undefined) return "marks";
    return matchesKey(letter, "space") && this.#question.multiSelect === true ? "acts" : undefined;
  }

  unmark(): void {
    this.#move(0);
  }

  handleInput(data: string): void {
    if (matchesKey(data, "ctrl+c")) return this.#done(undefined);
    if (matchesKey(data, "escape")) return this.#answer(SKIPPED);
    const isBack = matchesKey(data, "left") && this.#place.at > 0 && (this.#words?.getValue() ?? "") === "";
    if (isBack) return this.#done({ type: "back" });
    if (this.#words !== undefined) return this.#words.handleInput(data);
    const place = this.#placeOf(data);
    if (place !== undefined) return this.#move(place);
    if (matchesKey(data, "space") && this.#question.multiSelect === true) return this.#toggle();
    this.#list.handleInput(data);
  }

  render(width: number, rows: number): string[] {
    const { header = "", question, multiSelect } = this.#question;
    const shown = Math.max(1, Math.min(MOST_SHOWN, rows - FRAME_LINES - 1));
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#list = this.#newList();
    }
    const { at, questions } = this.#place;
    const title = `─ ${header === "" ? "Question" : oneLine(header)} ─ ${at + 1} of ${questions.length} `;
    const back = at > 0 ? ", ← to go back" : "";
    const help = multiSelect === true ? "Space to mark, Enter to confirm" : "↑ ↓ to move, Enter to choose";
    const text = wrapTextWithAnsi(bold(strip(question)), width);
    const list = this.#words === undefined ? this.#list.render(width) : this.#words.render(width);
    return [
      yellow(title.padEnd(width, "─").slice(0, width)),
      ...text.slice(0, Math.max(1, rows - FRAME_LINES - list.length + 1)),
      ...list,
      dim(`${this.#words === undefined ? help : "Enter to send"}, Esc to skip${back}`),
    ];
  }

  /** The place of the answer with this number; `Other …` is the last one. */
  #placeOf(letter: string): number | undefined {
    const place = (digitOf(letter) ?? 0) - 1;
    return place >= 0 && place <= this.#question.options.length ? place : undefined;
  }

  #move(to: number): void {
    this.#at = to;
    this.#list.setSelectedIndex(to);
  }

  #newList(): SelectList {
    const isMarked = this.#question.multiSelect === true;
    const items = this.#question.options.map(({ label, description = "" }, at) => ({
      value: String(at),
      label: `${isMarked ? (this.#chosen.has(label) ? "☑ " : "☐ ") : ""}${oneLine(label)}`,
      description: oneLine(description),
    }));
    const all = [...items, { value: OTHER, label: "Other …" }];
    const list = new SelectList(all, this.#shown, EDITOR.selectList, LABEL_COLUMNS);
    list.setSelectedIndex(this.#at);
    list.onSelectionChange = ({ value }) => (this.#at = all.findIndex((item) => item.value === value));
    list.onSelect = ({ value }) => this.#select(value);
    return list;
  }

  #labelAt(value: string): string | undefined {
    return this.#question.options[Number(value)]?.label;
  }

  #toggle(): void {
    const label = this.#labelAt(String(this.#at));
    if (label === undefined) return;
    if (!this.#chosen.delete(label)) this.#chosen.add(label);
    this.#list = this.#newList();
  }

  /** Answers with the marked options in order, or with the selected one if none is marked. */
  #select(value: string): void {
    const label = this.#labelAt(value);
    if (value === OTHER || label === undefined) return this.#takeWords();
    const marked = this.#question.options
      .map((option) => option.label)
      .filter((one) => this.#chosen.has(one));
    this.#answer({ type: "chosen", labels: marked.length > 0 ? marked : [label] });
  }

  #takeWords(): void {
    const words = new Input();
    words.focused = true;
    words.onSubmit = (text) =>
      this.#answer(text.trim() === "" ? SKIPPED : { type: "said", text: text.trim() });
    const { before } = this.#place;
    if (before.type === "said") words.setValue(before.text);
    this.#words = words;
  }

  #answer(answer: Answer): void {
    this.#done({ type: "answer", answer });
  }
}
