/**
 * When a panel that opens by itself can be seen, and when its keys count. What somebody types into the input line is
 * never an answer: a question waits until they have paused, and takes no key in the moment in which it appears. A key
 * that is pressed in this moment was meant for the input line: it goes there, and the question waits again.
 */

/** Time, so that a test can give its own. */
export interface Clock {
  /** Calls back once, after this time and after everything that has been typed by then; gives what cancels it. */
  after(ms: number, done: () => void): () => void;
}

export const CLOCK: Clock = {
  after(ms, done) {
    let next: NodeJS.Immediate | undefined;
    // Keys that came while the program was busy are read between the two.
    const timer = setTimeout(() => (next = setImmediate(done)), ms);
    return () => {
      clearTimeout(timer);
      clearImmediate(next);
    };
  },
};

/** With nothing in the input line, who has not pressed a key for so long has finished typing. */
export const PAUSE_MS = 1_000;
/** With a draft in it, they may be thinking about the next word. */
export const DRAFT_PAUSE_MS = 3_000;
/** What has appeared just now has not been read. */
export const UNREAD_MS = 500;

export class Attention {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #isTyping = false;
  /** What is on the screen, and for how long it has been. */
  #shown: object | undefined;
  #isRead = false;
  #stopPause = (): void => {};
  #stopReading = (): void => {};

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** A panel that opens by itself has to wait. */
  get isTyping(): boolean {
    return this.#isTyping;
  }

  /** A key went to the input line, or to a panel that the person has opened. */
  typed(hasDraft: boolean): void {
    this.#isTyping = true;
    this.hidden();
    this.#stopPause();
    this.#stopPause = this.#clock.after(hasDraft ? DRAFT_PAUSE_MS : PAUSE_MS, () => this.finished());
  }

  /** A line was sent, or nothing was typed for a while. */
  finished(): void {
    this.#stopPause();
    if (!this.#isTyping) return;
    this.#isTyping = false;
    this.#onChange();
  }

  /** This panel, which opened by itself, is being drawn. */
  shown(panel: object): void {
    if (this.#shown === panel) return;
    this.hidden();
    this.#shown = panel;
    this.#stopReading = this.#clock.after(UNREAD_MS, () => (this.#isRead = true));
  }

  /** No such panel is on the screen. */
  hidden(): void {
    this.#stopReading();
    this.#shown = undefined;
    this.#isRead = false;
  }

  /** This panel has been on the screen for long enough to be answered. */
  hasRead(panel: object): boolean {
    return this.#shown === panel && this.#isRead;
  }
}
