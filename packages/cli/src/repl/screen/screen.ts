/** The terminal: pi-tui reads the keys, and the live region draws the frames. */

import { type Terminal, TUI, setCapabilities, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { FullView } from "./full-view.ts";
import { type Frame, LiveRegion, type Size } from "./live-region.ts";
import { canDrawSixel, isImageLine, whenConverted } from "./images.ts";
import { onlyOwnStyles } from "./style.ts";
import { ASK_ATTRIBUTES, ASK_KIND, cursorRow, hasSixel, isXtermJs, terminalKind } from "./terminal-kind.ts";

const FRAME_MS = 16;
/** A terminal that takes longer does not answer. */
const MOST_ANSWER_MS = 2_000;
/** Runs out after the process was continued. */
const RESTART_MS = 20;

/** The end of the transcript, and what is below it. */
interface Scene extends Frame {
  /** Returns fewer live lines, for the normal screen if all of them would be too many; undefined if too few would be left. */
  readonly short?: () => readonly string[] | undefined;
}

/** What the terminal shows: the end of the transcript, or a view that needs most of the screen. */
export type Picture = Scene | { readonly full: readonly string[] };

/** Replaces the drawing of pi-tui, which clears the scrollback when the terminal is resized. */
export class Screen extends TUI {
  readonly #region = new LiveRegion(terminalKind(process.env));
  readonly #full = new FullView();
  readonly #compose: (width: number, rows: number) => Picture;
  #timer: NodeJS.Timeout | undefined;
  #drawnSize: Size = { columns: 0, rows: 0 };
  /** Finished lines that wait while the alternate screen is shown. */
  #unprinted: readonly string[] = [];
  #isOn = false;
  #isLent = false;
  /** How often the terminal has not yet said which graphics it has. */
  #unanswered = 0;
  readonly #onAnswered = new Set<() => void>();
  /** The terminal does not answer. */
  #isSilent = false;
  /** Another program has written on the normal screen, which must stay in view. */
  #hasForeignText = false;

  constructor(terminal: Terminal, compose: (width: number, rows: number) => Picture) {
    super(terminal);
    // The terminal draws no hyperlinks, which hide their target, and no images, which can show anything.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    this.#compose = compose;
    whenConverted(() => this.requestRender());
    this.addInputListener((data) => (this.#isAnswer(data) ? { consume: true } : undefined));
  }

  override start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    super.start();
    this.#unanswered = 1;
    this.#write(ASK_KIND + this.#region.ask());
  }

  override requestRender(): void {
    if (!this.#isOn) return;
    this.#timer ??= setTimeout(() => this.drawNow(), FRAME_MS);
  }

  /** Whether the terminal has said what it is. */
  #isAnswer(data: string): boolean {
    const movesCursor = isXtermJs(data);
    if (movesCursor !== undefined) this.#region.quirks = { movesCursor };
    const isSixel = hasSixel(data);
    if (isSixel === true) canDrawSixel();
    if (isSixel !== undefined && --this.#unanswered <= 0) for (const go of this.#onAnswered) go();
    const row = cursorRow(data);
    if (row !== undefined) {
      this.#region.startsAt(row);
      this.requestRender();
    }
    return movesCursor !== undefined || isSixel !== undefined || row !== undefined;
  }

  drawNow(): void {
    this.#drawNow(true);
  }

  /** `asks`: whether the terminal can be asked for its row. */
  #drawNow(asks: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isOn) return;
    const size = this.#size;
    const picture = this.#compose(size.columns, Math.max(1, size.rows - 1));
    if ("full" in picture) return this.#drawFull(picture.full, size);
    this.#noteSize(size);
    const above = [...wrapped(this.#unprinted, size), ...picture.above];
    const isUnharmed = (lines: readonly string[] = []): boolean =>
      !this.#region.isAtRisk({ above, live: lines }, size);
    this.#hasForeignText &&= !isUnharmed(picture.live);
    const isSafe = (lines?: readonly string[]): boolean => this.#hasForeignText || isUnharmed(lines);
    const short = isSafe(picture.live) ? picture.live : picture.short?.();
    const live = short === picture.live || isSafe(short) ? short : undefined;
    this.#unprinted = live === undefined ? above : [];
    if (live === undefined) this.#drawFull(this.#region.screenOf({ above, live: picture.live }, size), size);
    else this.#write(this.#full.close() + this.#region.draw({ above, live }, size, asks));
  }

  #noteSize(size: Size): void {
    const { columns, rows } = this.#drawnSize;
    const isLarger = size.columns >= columns && size.rows >= rows;
    if (isLarger && (size.columns > columns || size.rows > rows) && this.#full.isOpen) this.#region.grown();
    this.#drawnSize = size;
  }

  /** The region is erased, because a window that changes would wrap it and push it into the scrollback. */
  #drawFull(lines: readonly string[], size: Size): void {
    this.#write(this.#region.erase(size) + this.#full.draw(lines, size));
  }

  /** Returns what to write so that the normal screen shows all finished lines and no region. */
  #finish(): string {
    const above = wrapped(this.#unprinted, this.#size);
    this.#unprinted = [];
    return this.#full.close() + this.#region.draw({ above, live: [] }, this.#size, false);
  }

  /** Sends something that draws nothing, such as a title. */
  send(bytes: string): void {
    if (this.#isOn) this.#write(bytes);
  }

  /** Whether another program has the terminal. */
  get isLent(): boolean {
    return this.#isLent;
  }

  /** Resolves when the terminal has answered all questions: the answers are not for another program. */
  async #answered(): Promise<void> {
    if (!this.#isOn || this.#isSilent) return;
    this.#unanswered++;
    this.#write(ASK_ATTRIBUTES);
    let timer: NodeJS.Timeout | undefined;
    let go = (): void => {};
    this.#isSilent = await new Promise<boolean>((resolve) => {
      go = () => resolve(false);
      this.#onAnswered.add(go);
      timer = setTimeout(() => resolve(true), MOST_ANSWER_MS);
    });
    this.#onAnswered.delete(go);
    clearTimeout(timer);
  }

  /** Gives the terminal to another program until the job has ended. */
  async lend<Value>(job: () => Promise<Value>): Promise<Value> {
    this.#isLent = true;
    await this.#answered();
    this.#hasForeignText = true;
    this.end([]);
    try {
      return await job();
    } finally {
      this.#isLent = false;
      this.start();
    }
  }

  /**
   * Stops the whole process group, as the terminal does for Ctrl+Z, until the shell continues it. Without a shell that
   * could continue it, the system ignores the signal, and the screen comes back at once.
   */
  async stopProcess(): Promise<void> {
    await this.#answered();
    this.end([]);
    process.kill(0, "SIGTSTP");
    setTimeout(() => this.start(), RESTART_MS);
  }

  /** Restores the terminal and prints these lines last, wrapped by the terminal, so that they can be copied whole. */
  end(lines: readonly string[]): void {
    if (!this.#isOn) return;
    this.#drawNow(false);
    this.#write(this.#finish());
    this.restore();
    this.#write(lines.map((line) => `${onlyOwnStyles(line)}\r\n`).join(""));
  }

  /** Restores the terminal without drawing. Also runs after a crash. */
  restore(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    clearTimeout(this.#timer);
    const rest = this.#unprinted.length > 0 ? this.#finish() : this.#full.close();
    this.#write(rest + this.#region.leave());
    this.stop();
  }

  get #size(): Size {
    return { columns: Math.max(1, this.terminal.columns), rows: Math.max(1, this.terminal.rows) };
  }

  #write(bytes: string): void {
    if (bytes !== "") this.terminal.write(bytes);
  }
}

/** Lines that were made for a wider window. */
function wrapped(lines: readonly string[], { columns }: Size): string[] {
  return lines.flatMap((line) =>
    isImageLine(line) || visibleWidth(line) <= columns ? [line] : wrapTextWithAnsi(line, columns),
  );
}
