/**
 * What a key does: in a panel that is open, to the program, or to what one is typing. What is typed never answers a
 * dialog that opened by itself: a letter that another one follows, a paste, and everything while there is a draft is text.
 */

import { decodeKittyPrintable, matchesKey, parseKey } from "@earendil-works/pi-tui";
import { CLOCK, type Clock, UNREAD_MS } from "./attention.ts";
import type { Panel } from "../screen/panel.ts";
import type { Panels } from "../panels/panels.ts";
import type { Typing } from "./typing.ts";

interface Ports {
  readonly panels: Panels;
  readonly typing: Pick<Typing, "handleInput" | "isEmpty" | "isCompleting" | "clear" | "search">;
  /** A line below what one types, until the next key. */
  readonly hint: (text: string) => void;
  readonly interrupt: () => void;
  readonly leave: () => void;
  /** False where there was nothing to take back. */
  readonly takeBack: () => boolean;
  readonly cycleMode: () => void;
  readonly openOutput: () => void;
  readonly editOutside: () => void;
  /** The screen is to be drawn. */
  readonly onChange: () => void;
  readonly clock?: Clock;
}

const TWICE_MS = 2_000;
/** Nobody presses two keys within this: it is a paste from a terminal that does not mark pastes. */
const BURST_MS = 25;
/** A letter that another one follows so soon is the beginning of a word. */
const WORD_MS = 200;
const PASTE = "\u001b[200~";

/** Keys that count for a dialog unless the next ones show that they are text. */
interface Held {
  /** One key; the same one several times if it is held down. */
  readonly pressed: readonly string[];
  readonly count: () => void;
  readonly stop: () => void;
}

/** Letters that have marked an option of a dialog, which Enter would confirm. */
interface Marked {
  readonly panel: Panel;
  readonly letters: readonly string[];
}

export class Keys {
  readonly #ports: Ports;
  readonly #clock: Clock;
  #interruptedMs = Number.NEGATIVE_INFINITY;
  #held: Held | undefined;
  #marked: Marked | undefined;
  /** A letter was pressed so short a time ago that no finger can have pressed the next key. */
  #isBurst = false;
  #stopBurst = (): void => {};
  /** The last answer: the same key again, before the next question can have been read, is the same press. */
  #answered = "";

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#clock = ports.clock ?? CLOCK;
  }

  press(data: string): void {
    const { panels, typing, hint, cycleMode } = this.#ports;
    if (!isPressed(data)) return typing.handleInput(data);
    hint("");
    if (this.#isRepeated(data)) return;
    const isBurst = this.#isBurst;
    this.#release(data, isBurst);
    this.#noteBurst(data);
    if (matchesKey(data, "shift+tab")) return cycleMode();
    const { dialog } = panels;
    if (dialog === undefined) this.#outside(data);
    else if (isRefusal(data)) dialog.handleInput(data);
    else if (panels.answerable === undefined) this.#early(data);
    else if (dialog.takesText !== true) this.#toDialog(dialog, data);
    // A paste that is not marked does not send what it has put into the field.
    else if (!isBurst || !matchesKey(data, "enter")) dialog.handleInput(data);
  }

  /** The input line has the keyboard, or a panel that the person has opened. */
  #outside(data: string): void {
    const { panels, typing } = this.#ports;
    this.#takeMarks();
    const isForDialog = matchesKey(data, "tab") && panels.offersTab && !typing.isCompleting;
    if (isForDialog) this.#hold([data], () => panels.takeTab());
    else this.#type(data);
  }

  /** Nobody can have read the dialog yet. */
  #early(data: string): void {
    if (data !== this.#answered) this.#asText(data);
  }

  #toDialog(panel: Panel, data: string): void {
    if (isMove(data)) return panel.handleInput(data);
    const isText = isPrintable(data) && panel.meaningOf?.(data) === undefined;
    if (isText || data.startsWith(PASTE)) return this.#asText(data);
    this.#hold([data], () => this.#answer(panel, data));
  }

  #answer(panel: Panel, data: string): void {
    const letters = this.#marked?.panel === panel ? this.#marked.letters : [];
    const isMark = isPrintable(data) && panel.meaningOf?.(data) === "marks";
    this.#marked = isMark ? { panel, letters: [...letters, data] } : undefined;
    if (!isMark) this.#answered = data;
    if (!isMark) this.#clock.after(UNREAD_MS, () => (this.#answered = ""));
    panel.handleInput(data);
  }

  /** The person is typing: the dialog waits, and no letter that it had is lost. */
  #asText(data: string): void {
    const letters = this.#takeMarks();
    this.#ports.panels.leaveTab();
    for (const letter of [...letters, data]) this.#type(letter);
  }

  /** Gives the letters that had marked something in the dialog that is open. */
  #takeMarks(): readonly string[] {
    const { panel, letters = [] } = this.#marked ?? {};
    this.#marked = undefined;
    panel?.unmark?.();
    return panel === this.#ports.panels.dialog ? letters : [];
  }

  #type(data: string): void {
    const { panels, typing } = this.#ports;
    const { own } = panels;
    if (own !== undefined) {
      own.handleInput(data);
      return panels.attention.used();
    }
    const wasEmpty = typing.isEmpty;
    if (!this.#isOfProgram(data)) typing.handleInput(data);
    if (!wasEmpty && typing.isEmpty && matchesKey(data, "enter")) panels.attention.sent();
    else panels.attention.typed();
  }

  #hold(pressed: readonly string[], count: () => void): void {
    const [data = ""] = pressed;
    const stop = this.#clock.after(isLetter(data) ? WORD_MS : BURST_MS, () => {
      this.#held = undefined;
      count();
      this.#ports.onChange();
    });
    this.#held = { pressed, count, stop };
  }

  #isRepeated(data: string): boolean {
    const held = this.#held;
    if (held === undefined || held.pressed[0] !== data) return false;
    held.stop();
    this.#hold([...held.pressed, data], held.count);
    return true;
  }

  /** A key that a letter follows at once, or any other key faster than fingers, was text. */
  #release(next: string, isBurst: boolean): void {
    const held = this.#held;
    this.#held = undefined;
    held?.stop();
    if (held === undefined) return;
    if (isMove(next) || (!isBurst && !isPrintable(next))) held.count();
    else for (const key of held.pressed) this.#asText(key);
  }

  #noteBurst(data: string): void {
    this.#stopBurst();
    this.#isBurst = isPrintable(data);
    this.#stopBurst = this.#clock.after(BURST_MS, () => (this.#isBurst = false));
  }

  #isOfProgram(data: string): boolean {
    const { panels, typing, interrupt, leave, takeBack, openOutput, editOutside } = this.#ports;
    if (matchesKey(data, "ctrl+c")) this.#ctrlC();
    else if (matchesKey(data, "escape") && !typing.isCompleting) interrupt();
    else if (matchesKey(data, "ctrl+o")) openOutput();
    else if (matchesKey(data, "ctrl+r")) void typing.search(panels);
    else if (matchesKey(data, "ctrl+g")) editOutside();
    else if (matchesKey(data, "ctrl+d") && typing.isEmpty) leave();
    else return matchesKey(data, "up") && typing.isEmpty && takeBack();
    return true;
  }

  #ctrlC(): void {
    const { typing, hint, interrupt, leave } = this.#ports;
    const now = performance.now();
    if (now - this.#interruptedMs < TWICE_MS) return leave();
    this.#interruptedMs = now;
    hint("Ctrl+C again leaves.");
    if (typing.isEmpty) interrupt();
    else typing.clear();
  }
}

/** By a person: terminals also report by themselves, that they have the focus for example. */
function isPressed(data: string): boolean {
  if (!data.startsWith("\u001b") || data.startsWith(PASTE)) return true;
  return parseKey(data) !== undefined || decodeKittyPrintable(data) !== undefined;
}

function isPrintable(data: string): boolean {
  return !/^\p{Cc}/u.test(decodeKittyPrintable(data) ?? data);
}

function isLetter(data: string): boolean {
  return isPrintable(data) && !matchesKey(data, "space");
}

/** Says no, at any time. */
function isRefusal(data: string): boolean {
  return matchesKey(data, "escape") || matchesKey(data, "ctrl+c");
}

const MOVES = ["up", "down", "left", "right", "pageUp", "pageDown", "home", "end"] as const;

/** Answers nothing. */
function isMove(data: string): boolean {
  return MOVES.some((key) => matchesKey(data, key));
}
