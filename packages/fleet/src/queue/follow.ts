/** The events of a session: its journal, from any position, and live from then on. */

import type { SessionStore } from "@runahead/agent";
import { isShape } from "@runahead/base";

/** One event of a session: an entry of its journal. */
export interface SessionEvent {
  /** The position after it: pass it as `from` to continue. */
  readonly position: number;
  /** The entry; see `SessionEntry` of `@runahead/agent`. */
  readonly entry: { readonly type: string } & Readonly<Record<string, unknown>>;
}

/** Options of `events`. */
export interface FollowOptions {
  /** Where to begin. Default: 0, the beginning. */
  readonly from?: number;
  /** Ends the events. */
  readonly signal?: AbortSignal;
  /** True: ends at the current end of the journal. Default: waits for more. */
  readonly isFinite?: boolean;
}

export interface FollowPorts {
  readonly store: SessionStore;
  readonly id: string;
  readonly watch: StoreWatch;
}

export async function* followSession(
  { store, id, watch }: FollowPorts,
  { from = 0, signal, isFinite = false }: FollowOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  for (let at = from; ; ) {
    if (signal?.aborted === true) return;
    const lines = await store.read(id, { from: at });
    for (const { line, next } of lines) {
      at = next;
      const entry = entryIn(line);
      if (entry !== undefined) yield { position: next, entry };
    }
    if (lines.length > 0) continue;
    if (isFinite) return;
    await watch.beyond(id, at, signal);
  }
}

function entryIn(line: string): SessionEvent["entry"] | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isShape(value) || typeof value["type"] !== "string") return undefined;
    const { sum: _sum, ...entry } = value;
    return entry as SessionEvent["entry"];
  } catch {
    return undefined;
  }
}

interface Waiting {
  readonly id: string;
  readonly at: number;
  readonly resolve: () => void;
}

const LOOK_MS = 100;

/** Watches the ends of journals: one look for all readers of a tenant in this process. */
export class StoreWatch {
  readonly #store: SessionStore;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** Resolves when the journal is longer, or the signal aborts. */
  beyond(id: string, at: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener("abort", done);
        this.#waiting.delete(waiting);
        resolve();
      };
      const waiting: Waiting = { id, at, resolve: done };
      if (signal?.aborted === true) return resolve();
      signal?.addEventListener("abort", done);
      this.#waiting.add(waiting);
      this.#timer ??= setTimeout(() => void this.#look(), LOOK_MS);
    });
  }

  /** Looks at once, because something has probably changed. */
  hurry(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), 0);
  }

  async #look(): Promise<void> {
    const ids = [...new Set([...this.#waiting].map(({ id }) => id))];
    // While the store does not respond, the readers wait.
    const ends = await this.#store.ends(ids).catch(() => new Map<string, number>());
    for (const { id, at, resolve } of this.#waiting) if ((ends.get(id) ?? 0) > at) resolve();
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#look(), LOOK_MS) : undefined;
  }
}
