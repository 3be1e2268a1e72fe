/** What a key does: in a panel that is open, to the program, or to what one is typing. */

import { matchesKey } from "@earendil-works/pi-tui";
import type { Panels } from "./panels.ts";
import type { Typing } from "./typing.ts";

interface Ports {
  readonly panels: Panels;
  readonly typing: Typing;
  /** A line below what one types, until the next key. */
  readonly hint: (text: string) => void;
  readonly interrupt: () => void;
  readonly leave: () => void;
  /** False where there was nothing to take back. */
  readonly takeBack: () => boolean;
  readonly cycleMode: () => void;
  readonly openOutput: () => void;
  readonly editOutside: () => void;
}

const TWICE_MS = 2_000;

export class Keys {
  readonly #ports: Ports;
  #interruptedMs = Number.NEGATIVE_INFINITY;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  press(data: string): void {
    const { panels, typing, hint, cycleMode } = this.#ports;
    hint("");
    if (matchesKey(data, "shift+tab")) return cycleMode();
    const panel = panels.front;
    if (panel !== undefined && panel.isTooEarly?.(data) !== true) return panel.handleInput(data);
    if (!this.#isOfProgram(data)) typing.handleInput(data);
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
