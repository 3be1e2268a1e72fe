/** The permission question about one call. It shows the whole input, with nothing hidden, and takes the answer. */

import { Input, matchesKey, visibleWidth } from "@earendil-works/pi-tui";
import type { PersonAnswer, PersonQuestion, RuleChoice } from "@runahead/harness";
import { type Panel, digitOf } from "../screen/panel.ts";
import { reveal } from "../../shared/safe-text.ts";
import { titleRows } from "../screen/rows.ts";
import { bold, cyan, dim, yellow } from "../screen/style.ts";
import { diffWrap, hardWrap, wordWrap } from "../screen/wrap.ts";
import { relativePaths } from "../../shared/words.ts";
import { changeLines } from "./approved-change.ts";

/** The body shows the whole input. A heading that filled the screen could imitate a dialog. */
const MOST_DESCRIPTION = 2;
const MOST_REASON = 4;
/** With fewer lines of a change, too little could be read. */
const LEAST_CHANGE = 6;
/** The mark before the title, and a space after it. */
const TITLE_FRAME = 3;

/** Answers that allow more than this one call. */
type Lasting = "session" | "always";
const LASTING: Readonly<Record<string, Lasting>> = { s: "session", a: "always" };

/** The letters of the options, in the order in which they are shown. */
type Letter = "y" | "s" | "a" | "n" | "e";
const ACTING: readonly Letter[] = ["y", "n", "e"];

/** The option that Enter confirms, and how it was marked: a letter after a letter is text. */
interface Marked {
  readonly letter: Letter;
  readonly by: "letter" | "arrow";
}

export interface DialogOptions {
  /** Its number among the questions that were waiting together, from 1. */
  readonly place: number;
  readonly answer: (answer: PersonAnswer) => void;
  /** Sends a message to the model, in addition to the answer. */
  readonly comment?: (text: string) => void;
  /** Paths are relative to it. Default: none. */
  readonly folder?: string;
}

export class Dialog implements Panel {
  readonly #question: PersonQuestion;
  readonly #options: DialogOptions;
  readonly #body: Body;
  #words: { readonly input: Input; readonly label: string } | undefined;
  /** The rule that "s" and "a" apply to. */
  #chosen = 0;
  #hasDigit = false;
  #marked: Marked | undefined;
  /** The first shown line, if not all lines fit. */
  #top = 0;
  #lastTop = 0;
  #room = 1;
  /** Whether everything fitted on the screen when it was last drawn. */
  #isWhole = false;
  /** Whether a change that must be scrolled left enough room for its rules, which name only the file. */
  #hasRoom = false;

  constructor(question: PersonQuestion, options: DialogOptions) {
    this.#question = question;
    this.#options = options;
    this.#body = bodyOf(question, options.folder ?? "");
  }

  render(width: number, rows: number): string[] {
    const { toolName, reason, waiting, from } = this.#question;
    const { place, folder = "" } = this.#options;
    const name = titleRows(titleOf({ toolName, from, place, total: place + waiting }, width), width);
    const inner = Math.max(1, width - 2);
    const { title, lines } = this.#parts(width, inner);
    const heading = [
      ...title.map(bold),
      ...headingOf(relativePaths(reason, folder), width, MOST_REASON).map(dim),
    ];
    const others = name.length + heading.length;
    const left = rows - others - this.#choices(inner, this.#hasRules).length;
    this.#isWhole = lines.length <= left;
    this.#hasRoom = isChanging(toolName) && left > LEAST_CHANGE;
    const choices = this.#choices(inner, this.#mayKeep);
    const position = wordWrap(this.#position(lines.length, lines.length), width).length;
    this.#room = this.#isWhole ? lines.length : Math.max(1, rows - others - choices.length - position);
    this.#lastTop = Math.max(0, lines.length - this.#room);
    this.#top = Math.max(0, Math.min(this.#top, this.#lastTop));
    const shown = lines.slice(this.#top, this.#top + this.#room);
    const hidden = lines.length - shown.length;
    return [
      ...name,
      ...heading,
      ...shown.map((line) => `${dim("│")} ${line}`),
      ...(hidden > 0 ? wordWrap(this.#position(shown.length, lines.length), width).map(yellow) : []),
      ...choices,
    ];
  }

  #position(shown: number, total: number): string {
    const once = this.#hasRules && !this.#mayKeep ? "; too long for a rule" : "";
    return `${this.#top + 1}–${this.#top + shown} of ${total} lines: ↑ ↓ to scroll${once}`;
  }

  get takesText(): boolean {
    return this.#words !== undefined;
  }

  /** A letter that allows more than this call only marks its option, because a second letter shows that it was text. */
  meaningOf(letter: string): "acts" | "marks" | undefined {
    if (this.#marked?.by === "letter") return undefined;
    if (lastingOf(letter) !== undefined) return this.#offers(lastingOf(letter)) ? "marks" : undefined;
    if (digitOf(letter) !== undefined) return this.#choiceAt(letter) === undefined ? undefined : "marks";
    return this.#hasDigit || !ACTING.some((key) => matchesKey(letter, key)) ? undefined : "acts";
  }

  unmark(): void {
    this.#marked = undefined;
    this.#hasDigit = false;
    this.#chosen = 0;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) return this.#options.answer({ type: "no" });
    if (this.#words !== undefined) return this.#words.input.handleInput(data);
    if (this.#moves(data)) return;
    if (matchesKey(data, "enter")) return this.#confirm();
    const meaning = this.meaningOf(data);
    if (meaning === "marks") return this.#mark(data);
    if (matchesKey(data, "tab")) return this.#takeWords(this.#marked?.letter === "y");
    this.unmark();
    if (meaning !== undefined) this.#act(ACTING.find((key) => matchesKey(data, key)) ?? "e");
  }

  /** The arrows scroll to the end of the input before they move through the options. */
  #moves(data: string): boolean {
    if (matchesKey(data, "pageUp")) this.#top -= this.#room;
    else if (matchesKey(data, "pageDown")) this.#top += this.#room;
    else if (matchesKey(data, "home")) this.#top = 0;
    else if (matchesKey(data, "end")) this.#top = this.#lastTop;
    else if (matchesKey(data, "down")) this.#down();
    else if (matchesKey(data, "up")) this.#up();
    else return false;
    return true;
  }

  #down(): void {
    if (this.#top < this.#lastTop) this.#top++;
    else this.#select(this.#at + 1);
  }

  #up(): void {
    if (this.#at < 0) this.#top--;
    else this.#select(this.#at - 1);
  }

  /** The place of the marked option, or -1. */
  get #at(): number {
    return this.#marked === undefined ? -1 : this.#letters.indexOf(this.#marked.letter);
  }

  #select(at: number): void {
    const letter = this.#letters[Math.min(at, this.#letters.length - 1)];
    this.#marked = letter === undefined ? undefined : { letter, by: "arrow" };
  }

  get #letters(): readonly Letter[] {
    const scopes = this.#mayKeep ? (this.#question.choices[this.#chosen]?.scopes ?? []) : [];
    const lasting = (["s", "a"] as const).filter((letter) => scopes.includes(LASTING[letter] as Lasting));
    return ["y", ...lasting, "n", "e"];
  }

  #mark(data: string): void {
    const lasting = (["s", "a"] as const).find((letter) => matchesKey(data, letter));
    this.#marked = lasting === undefined ? undefined : { letter: lasting, by: "letter" };
    if (lasting !== undefined) return;
    this.#hasDigit = true;
    this.#chosen = this.#choiceAt(data) ?? this.#chosen;
  }

  /** Enter alone only marks the first option: nobody allows a call with a single Enter. */
  #confirm(): void {
    if (this.#marked === undefined) this.#select(0);
    else this.#act(this.#marked.letter);
  }

  #act(letter: Letter): void {
    const { answer } = this.#options;
    if (letter === "y") return answer({ type: "once" });
    if (letter === "n") return answer({ type: "no" });
    if (letter === "e") return this.#takeWords(false);
    const type = LASTING[letter];
    const choice = this.#question.choices[this.#chosen];
    if (type !== undefined && choice !== undefined && this.#offers(type))
      answer({ type, rules: choice.rules });
  }

  #offers(type: Lasting | undefined): boolean {
    const scopes = this.#question.choices[this.#chosen]?.scopes ?? [];
    return type !== undefined && this.#mayKeep && scopes.includes(type);
  }

  #choiceAt(letter: string): number | undefined {
    const at = (digitOf(letter) ?? 0) - 1;
    return this.#mayKeep && this.#question.choices[at] !== undefined ? at : undefined;
  }

  /** Lasting answers are offered only if all that they allow is on the screen (D18). */
  get #mayKeep(): boolean {
    return (this.#isWhole || this.#hasRoom) && this.#hasRules;
  }

  get #hasRules(): boolean {
    return this.#question.choices.length > 0;
  }

  /** A comment on an option that allows the call goes to the model as a message; otherwise it says why not. */
  #takeWords(isAllowed: boolean): void {
    const { answer, comment } = this.#options;
    const input = new Input();
    input.focused = true;
    input.onSubmit = (typed) => {
      const text = typed.trim();
      if (isAllowed && comment !== undefined) {
        if (text !== "") comment(text);
        answer({ type: "once" });
      } else answer(text === "" ? { type: "no" } : { type: "no", message: text });
    };
    const label =
      isAllowed && comment !== undefined ? "Allow once, and add:" : "Reject, and do this instead:";
    this.#words = { input, label };
  }

  /** What it does, unless the input says the same, and the input. Nothing is shown twice. */
  #parts(width: number, inner: number): { readonly title: string[]; readonly lines: string[] } {
    const { description } = this.#question;
    const { lines, described, isTitled } = this.#body;
    const title = isTitled ? [] : headingOf(description, width, MOST_DESCRIPTION);
    const isCut = title.at(-1)?.endsWith("…") === true;
    const rowsOf = isChanging(this.#question.toolName) ? diffWrap : hardWrap;
    const wrap = (all: readonly string[]): string[] => all.flatMap((line) => rowsOf(line, inner));
    if (described.length === 0) return { title, lines: wrap(lines) };
    return isCut ? { title: [], lines: wrap([...lines, ...described]) } : { title, lines: wrap(lines) };
  }

  #choices(width: number, mayKeep: boolean): string[] {
    if (this.#words !== undefined) return [this.#words.label, ...this.#words.input.render(width)];
    const choices = [
      this.#option("y", "y allow once"),
      ...(mayKeep ? this.#keeping() : []),
      this.#option("n", "n reject and end the turn (Esc)"),
      this.#option("e", "e reject and say what to do instead (Tab)"),
    ];
    return choices.flatMap((line) => {
      const rows = wordWrap(line, width);
      return rows.length === 1
        ? rows
        : wordWrap(line, width - 2).map((row, at) => (at === 0 ? row : `  ${row}`));
    });
  }

  #option(letter: Letter, text: string): string {
    const line = `${cyan(text.slice(0, 1))}${text.slice(1)}`;
    if (this.#marked?.letter !== letter) return line;
    const more = letter === "y" && this.#options.comment !== undefined ? ", Tab to add a comment" : "";
    return `${cyan("›")} ${bold(line)}: ${yellow(`Enter to confirm${more}`)}`;
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
      ...(chosen.scopes.includes("session") ? [this.#option("s", "s allow for this session")] : []),
      ...(chosen.scopes.includes("always") ? [this.#option("a", "a always allow in this project")] : []),
    ];
  }
}

interface Titled {
  readonly toolName: string;
  readonly from: string | undefined;
  readonly place: number;
  readonly total: number;
}

/** Leaves out the question in a narrow terminal. */
function titleOf({ toolName, from, place, total }: Titled, width: number): string {
  const start = [
    "Permission",
    ...(from === undefined ? [] : [`sub-agent ${reveal(oneLine(from))}`]),
    ...(total > 1 ? [`${place} of ${total}`] : []),
  ];
  const whole = [...start, askedOf(toolName)].join(" ─ ");
  return visibleWidth(whole) + TITLE_FRAME <= width ? whole : start.join(" ─ ");
}

function askedOf(toolName: string): string {
  if (toolName === "Bash") return "Run this command?";
  return toolName === "Edit" || toolName === "Write" ? "Change this file?" : "Allow this call?";
}

function lastingOf(letter: string): Lasting | undefined {
  return Object.entries(LASTING).find(([key]) => matchesKey(letter, key as "s"))?.[1];
}

/** Includes the rules themselves, because the label alone could hide what is allowed. */
function wordsOf({ label, rules }: RuleChoice): string {
  return `${reveal(label)}: ${rules.map((rule) => reveal(rule)).join(", ")}`;
}

interface Body {
  /** The whole input, without its `description` if that is the description of the call. */
  readonly lines: readonly string[];
  readonly described: readonly string[];
  /** Whether the lines say what the description of the call says. */
  readonly isTitled: boolean;
}

function bodyOf(question: PersonQuestion, folder: string): Body {
  const { toolName, input, description } = question;
  const members: Record<string, unknown> =
    typeof input === "object" && input !== null ? { ...input } : { input };
  const { command, description: own, file_path: path } = members;
  const isCommand =
    toolName === "Bash" && typeof command === "string" && command.trim() === description.trim();
  const isChange = isChanging(toolName) && description === `${toolName} ${String(path)}`;
  const isDescribed = typeof own === "string" && own.trim() === description.trim();
  if (isDescribed) delete members["description"];
  const main = mainOf(toolName, members, folder);
  const rest = Object.entries(members).flatMap(([name, value]) => memberLines(name, value));
  return {
    lines: [...main, ...rest],
    described: isDescribed ? memberLines("description", own) : [],
    isTitled: isCommand || isChange,
  };
}

function memberLines(name: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return linesOf(`${name}: ${text}`).map((line) => reveal(line));
}

function isChanging(toolName: string): boolean {
  return toolName === "Edit" || toolName === "Write";
}

/** The command, or the change of a file. Takes what it shows from the members. */
function mainOf(toolName: string, members: Record<string, unknown>, folder: string): string[] {
  const taken = (name: string): string | undefined => {
    const value = members[name];
    if (typeof value !== "string") return undefined;
    delete members[name];
    return value;
  };
  if (toolName === "Bash") return linesOf(taken("command") ?? "").map((line) => reveal(line));
  if (!isChanging(toolName)) return [];
  const isEdit = toolName === "Edit";
  return changeLines({
    path: taken("file_path") ?? "",
    folder,
    oldText: isEdit ? (taken("old_string") ?? "") : undefined,
    newText: taken(isEdit ? "new_string" : "content") ?? "",
    isEverywhere: members["replace_all"] === true,
  });
}

/** Collapses white space, which could move words to the start of a row. */
function headingOf(text: string, width: number, mostRows: number): string[] {
  const rows = wordWrap(reveal(text.replaceAll(/\s+/g, " ")), width);
  if (rows.length <= mostRows) return rows;
  return rows.slice(0, mostRows).map((row, at) => (at === mostRows - 1 ? `${row.slice(0, -1)}…` : row));
}

function linesOf(text: string): string[] {
  return text.split("\n");
}

function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}
