/** What stands where one types, while something is asked or looked at. */

import { matchesKey } from "@earendil-works/pi-tui";

export interface Panel {
  /** At most so many rows. */
  render(width: number, rows: number): string[];
  handleInput(data: string): void;
  /** This key was meant for what was there before. */
  isTooEarly?(data: string): boolean;
}

/** Who is typing when a question comes up has not read it: nothing is an answer before they have paused. */
const UNREAD_MS = 250;

export class Unread {
  #sinceMs = performance.now();

  /** Esc and Ctrl+C are answers at any time. */
  isTooEarly(data: string): boolean {
    const now = performance.now();
    if (now - this.#sinceMs >= UNREAD_MS || matchesKey(data, "escape") || matchesKey(data, "ctrl+c"))
      return false;
    this.#sinceMs = now;
    return true;
  }
}
