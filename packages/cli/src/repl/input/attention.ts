/**
 * Whether the user is typing, and what has been on the screen long enough to be read. A dialog that opens by itself
 * waits while the user types, and takes no key at the moment it appears.
 */

/** A clock that tests can replace. */
export interface Clock {
  /** Calls back once, after this time and after all keys typed until then. Returns a function that cancels it. */
  after(ms: number, done: () => void): () => void;
}

export const CLOCK: Clock = {
  after(ms, done) {
    let next: NodeJS.Immediate | undefined;
    // Keys that arrived while the program was busy are read between the two.
    const timer = setTimeout(() => (next = setImmediate(done)), ms);
    return () => {
      clearTimeout(timer);
      clearImmediate(next);
    };
  },
};

/** After this long without a key, the user is not typing. */
export const PAUSE_MS = 1_000;
/** A dialog counts as read after this time. */
export const UNREAD_MS = 500;

/** What is on the screen. */
interface View {
  readonly panel: object;
  /** It replaces the input line, rather than being shown above it. */
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

  /** Whether a key that was not for a dialog was pressed recently. */
  get isTyping(): boolean {
    return this.#isTyping;
  }

  /** Whether nothing was typed since the last line was sent, so that the list of its command is expected. */
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

  /** A key went elsewhere than to a dialog that opened by itself. */
  used(): void {
    this.#isTyping = true;
    this.hidden();
    this.#stopPause();
    this.#stopPause = this.#clock.after(PAUSE_MS, () => {
      this.#isTyping = false;
      this.#onChange();
    });
  }

  /** A dialog that opened by itself is being drawn. */
  shown(view: View): void {
    if (this.#isShown(view)) return;
    this.hidden();
    this.#shown = view;
    this.#stopReading = this.#clock.after(UNREAD_MS, () => (this.#isRead = true));
  }

  /** The user asked for it, so it need not be read again. */
  accepted(panel: object): void {
    this.hidden();
    this.#shown = { panel, isActive: true };
    this.#isRead = true;
  }

  /** No dialog that opened by itself is on the screen. */
  hidden(): void {
    this.#stopReading();
    this.#shown = undefined;
    this.#isRead = false;
  }

  /** Whether it has been on the screen long enough to be read. */
  hasRead(view: View): boolean {
    return this.#isRead && this.#isShown(view);
  }

  #isShown({ panel, isActive }: View): boolean {
    return this.#shown?.panel === panel && this.#shown.isActive === isActive;
  }
}
