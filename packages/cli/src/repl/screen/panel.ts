/** What stands where one types, while something is asked or looked at. */

export interface Panel {
  /** At most so many rows. */
  render(width: number, rows: number): string[];
  handleInput(data: string): void;
  /** Letters are text for a field of it, and not answers. */
  readonly takesText?: boolean;
}
