/** What a key does: in a panel that is open, to the program, or to what one is typing. */

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
/** Who has left a draft in the input line may go on with it without looking at the screen. */
const DRAFT_WORD_MS = 500;
const PASTE = "\u001b[200~";

interface Held {
  readonly panel: Panel;
  /** One key; the same one several times where it is held down. */
  readonly pressed: readonly string[];
  readonly stop: () => void;
}

export class Keys {
  readonly #ports: Ports;
  readonly #clock: Clock;
  #interruptedMs = Number.NEGATIVE_INFINITY;
  /** An answer that counts unless another key follows at once. */
  #held: Held | undefined;
  /** The last answer: the same key again, before the next question can have been read, is the same press. */
  #answered = "";

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#clock = ports.clock ?? CLOCK;
  }

  press(data: string): void {
    const { panels, hint, cycleMode } = this.#ports;
    hint("");
    if (this.#isRepeated(data)) return;
    this.#release(data);
    if (matchesKey(data, "shift+tab")) return cycleMode();
    const { front } = panels;
    if (panels.isAsking && front !== undefined && isRefusal(data)) return front.handleInput(data);
    const panel = panels.answerable;
    if (panel === undefined || panel !== front || !panels.isAsking) return this.#early(data);
    if (panel.takesText === true || isMove(data)) return panel.handleInput(data);
    if (data.startsWith(PASTE)) return this.#type(data);
    this.#hold(panel, [data]);
  }

  /** For what the person has opened, or types. */
  #early(data: string): void {
    if (this.#ports.panels.isAsking && data === this.#answered) return;
    this.#type(data);
  }

  #type(data: string): void {
    const { panels, typing } = this.#ports;
    const panel = panels.own;
    const wasEmpty = typing.isEmpty;
    if (panel !== undefined) panel.handleInput(data);
    else if (!this.#isOfProgram(data)) typing.handleInput(data);
    const isSent = !wasEmpty && typing.isEmpty && matchesKey(data, "enter");
    if (isSent) panels.attention.finished();
    else if (isPressed(data)) panels.attention.typed(!typing.isEmpty);
  }

  #hold(panel: Panel, pressed: readonly string[]): void {
    const [data = ""] = pressed;
    const wordMs = this.#ports.typing.isEmpty ? WORD_MS : DRAFT_WORD_MS;
    const stop = this.#clock.after(isLetter(data) ? wordMs : BURST_MS, () => {
      this.#held = undefined;
      this.#answered = data;
      this.#clock.after(UNREAD_MS, () => (this.#answered = ""));
      panel.handleInput(data);
      this.#ports.onChange();
    });
    this.#held = { panel, pressed, stop };
  }

  #isRepeated(data: string): boolean {
    const held = this.#held;
    if (held === undefined || held.pressed[0] !== data) return false;
    held.stop();
    this.#hold(held.panel, [...held.pressed, data]);
    return true;
  }

  /** What is followed by another key at once is text. */
  #release(next: string): void {
    const held = this.#held;
    this.#held = undefined;
    held?.stop();
    if (held === undefined) return;
    if (isMove(next)) held.panel.handleInput(held.pressed[0] ?? "");
    else for (const key of held.pressed) this.#type(key);
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

function isLetter(data: string): boolean {
  const character = decodeKittyPrintable(data) ?? data;
  return character !== " " && !/^\p{Cc}/u.test(character);
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
