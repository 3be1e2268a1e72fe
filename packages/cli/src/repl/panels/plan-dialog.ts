/** The question about a plan: shows it as it will be read, and takes an approval, a revision or an edit. */

import { Input, decodeKittyPrintable, matchesKey } from "@earendil-works/pi-tui";
import type { Mode, PersonAnswer, PersonQuestion } from "@runahead/harness";
import type { Panel } from "../screen/panel.ts";
import { revisionWords } from "../../shared/live/question.ts";
import { strip } from "../../shared/safe-text.ts";
import { wholeMarkdown } from "../screen/markdown.ts";
import { cutTo, helpRows, titleRows } from "../screen/rows.ts";
import { bold, cyan, dim, yellow } from "../screen/style.ts";
import { wordWrap } from "../screen/wrap.ts";

/** The answer for the engine, and the mode to go on in. */
export interface PlanAnswer {
  readonly answer: PersonAnswer;
  /** Default: the mode stays. */
  readonly mode?: Mode;
}

/** Resolves with the new text, or with why there is none. */
export type EditPlan = (
  plan: string,
) => Promise<
  { readonly type: "edited"; readonly text: string } | { readonly type: "failed"; readonly why: string }
>;

interface PlanPorts {
  readonly edit: EditPlan;
  readonly onChange: () => void;
  readonly done: (answer: PlanAnswer) => void;
}

const OPTIONS = [
  { does: "accept", words: "Approve, and change files without asking" },
  { does: "ask", words: "Approve, and ask before each change" },
  { does: "revise", words: "Revise: say what to change (Tab)" },
  { does: "edit", words: "Edit the plan in your editor (Ctrl+G)" },
] as const;

type Does = (typeof OPTIONS)[number]["does"];

/** The line that says which part is shown. */
const WHERE_LINES = 1;
const LEAST_PLAN_LINES = 3;

export class PlanDialog implements Panel {
  readonly #ports: PlanPorts;
  readonly #given: string;
  readonly #markdown = wholeMarkdown();
  #plan: string;
  #at = 0;
  #top = 0;
  #room = 1;
  #words: Input | undefined;
  #problem = "";
  #isEditing = false;

  constructor({ input }: Pick<PersonQuestion, "input">, ports: PlanPorts) {
    this.#ports = ports;
    const { plan } = (input ?? {}) as { readonly plan?: unknown };
    this.#given = typeof plan === "string" ? plan : "";
    this.#plan = this.#given;
  }

  get takesText(): boolean {
    return this.#words !== undefined;
  }

  meaningOf(letter: string): "acts" | undefined {
    return optionAt(letter) === undefined ? undefined : "acts";
  }

  handleInput(data: string): void {
    if (this.#isEditing) return;
    this.#problem = "";
    if (matchesKey(data, "escape") && this.#words !== undefined) this.#words = undefined;
    else if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c"))
      this.#ports.done({ answer: { type: "no" } });
    else if (this.#words !== undefined) this.#words.handleInput(data);
    else if (matchesKey(data, "ctrl+g")) this.#do("edit");
    else if (matchesKey(data, "tab")) this.#do("revise");
    else if (matchesKey(data, "enter")) this.#do(OPTIONS[this.#at]?.does ?? "ask");
    else if (matchesKey(data, "up")) this.#at = Math.max(0, this.#at - 1);
    else if (matchesKey(data, "down")) this.#at = Math.min(OPTIONS.length - 1, this.#at + 1);
    else if (!this.#scrolls(data)) {
      const option = optionAt(data);
      if (option !== undefined) this.#do(option.does);
    }
  }

  render(width: number, rows: number): string[] {
    const changed = this.#plan === this.#given ? "" : " ─ edited";
    const title = titleRows(`Plan${changed} ─ Start with this plan?`, width);
    const below = this.#below(width);
    this.#markdown.setText(strip(this.#plan).trim());
    const lines = this.#markdown.render(Math.max(1, width - 2)).map((line) => line.trimEnd());
    const room = rows - title.length - below.length;
    this.#room = Math.max(LEAST_PLAN_LINES, lines.length <= room ? room : room - WHERE_LINES);
    this.#top = Math.max(0, Math.min(this.#top, lines.length - this.#room));
    const shown = lines.slice(this.#top, this.#top + this.#room);
    const isWhole = shown.length === lines.length;
    const where = `${this.#top + 1}–${this.#top + shown.length} of ${lines.length} lines: PgUp PgDn to scroll`;
    return [
      ...title,
      ...shown.map((line) => `${dim("│")} ${line}`),
      ...(isWhole ? [] : [yellow(cutTo(where, width))]),
      ...below,
    ].slice(0, Math.max(1, rows));
  }

  #below(width: number): string[] {
    if (this.#words !== undefined)
      return [
        "What should change?",
        ...this.#words.render(width),
        ...helpRows("Enter to send, Esc to go back", width),
      ];
    return [
      ...OPTIONS.flatMap(({ words }, at) => optionLines(at, words, { isChosen: at === this.#at, width })),
      ...(this.#problem === ""
        ? helpRows("↑ ↓ Enter or a digit to choose, Esc to keep planning and end the turn", width)
        : wordWrap(strip(this.#problem), width).map(yellow)),
    ];
  }

  #scrolls(data: string): boolean {
    if (matchesKey(data, "pageUp")) this.#top -= this.#room;
    else if (matchesKey(data, "pageDown") || matchesKey(data, "space")) this.#top += this.#room;
    else if (matchesKey(data, "home")) this.#top = 0;
    else if (matchesKey(data, "end")) this.#top = Number.MAX_SAFE_INTEGER;
    else return false;
    return true;
  }

  #do(does: Does): void {
    if (does === "revise") return this.#takeWords();
    if (does === "edit") return void this.#edit();
    const isEdited = this.#plan !== this.#given;
    this.#ports.done({
      answer: { type: "once", ...(isEdited ? { input: { plan: this.#plan } } : {}) },
      mode: does === "accept" ? "acceptEdits" : "default",
    });
  }

  /** An edited plan is in the comment, because the model would otherwise revise the one that it wrote. */
  #takeWords(): void {
    const words = new Input();
    words.focused = true;
    words.onSubmit = (text) => {
      if (text.trim() === "") return void (this.#words = undefined);
      const edited = this.#plan === this.#given ? "" : `\n\nThe user edited the plan:\n\n${this.#plan}`;
      const message = `${revisionWords(text.trim())}${edited}`;
      this.#ports.done({ answer: { type: "no", message } });
    };
    this.#words = words;
  }

  async #edit(): Promise<void> {
    this.#isEditing = true;
    const edited = await this.#ports.edit(`${this.#plan.trimEnd()}\n`);
    this.#isEditing = false;
    if (edited.type === "failed") this.#problem = edited.why;
    else if (edited.text.trim() === "") this.#problem = "The plan is empty, so it was not changed.";
    else this.#plan = edited.text;
    this.#ports.onChange();
  }
}

function optionAt(letter: string): (typeof OPTIONS)[number] | undefined {
  const digit = decodeKittyPrintable(letter) ?? letter;
  return /^[1-9]$/.test(digit) ? OPTIONS[Number(digit) - 1] : undefined;
}

function optionLines(
  at: number,
  words: string,
  { isChosen, width }: { readonly isChosen: boolean; readonly width: number },
): string[] {
  const lines = wordWrap(words, Math.max(1, width - 4));
  return lines.map((line, row) => {
    const mark = row === 0 ? `${isChosen ? cyan("›") : " "} ${cyan(String(at + 1))} ` : "    ";
    return `${mark}${isChosen ? bold(line) : line}`;
  });
}
