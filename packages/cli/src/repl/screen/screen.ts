/** The terminal: pi-tui reads the keys, and the live region draws the frames. */

import { type Terminal, TUI, setCapabilities } from "@earendil-works/pi-tui";
import { type Frame, LiveRegion } from "./live-region.ts";

const FRAME_MS = 16;

/** Replaces the drawing of pi-tui, which clears the scrollback when the terminal is resized. */
export class Screen extends TUI {
  readonly #region = new LiveRegion();
  readonly #compose: (width: number, rows: number) => Frame;
  #timer: NodeJS.Timeout | undefined;
  #isOn = false;

  constructor(terminal: Terminal, compose: (width: number, rows: number) => Frame) {
    super(terminal);
    // The terminal draws no hyperlinks, which hide their target, and no images, which can show anything.
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

  /** Gives the terminal to another program until the next `start`. */
  suspend(): void {
    this.end([]);
  }

  /** Restores the terminal and prints these lines last. */
  end(lines: readonly string[]): void {
    if (!this.#isOn) return;
    this.drawNow();
    const size = { columns: Math.max(1, this.terminal.columns), rows: Math.max(1, this.terminal.rows) };
    this.#write(this.#region.draw({ above: lines, live: [] }, size));
    this.restore();
  }

  /** Restores the terminal without drawing. Also runs after a crash. */
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
