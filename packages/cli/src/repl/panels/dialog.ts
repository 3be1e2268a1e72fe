/** The permission question about one call. It shows the whole input, with nothing hidden, and takes the answer. */

import { Input, decodeKittyPrintable, matchesKey } from "@earendil-works/pi-tui";
import type { PersonAnswer, PersonQuestion, RuleChoice } from "@runahead/harness";
import type { Panel } from "../screen/panel.ts";
import { reveal } from "../../shared/safe-text.ts";
import { bold, cyan, dim, green, red, yellow } from "../screen/style.ts";
import { hardWrap } from "../screen/wrap.ts";

/** The title line, and the status line below. */
const FRAME_LINES = 2;

/** The body shows the whole input. A heading that filled the screen could imitate a dialog. */
const MOST_DESCRIPTION = 2;
const MOST_REASON = 4;

/** Answers that allow more than this one call. */
type Lasting = "session" | "always";
const LASTING: Readonly<Record<string, Lasting>> = { s: "session", a: "always" };

export class Dialog implements Panel {
  readonly #question: PersonQuestion;
  /** Its number among the questions that were waiting together, from 1. */
  readonly #place: number;
  readonly #answer: (answer: PersonAnswer) => void;
  readonly #body: readonly string[];
  #words: Input | undefined;
  /** The choice that "s" and "a" apply to. */
  #chosen = 0;
  #hasDigit = false;
  /** The answer that Enter confirms. */
  #marked: Lasting | undefined;
  /** The first shown line, if not all lines fit. */
  #top = 0;
  #room = 1;
  /** Whether everything fitted on the screen when it was last drawn. */
  #isWhole = false;

  constructor(question: PersonQuestion, place: number, answer: (answer: PersonAnswer) => void) {
    this.#question = question;
    this.#place = place;
    this.#answer = answer;
    this.#body = bodyOf(question);
  }

  render(width: number, rows: number): string[] {
    const { toolName, description, reason, waiting, from } = this.#question;
    const who = from === undefined ? "" : `sub-agent ${reveal(oneLine(from))} ─ `;
    const inner = Math.max(1, width - 2);
    const lines = this.#body.flatMap((line) => hardWrap(line, inner));
    const heading = [
      ...headingOf(description, width, MOST_DESCRIPTION).map(bold),
      ...headingOf(reason, width, MOST_REASON).map(dim),
    ];
    const others = FRAME_LINES + heading.length;
    this.#isWhole = others + lines.length + this.#choices(inner, this.#hasRules).length <= rows;
    const choices = this.#choices(inner, this.#mayKeep);
    this.#room = this.#isWhole ? lines.length : Math.max(1, rows - others - choices.length - 1);
    this.#top = Math.max(0, Math.min(this.#top, lines.length - this.#room));
    const shown = lines.slice(this.#top, this.#top + this.#room);
    const hidden = lines.length - shown.length;
    return [
      yellow(
        titleOf(`─ Permission ─ ${who}${this.#place} of ${this.#place + waiting} `, askedOf(toolName), width),
      ),
      ...heading,
      ...shown.map((line) => `${dim("│")} ${line}`),
      ...(hidden > 0
        ? [yellow(`${this.#top + 1}–${this.#top + shown.length} of ${lines.length} lines: ↑ ↓ to scroll`)]
        : []),
      ...choices,
    ];
  }

  get takesText(): boolean {
    return this.#words !== undefined;
  }

  /** A letter that allows more than this call only marks its option, because a second letter shows that it was text. */
  meaningOf(letter: string): "acts" | "marks" | undefined {
    if (this.#marked !== undefined) return undefined;
    if (lastingOf(letter) !== undefined) return this.#offers(lastingOf(letter)) ? "marks" : undefined;
    if (digitOf(letter) !== undefined) return this.#choiceAt(letter) === undefined ? undefined : "marks";
    return this.#hasDigit || !["y", "n", "e"].some((key) => matchesKey(letter, key as "y"))
      ? undefined
      : "acts";
  }

  unmark(): void {
    this.#marked = undefined;
    this.#hasDigit = false;
    this.#chosen = 0;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) return this.#answer({ type: "no" });
    if (this.#words !== undefined) return this.#words.handleInput(data);
    if (this.#scrolls(data)) return;
    if (matchesKey(data, "enter")) return this.#confirm();
    const meaning = this.meaningOf(data);
    if (meaning === "marks") return this.#mark(data);
    this.unmark();
    if (matchesKey(data, "tab")) return this.#takeWords();
    if (meaning === undefined) return;
    if (matchesKey(data, "n")) this.#answer({ type: "no" });
    else if (matchesKey(data, "y")) this.#answer({ type: "once" });
    else this.#takeWords();
  }

  #scrolls(data: string): boolean {
    const top = this.#top;
    if (matchesKey(data, "up")) this.#top--;
    if (matchesKey(data, "down")) this.#top++;
    if (matchesKey(data, "pageUp")) this.#top -= this.#room;
    if (matchesKey(data, "pageDown")) this.#top += this.#room;
    return this.#top !== top;
  }

  #mark(letter: string): void {
    this.#marked = lastingOf(letter);
    if (this.#marked !== undefined) return;
    this.#hasDigit = true;
    this.#chosen = this.#choiceAt(letter) ?? this.#chosen;
  }

  #confirm(): void {
    const type = this.#marked;
    const choice = this.#question.choices[this.#chosen];
    if (type !== undefined && choice !== undefined && this.#offers(type))
      this.#answer({ type, rules: choice.rules });
  }

  #offers(type: Lasting | undefined): boolean {
    const scopes = this.#question.choices[this.#chosen]?.scopes ?? [];
    return type !== undefined && this.#mayKeep && scopes.includes(type);
  }

  #choiceAt(letter: string): number | undefined {
    const at = (digitOf(letter) ?? 0) - 1;
    return this.#mayKeep && this.#question.choices[at] !== undefined ? at : undefined;
  }

  /** Lasting answers are offered only if the whole input is on the screen (D18). */
  get #mayKeep(): boolean {
    return this.#isWhole && this.#hasRules;
  }

  get #hasRules(): boolean {
    return this.#question.choices.length > 0;
  }

  #takeWords(): void {
    const words = new Input();
    words.focused = true;
    words.onSubmit = (text) =>
      this.#answer(text.trim() === "" ? { type: "no" } : { type: "no", message: text.trim() });
    this.#words = words;
  }

  #choices(width: number, mayKeep: boolean): string[] {
    if (this.#words !== undefined) return ["Reject, and do this instead:", ...this.#words.render(width)];
    const choices = [
      `${cyan("y")} allow once`,
      ...(mayKeep ? this.#keeping() : []),
      `${cyan("n")} reject and end the turn (Esc)`,
      `${cyan("e")} reject and say what to do instead (Tab)`,
    ];
    return choices.flatMap((line) => hardWrap(line, width));
  }

  #lasting(type: Lasting, text: string): string {
    const line = `${cyan(text.slice(0, 1))}${text.slice(1)}`;
    return this.#marked === type ? `${cyan("›")} ${bold(line)}: ${yellow("Enter to confirm")}` : line;
  }

  /** What "s" and "a" allow: the only choice, or the selected one of a list. */
  #keeping(): string[] {
    const { choices } = this.#question;
    const chosen = choices[this.#chosen];
    if (chosen === undefined) return [];
    const listed = choices.map(
      (choice, at) => `${at === this.#chosen ? cyan("›") : " "} ${cyan(String(at + 1))} ${wordsOf(choice)}`,
    );
    const offered =
      choices.length === 1
        ? [`Rule for later calls: ${wordsOf(chosen)}`]
        : [`Rule for later calls (${cyan("1")}-${cyan(String(choices.length))} to choose):`, ...listed];
    return [
      ...offered,
      ...(chosen.scopes.includes("session") ? [this.#lasting("session", "s allow for this session")] : []),
      ...(chosen.scopes.includes("always")
        ? [this.#lasting("always", "a always allow in this project")]
        : []),
    ];
  }
}

/** Leaves out the question in a narrow terminal rather than cutting it. */
function titleOf(start: string, question: string, width: number): string {
  const whole = `${start}─ ${question} `;
  return (whole.length <= width ? whole : start).padEnd(width, "─").slice(0, width);
}

function askedOf(toolName: string): string {
  if (toolName === "Bash") return "Run this command?";
  return toolName === "Edit" || toolName === "Write" ? "Change this file?" : "Allow this call?";
}

function lastingOf(letter: string): Lasting | undefined {
  return Object.entries(LASTING).find(([key]) => matchesKey(letter, key as "s"))?.[1];
}

function digitOf(letter: string): number | undefined {
  const digit = decodeKittyPrintable(letter) ?? letter;
  return /^[1-9]$/.test(digit) ? Number(digit) : undefined;
}

/** Includes the rules themselves, because the label alone could hide what is allowed. */
function wordsOf({ label, rules }: RuleChoice): string {
  return `${reveal(label)}: ${rules.map((rule) => reveal(rule)).join(", ")}`;
}

/** The whole input. Edits show the old and the new text. */
function bodyOf({ toolName, input }: PersonQuestion): string[] {
  const members: Record<string, unknown> =
    typeof input === "object" && input !== null ? { ...input } : { input };
  const taken = (name: string): string | undefined => {
    const value = members[name];
    if (typeof value !== "string") return undefined;
    delete members[name];
    return value;
  };
  const main = mainOf(toolName, taken);
  const rest = Object.entries(members).flatMap(([name, value]) =>
    linesOf(`${name}: ${typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")}`),
  );
  return [...main, ...rest.map((line) => reveal(line))];
}

function mainOf(toolName: string, taken: (name: string) => string | undefined): string[] {
  if (toolName === "Bash") return linesOf(taken("command") ?? "").map((line) => reveal(line));
  if (toolName !== "Edit" && toolName !== "Write") return [];
  const path = taken("file_path") ?? "";
  const gone = toolName === "Edit" ? linesOf(taken("old_string") ?? "") : [];
  const come = linesOf(taken(toolName === "Edit" ? "new_string" : "content") ?? "");
  return [
    reveal(path),
    ...gone.map((line) => red(`- ${reveal(line)}`)),
    ...come.map((line) => green(`+ ${reveal(line)}`)),
  ];
}

/** Collapses white space, which could move words to the start of a row. */
function headingOf(text: string, width: number, mostRows: number): string[] {
  const rows = hardWrap(reveal(text.replaceAll(/\s+/g, " ")), width);
  if (rows.length <= mostRows) return rows;
  return rows.slice(0, mostRows).map((row, at) => (at === mostRows - 1 ? `${row.slice(0, -1)}…` : row));
}

function linesOf(text: string): string[] {
  return text.split("\n");
}

function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}
