/** A panel that replaces the input line while something is asked or shown. */

import { decodeKittyPrintable } from "@earendil-works/pi-tui";

export interface Panel {
  /** Returns at most `rows` lines. */
  render(width: number, rows: number): string[];
  handleInput(data: string): void;
  /** Letters go into a text field and are not answers. */
  readonly takesText?: boolean;
  /**
   * What a letter does: it acts at once, or it marks an option that Enter confirms. Undefined, the default, if it does
   * nothing: then the letter starts text for the input line.
   */
  meaningOf?(letter: string): "acts" | "marks" | undefined;
  /** Removes the mark that letters have set. */
  unmark?(): void;
}

/** The digit from 1 to 9 that a key types; undefined for any other key. */
export function digitOf(key: string): number | undefined {
  const digit = decodeKittyPrintable(key) ?? key;
  return /^[1-9]$/.test(digit) ? Number(digit) : undefined;
}
