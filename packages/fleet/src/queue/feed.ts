/** What the worker of a session reports while it runs it, in the order of the journal. */

import type { Dispatcher, LiveNotice, Taken } from "./dispatcher.ts";

/** While the Redis server cannot be reached, readers begin with the store. */
const OPEN_MS = 1_000;
/** A reader that is slower than the session reads the rest from the store. */
const MOST_NOTICES = 1_000;
/** How often the worker is asked for text that was missed. */
const ASK_MS = 250;

export interface FeedOptions {
  readonly session: Taken;
  readonly dispatcher: Pick<Dispatcher, "announce" | "subscribe">;
  /** Whether it has the parts of texts. */
  readonly hasText: boolean;
}

/** A stored line, or a part of a text. */
export type FeedItem =
  | { readonly position: number; readonly line: string }
  | { readonly position: number; readonly entry: TextDelta };

/** A part of the text that the model writes now. */
interface TextDelta {
  readonly type: "text-delta";
  readonly turn: number;
  readonly offset: number;
  readonly text: string;
  readonly [name: string]: unknown;
}

type StoredNotice = Extract<LiveNotice, { type: "stored" }>;
type TextNotice = Extract<LiveNotice, { type: "text" }>;

export class Feed {
  readonly #options: FeedOptions;
  #queue: LiveNotice[] = [];
  #end = 0;
  #stop: () => void = () => {};
  #isClosed = false;
  #wake: () => void = () => {};
  #hasChanged = false;
  /** The response whose text is read, and how much of it. */
  #response = "";
  #read = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** How far the journal goes at least. */
  get end(): number {
    return this.#end;
  }

  /** Resolves when no later notice is missed, or when that takes too long. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    const { dispatcher, session } = this.#options;
    const subscribed = dispatcher
      .subscribe(session, (notice) => this.#take(notice))
      .then((stop) => {
        if (this.#isClosed) stop();
        else this.#stop = stop;
      })
      .catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, OPEN_MS);
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([subscribed, late]);
    clearTimeout(timer);
  }

  /** A worker that found no readers when it began reports from now on, beginning with the text so far. */
  join(): void {
    this.#askedAt = performance.now();
    const { dispatcher, session } = this.#options;
    void dispatcher.announce(session).catch(() => {});
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#wake();
  }

  /** Resolves at the next notice or call of {@link wake}. */
  async change(): Promise<void> {
    if (!this.#hasChanged && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#hasChanged = false;
  }

  wake(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  /** Whether `next` can have something at this position, or the store has. */
  hasNext(at: number): boolean {
    const [first] = this.#queue;
    return at < this.#end || (first !== undefined && first.at <= at);
  }

  /** The journal ends here after all, such as after the session was deleted. */
  endsAt(at: number): void {
    this.#end = at;
    this.#queue = this.#queue.filter((notice) => notice.at <= at);
  }

  /** Returns what follows at a position; undefined if there is nothing, or the store must be read first. */
  next(at: number): FeedItem | undefined {
    for (let [first] = this.#queue; first !== undefined; [first] = this.#queue) {
      if (first.at > at) return undefined;
      this.#queue.shift();
      if (first.type === "text") {
        const entry = this.#text(first, at);
        if (entry !== undefined) return { position: at, entry };
      } else if (first.end > at) return this.#line(first, at);
    }
    return undefined;
  }

  /** The first line of a batch that was not read yet; the rest of the batch stays. */
  #line({ at: begin, end, lines = [] }: StoredNotice, at: number): FeedItem | undefined {
    const [line, ...rest] = lines.slice(at - begin);
    // Positions of other stores are not numbers of lines.
    if (line === undefined || end - begin !== lines.length) return undefined;
    const position = at + 1;
    if (rest.length > 0) this.#queue.unshift({ type: "stored", at: position, end, lines: rest });
    return { position, line };
  }

  #text({ at: then, response, turn, offset, text, isAll = false }: TextNotice, at: number) {
    if (then < at) return this.#askForText();
    const isSame = response === this.#response;
    if (!isSame && offset > 0 && !isAll) return this.#askForText();
    if (isSame && offset > this.#read && !isAll) return this.#askForText();
    if (!isSame) this.#read = offset;
    this.#response = response;
    const from = Math.max(offset, this.#read);
    const rest = text.slice(from - offset);
    this.#read = from + rest.length;
    if (rest === "") return undefined;
    return { type: "text-delta", turn, offset: from, text: rest } satisfies TextDelta;
  }

  #take(notice: LiveNotice): void {
    if (notice.type === "text" && !this.#options.hasText) return;
    this.#end = Math.max(this.#end, notice.type === "stored" ? notice.end : notice.at);
    if (this.#queue.length >= MOST_NOTICES) this.#queue = [];
    this.#queue.push(notice);
    this.wake();
  }

  #askForText(): undefined {
    const { hasText } = this.#options;
    const now = performance.now();
    if (hasText && now - this.#askedAt >= ASK_MS) this.join();
    return undefined;
  }
}
