/**
 * Whether somebody is typing, and what has been on the screen for long enough to be read. A dialog that opens by itself
 * waits while somebody types, and takes no key in the moment in which it appears.
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

/** After this long without a key, nobody is typing. */
export const PAUSE_MS = 1_000;
/** What has appeared just now has not been read. */
export const UNREAD_MS = 500;

/** What is on the screen. */
interface View {
  readonly panel: object;
  /** It stands in place of the input line, and not above it. */
  readonly isActive: boolean;
}

export class Attention {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #isTyping = false;
  #isExpecting = true;
  #shown: View | undefined;
  #isRead = false;
  #stopPause = (): void => {};
  #stopReading = (): void => {};

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** A key was pressed just now that was not for a dialog. */
  get isTyping(): boolean {
    return this.#isTyping;
  }

  /** Nothing was typed since the last line was sent, so a list that its command opens is expected. */
  get isExpecting(): boolean {
    return this.#isExpecting;
  }

  /** A key went into the input line. */
  typed(): void {
    this.#isExpecting = false;
    this.used();
  }

  /** Enter sent the line. */
  sent(): void {
    this.used();
    this.#isExpecting = true;
  }

  /** A key went to something else than a dialog that opened by itself. */
  used(): void {
    this.#isTyping = true;
    this.hidden();
    this.#stopPause();
    this.#stopPause = this.#clock.after(PAUSE_MS, () => {
      this.#isTyping = false;
      this.#onChange();
    });
  }

  /** This is being drawn, of a dialog that opened by itself. */
  shown(view: View): void {
    if (this.#isShown(view)) return;
    this.hidden();
    this.#shown = view;
    this.#stopReading = this.#clock.after(UNREAD_MS, () => (this.#isRead = true));
  }

  /** The person asked for it: it need not be read again. */
  accepted(panel: object): void {
    this.hidden();
    this.#shown = { panel, isActive: true };
    this.#isRead = true;
  }

  /** No such dialog is on the screen. */
  hidden(): void {
    this.#stopReading();
    this.#shown = undefined;
    this.#isRead = false;
  }

  /** It has been on the screen like this for long enough to be read. */
  hasRead(view: View): boolean {
    return this.#isRead && this.#isShown(view);
  }

  #isShown({ panel, isActive }: View): boolean {
    return this.#shown?.panel === panel && this.#shown.isActive === isActive;
  }
}
