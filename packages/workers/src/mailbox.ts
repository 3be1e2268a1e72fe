/** Where a caller's answers arrive: read in order, each exactly once, even after a lost connection. */

import { setTimeout as pause } from "node:timers/promises";
import type { Link } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import { type Mail, parseMail } from "./message.ts";

const AT_ONCE = 50;
const AFTER_ERROR_MS = 200;
const FIRST = "0-0";

export interface MailboxOptions {
  /** A connection of its own, because reading blocks it. */
  readonly link: Link;
  readonly key: string;
  readonly onMail: (mail: Mail, output: string) => void;
  readonly onNotice: (message: string) => void;
}

export class Mailbox {
  readonly #options: MailboxOptions;
  #last = FIRST;
  #readAt = -Infinity;
  #isOpen = true;
  #leave: () => void = () => {};

  constructor(options: MailboxOptions) {
    this.#options = options;
  }

  /** Everything that arrived before this monotonic time has been read. */
  get readAt(): number {
    return this.#readAt;
  }

  /** The id of the last entry that was read; older entries can be deleted. */
  get last(): string {
    return this.#last;
  }

  /** Starts from the beginning, after the server lost the stream. */
  reset(): void {
    this.#last = FIRST;
  }

  close(): void {
    this.#isOpen = false;
    this.#leave();
  }

  /** Reads until it is closed. */
  async read(): Promise<void> {
    while (this.#isOpen) {
      const askedAt = performance.now();
      try {
        const count = this.#take(await this.#next());
        if (count < AT_ONCE) this.#readAt = askedAt;
      } catch {
        if (this.#isOpen) await pause(AFTER_ERROR_MS);
      }
    }
  }

  #next(): Promise<readonly Entry[]> {
    const { link, key } = this.#options;
    const words = ["COUNT", AT_ONCE, "BLOCK", LIMITS.beatMs, "STREAMS", key, this.#last] as const;
    return new Promise((resolve, reject) => {
      // A connection that is closed while it is down never replies.
      this.#leave = () => resolve([]);
      link.redis.xread(...words).then((streams) => resolve(streams?.[0]?.[1] ?? []), reject);
    });
  }

  #take(entries: readonly Entry[]): number {
    for (const [id, fields] of entries) {
      this.#last = id;
      this.#deliver(fields ?? []);
    }
    return entries.length;
  }

  #deliver([kind, text = "", , output = ""]: readonly string[]): void {
    const { onMail, onNotice } = this.#options;
    if (kind !== "mail") return;
    const parsed = parseMail(text);
    if (parsed.ok) onMail(parsed.value, output);
    else onNotice(`Ignored an invalid message from the queue: ${parsed.why}.`);
  }
}

type Entry = readonly [id: string, fields: readonly string[] | null];
