/** A question to the user, from the model or an MCP server, with answers to choose from and a field for other text. */

import { Input, matchesKey } from "@earendil-works/pi-tui";
import type { AskUser } from "@runahead/harness";
import { ChoiceList } from "../screen/choice-list.ts";
import { type Panel, digitOf } from "../screen/panel.ts";
import { cutTo, helpRows, titleRows } from "../screen/rows.ts";
import { ScrollText } from "../screen/scroll-text.ts";
import type { Panels } from "./panels.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold, yellow } from "../screen/style.ts";
import { oneLine } from "../../shared/words.ts";

type Questions = Parameters<AskUser>[0];
type Answers = Awaited<ReturnType<AskUser>>;
type Question = Questions[number];
type Answer = Extract<Answers, { type: "answered" }>["answers"][number];

const OTHER = "Other …";
/** Ctrl+E: the cursor of a field that is filled in already belongs after the text. */
const TO_END = "\u0005";
/** The rows of the answers, with the description of the selected one. */
const MOST_LIST_ROWS = 13;
/** Rows of the answers that a long question leaves. */
const LEAST_LIST_ROWS = 4;

/** What the user did with one question. */
type Step =
  | { readonly type: "back"; readonly draft: Answer }
  | { readonly type: "answer"; readonly answer: Answer };

const SKIPPED: Answer = { type: "skipped" };

/**
 * Asks one question after the other. Esc skips one, Left goes back to the one before, Ctrl+C declines all of them, as does
 * Esc if an answer is required.
 */
export async function askUser(panels: Panels, questions: Questions, signal: AbortSignal): Promise<Answers> {
  const declined: Answers = { type: "declined", words: "" };
  const answers: Answer[] = questions.map(({ draft }) => draft ?? SKIPPED);
  const drafts = new Map<number, Answer>();
  for (let at = 0; at < questions.length; ) {
    if (signal.aborted) return declined;
    const step = await panels.openUnasked<Step>((done) => {
      signal.addEventListener("abort", () => done(undefined), { once: true });
      return new AskPanel({ questions, at, before: drafts.get(at) ?? answers[at] ?? SKIPPED }, done);
    });
    if (step === undefined) return declined;
    drafts.set(at, step.type === "answer" ? step.answer : step.draft);
    if (step.type === "answer") answers[at++] = step.answer;
    else at = Math.max(0, at - 1);
  }
  return { type: "answered", answers };
}

interface Place {
  readonly questions: Questions;
  readonly at: number;
  /** The answer that the user gave, or had marked, before going back. */
  readonly before: Answer;
}

class AskPanel implements Panel {
  readonly #question: Question;
  readonly #place: Place;
  readonly #done: (step: Step | undefined) => void;
  readonly #chosen: Set<string>;
  #list: ChoiceList<{ readonly label: string; readonly description?: string }>;
  readonly #text: ScrollText;
  #words: Input | undefined;
  #isMissing = false;

  constructor(place: Place, done: (step: Step | undefined) => void) {
    const { questions, at, before } = place;
    this.#question = questions[at] as Question;
    this.#place = place;
    this.#done = done;
    const { options, multiSelect, question } = this.#question;
    this.#text = new ScrollText(strip(question).trim().split("\n"), 0);
    const labels = before.type === "chosen" ? before.labels : [];
    this.#chosen = new Set(multiSelect === true ? labels : []);
    const first = options.findIndex(({ label }) => labels.includes(label));
    this.#list = this.#newList(before.type === "said" ? options.length : Math.max(0, first));
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
    this.#list.at = 0;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "ctrl+c")) return this.#done(undefined);
    if (matchesKey(data, "escape"))
      return this.#question.isRequired === true ? this.#done(undefined) : this.#answer(SKIPPED);
    const isBack = matchesKey(data, "left") && this.#place.at > 0 && (this.#words?.getValue() ?? "") === "";
    if (isBack) return this.#done({ type: "back", draft: this.#draft });
    if (matchesKey(data, "pageUp")) return this.#text.page(-1);
    if (matchesKey(data, "pageDown")) return this.#text.page(1);
    this.#isMissing = false;
    if (this.#words !== undefined) return this.#words.handleInput(data);
    const place = this.#placeOf(data);
    if (place !== undefined) this.#list.at = place;
    else if (matchesKey(data, "space") && this.#question.multiSelect === true) this.#toggle();
    else if (matchesKey(data, "enter")) this.#select();
    else this.#list.moves(data);
  }

  render(width: number, rows: number): string[] {
    const { header = "" } = this.#question;
    const { at, questions } = this.#place;
    const count = questions.length > 1 ? ` ─ ${at + 1} of ${questions.length}` : "";
    const title = titleRows(`${header === "" ? "Question" : oneLine(header)}${count}`, width);
    const help = helpRows(this.#keyHelp, width);
    const hint = this.#isMissing ? [yellow(cutTo("An answer is required.", width))] : [];
    const room = Math.max(1, rows - title.length - hint.length - help.length);
    const least = Math.min(LEAST_LIST_ROWS, Math.floor(room / 2));
    const most = Math.max(1, least, Math.min(MOST_LIST_ROWS, room - this.#text.rowsAt(width)));
    const list = this.#words === undefined ? this.#list.render(width, most) : this.#words.render(width);
    const text = this.#textRows(width, Math.max(1, room - list.length));
    return [...title, ...text, ...list, ...hint, ...help];
  }

  /** A text with more rows than there is room for says how to read the rest. */
  #textRows(width: number, room: number): string[] {
    const isLong = this.#text.rowsAt(width) > room && room > 1;
    const shown = this.#text.show(width, isLong ? room - 1 : room).map(bold);
    const where = isLong ? [yellow(cutTo(`${this.#text.position}: PgUp PgDn to scroll`, width, "…"))] : [];
    return [...shown, ...where];
  }

  get #keyHelp(): string {
    const { multiSelect } = this.#question;
    const keys = multiSelect === true ? "Space to mark, Enter to confirm" : "↑ ↓ to move, Enter to choose";
    const back = this.#place.at > 0 ? ", ← to go back" : "";
    const escape = this.#question.isRequired === true ? "Esc to cancel" : "Esc to skip";
    return `${this.#words === undefined ? keys : "Enter to send"}, ${escape}${back}`;
  }

  /** The place of the answer with this number; `Other …` is the last one. */
  #placeOf(letter: string): number | undefined {
    const place = (digitOf(letter) ?? 0) - 1;
    return place >= 0 && place < this.#list.items.length ? place : undefined;
  }

  #newList(at: number): ChoiceList<{ readonly label: string; readonly description?: string }> {
    const isMarked = this.#question.multiSelect === true;
    const items = this.#question.options.map(({ label, description = "" }) => ({
      label: `${isMarked ? (this.#chosen.has(label) ? "☑ " : "☐ ") : ""}${oneLine(label)}`,
      description: oneLine(description),
    }));
    return new ChoiceList(this.#question.onlyOptions === true ? items : [...items, { label: OTHER }], at);
  }

  get #label(): string | undefined {
    return this.#question.options[this.#list.at]?.label;
  }

  #toggle(): void {
    const label = this.#label;
    if (label === undefined) return;
    if (!this.#chosen.delete(label)) this.#chosen.add(label);
    this.#list = this.#newList(this.#list.at);
  }

  /** Answers with the marked options, or with the selected one if none is marked. */
  #select(): void {
    const label = this.#label;
    if (label === undefined) return this.#takeWords();
    const marked = this.#marked;
    this.#answer({ type: "chosen", labels: marked.length > 0 ? marked : [label] });
  }

  /** In the order of the options. */
  get #marked(): string[] {
    return this.#question.options.map(({ label }) => label).filter((label) => this.#chosen.has(label));
  }

  /** What is shown again when the user comes back. */
  get #draft(): Answer {
    if (this.#question.multiSelect !== true) return this.#place.before;
    return { type: "chosen", labels: this.#marked };
  }

  #takeWords(): void {
    const words = new Input();
    words.focused = true;
    words.onSubmit = (text) => {
      this.#isMissing = text.trim() === "" && this.#question.isRequired === true;
      if (this.#isMissing) return;
      this.#answer(text.trim() === "" ? SKIPPED : { type: "said", text: text.trim() });
    };
    const { before } = this.#place;
    if (before.type === "said") {
      words.setValue(before.text);
      words.handleInput(TO_END);
    }
    this.#words = words;
  }

  #answer(answer: Answer): void {
    this.#done({ type: "answer", answer });
  }
}
