/** What stands where one types, while something is asked or looked at. */

export interface Panel {
  /** At most so many rows. */
  render(width: number, rows: number): string[];
  handleInput(data: string): void;
  /** Letters are text for a field of it, and not answers. */
  readonly takesText?: boolean;
  /**
   * What a letter does: it acts at once, or it marks an option that Enter confirms. Undefined if it does nothing, which
   * is also the default: then the letter is the beginning of a text for the input line.
   */
  meaningOf?(letter: string): "acts" | "marks" | undefined;
  /** Takes back what letters have marked. */
  unmark?(): void;
}
