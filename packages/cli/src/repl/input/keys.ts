/**
 * Routes each key to an open panel, to the program or to the input line. Typed text never answers a dialog that opened
 * by itself: two letters in a row, a paste, and every key while there is a draft are text.
 */

import { decodeKittyPrintable, matchesKey, parseKey } from "@earendil-works/pi-tui";
import { CLOCK, type Clock, UNREAD_MS } from "./attention.ts";
import { type Bindings, readBindings } from "./bindings.ts";
import type { Panel } from "../screen/panel.ts";
import type { Panels } from "../panels/panels.ts";
import type { Typing } from "./typing.ts";

interface Ports {
  readonly panels: Panels;
  readonly typing: Pick<
    Typing,
    "handleInput" | "isEmpty" | "isCompleting" | "takesEscape" | "clear" | "search" | "stash" | "pasteImage"
  >;
  /** Default: those without a file. */
  readonly bindings?: () => Bindings;
  /** Shows the keys. */
  readonly showKeys: () => void;
  readonly chooseModel: () => void;
  /** Shows a line below the input line until the next key. */
  readonly hint: (text: string) => void;
  readonly interrupt: () => void;
  readonly leave: () => void;
  /** Returns false if no prompt was queued. */
  readonly takeBack: () => boolean;
  readonly cycleMode: () => void;
  readonly openOutput: () => void;
  readonly editOutside: () => void;
  /** Stops the program until the shell continues it. */
  readonly suspend: () => void;
  /** Moves running commands or sub-agents to the background. Returns false if none runs. */
  readonly toBackground: () => boolean;
  /** Requests a redraw. */
  readonly onChange: () => void;
  readonly clock?: Clock;
}

const TWICE_MS = 2_000;
/** Two keys within this time are a paste, from a terminal that does not mark pastes. */
const BURST_MS = 25;
/** A letter followed by another within this time is the start of a word. */
const WORD_MS = 200;
const PASTE = "\u001b[200~";

/** Keys for a dialog, unless the next keys show that they are text. */
interface Held {
  /** One key, repeated if it is held down. */
  readonly pressed: readonly string[];
  readonly count: () => void;
  readonly stop: () => void;
}

/** Letters that marked an option of a dialog, which Enter would confirm. */
interface Marked {
  readonly panel: Panel;
  readonly letters: readonly string[];
}

export class Keys {
  readonly #ports: Ports;
  readonly #clock: Clock;
  readonly #bindings: () => Bindings;
  #interruptedMs = Number.NEGATIVE_INFINITY;
  #held: Held | undefined;
  #marked: Marked | undefined;
  /** A letter was pressed so recently that the next key cannot come from a finger. */
  #isBurst = false;
  #stopBurst = (): void => {};
  /** The last answer. The same key again, before the next question can have been read, is the same press. */
  #answered = "";

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#clock = ports.clock ?? CLOCK;
    const usual = readBindings(undefined).bindings;
    this.#bindings = ports.bindings ?? (() => usual);
  }

  press(data: string): void {
    const { panels, typing, hint, cycleMode, suspend } = this.#ports;
    if (!isPressed(data)) return typing.handleInput(data);
    hint("");
    if (this.#isRepeated(data)) return;
    const isBurst = this.#isBurst;
    this.#release(data, isBurst);
    this.#noteBurst(data);
    const action = this.#bindings().actionOf(data);
    if (action === "cycleMode") return cycleMode();
    if (action === "suspend") return suspend();
    const { dialog } = panels;
    if (dialog === undefined) this.#outside(data);
    else if (isRefusal(data)) dialog.handleInput(data);
    else if (panels.answerable === undefined) this.#early(dialog, data);
    else if (dialog.takesText !== true) this.#toDialog(dialog, data);
    // Enter in an unmarked paste does not submit the field.
    else if (!isBurst || !matchesKey(data, "enter")) dialog.handleInput(data);
  }

  /** The keyboard belongs to the input line or to a panel that the user opened. */
  #outside(data: string): void {
    const { panels, typing } = this.#ports;
    this.#takeMarks();
    const isForDialog = matchesKey(data, "tab") && panels.offersTab && !typing.isCompleting;
    if (isForDialog) this.#hold([data], () => panels.takeTab());
    else this.#type(data);
  }

  /**
   * Nobody can have read the dialog yet. A space on an empty line is not a draft that the dialog would wait for, and in the
   * next question of a form the arrows already move.
   */
  #early(dialog: Panel, data: string): void {
    const { panels, typing } = this.#ports;
    const isBlank = matchesKey(data, "space") && typing.isEmpty;
    if (panels.isNext && isMove(data)) dialog.handleInput(data);
    else if (panels.isNext && matchesKey(data, "enter")) return;
    else if (data !== this.#answered && !isBlank) this.#asText(data);
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

  /** The user is typing: the dialog waits, and the letters it had are moved to the input line. */
  #asText(data: string): void {
    const letters = this.#takeMarks();
    this.#ports.panels.dialog?.unmark?.();
    this.#ports.panels.leaveTab();
    for (const letter of [...letters, data]) this.#type(letter);
  }

  /** Returns the letters that marked an option in the open dialog. */
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

  /** A held key was text if a letter follows it at once, or any key follows faster than fingers can type. */
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
    const { typing, interrupt, takeBack, showKeys } = this.#ports;
    if (matchesKey(data, "ctrl+c")) this.#ctrlC();
    else if (matchesKey(data, "escape") && !typing.isCompleting && !typing.takesEscape) interrupt();
    else if (typed(data) === "?" && typing.isEmpty) showKeys();
    else if (matchesKey(data, "up") && typing.isEmpty) return takeBack();
    else return this.#does(data);
    return true;
  }

  /** Does what a key is bound to. Returns false if the key is for the text. */
  #does(data: string): boolean {
    const { panels, typing, leave, openOutput, editOutside, toBackground, chooseModel, hint } = this.#ports;
    switch (this.#bindings().actionOf(data)) {
      case "output":
        return openOutput(), true;
      case "search":
        return void typing.search(panels), true;
      case "editor":
        return editOutside(), true;
      case "model":
        return chooseModel(), true;
      case "stash":
        return hint(typing.stash()), true;
      case "image":
        return void typing.pasteImage().then(hint), true;
      case "exit":
        return typing.isEmpty && (leave(), true);
      // Without a running command it moves the cursor.
      case "background":
        return toBackground();
      default:
        return false;
    }
  }

  #ctrlC(): void {
    const { typing, hint, interrupt, leave } = this.#ports;
    const now = performance.now();
    if (now - this.#interruptedMs < TWICE_MS) return leave();
    this.#interruptedMs = now;
    hint("Press Ctrl+C again to exit.");
    if (typing.isEmpty) interrupt();
    else typing.clear();
  }
}

/** Whether a person pressed it. Terminals also send reports, for example about focus. */
function isPressed(data: string): boolean {
  if (!data.startsWith("\u001b") || data.startsWith(PASTE)) return true;
  return parseKey(data) !== undefined || decodeKittyPrintable(data) !== undefined;
}

/** The letter of a key. */
function typed(data: string): string {
  return decodeKittyPrintable(data) ?? data;
}

function isPrintable(data: string): boolean {
  return !/^\p{Cc}/u.test(typed(data));
}

function isLetter(data: string): boolean {
  return isPrintable(data) && !matchesKey(data, "space");
}

/** A key that always means no. */
function isRefusal(data: string): boolean {
  return matchesKey(data, "escape") || matchesKey(data, "ctrl+c");
}

const MOVES = ["up", "down", "left", "right", "pageUp", "pageDown", "home", "end"] as const;

/** A key that moves and never answers. */
function isMove(data: string): boolean {
  return MOVES.some((key) => matchesKey(data, key));
}
