/** The terminal: keys come in as pi-tui reads them, frames go out through the live region. */

import { type Terminal, TUI, setCapabilities } from "@earendil-works/pi-tui";
import { type Frame, LiveRegion } from "./live-region.ts";

const FRAME_MS = 16;

/** pi-tui's own drawing clears the scrollback when the terminal's size changes; ours does not. */
export class Screen extends TUI {
  readonly #region = new LiveRegion();
  readonly #compose: (width: number, rows: number) => Frame;
  #timer: NodeJS.Timeout | undefined;
  #isOn = false;

  constructor(terminal: Terminal, compose: (width: number, rows: number) => Frame) {
    super(terminal);
    // A link shows where it leads, and a picture could be anything: neither is drawn by the terminal.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    this.#compose = compose;
  }

  override start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    super.start();
  }

  override requestRender(): void {
    if (!this.#isOn) return;
    this.#timer ??= setTimeout(() => this.drawNow(), FRAME_MS);
  }

  drawNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isOn) return;
    const size = { columns: Math.max(1, this.terminal.columns), rows: Math.max(1, this.terminal.rows) };
    this.#write(this.#region.draw(this.#compose(size.columns, Math.max(1, size.rows - 1)), size));
  }

  /** The terminal is another program's until the next `start`. */
  suspend(): void {
    this.end([]);
  }

  /** Leaves the terminal as it was, with these lines as the last. */
  end(lines: readonly string[]): void {
    if (!this.#isOn) return;
    this.drawNow();
    const size = { columns: Math.max(1, this.terminal.columns), rows: Math.max(1, this.terminal.rows) };
    this.#write(this.#region.draw({ above: lines, live: [] }, size));
    this.restore();
  }

  /** Also on the way out after a crash: nothing is drawn. */
  restore(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    clearTimeout(this.#timer);
    this.stop();
  }

  #write(bytes: string): void {
    if (bytes !== "") this.terminal.write(bytes);
  }
}
