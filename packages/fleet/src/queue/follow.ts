/** The events of a session: its journal, from any position, and live from then on. */

import type { SessionStore } from "@runahead/agent";
import { isShape } from "@runahead/base";
import { Feed } from "./feed.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** One event of a session: an entry of its journal, or with `deltas` a part of the text that arrives now. */
export interface SessionEvent {
  /** The position after it: pass it as `from` to continue. Parts of a text do not move it. */
  readonly position: number;
  /**
   * The entry; see `SessionEntry` of `@runahead/agent`. Parts of a text are `{ type: "text-delta", turn, offset, text }`, with
   * the number of the turn that the entry `turn-begun` has. They are not stored: the entry `block` or `message` that follows has
   * the whole text. An `offset` of 0 begins a new response.
   */
  readonly entry: { readonly type: string } & Readonly<Record<string, unknown>>;
}

/** Options of `events`. */
export interface FollowOptions {
  /** Where to begin: a position of an earlier event. One after the end is a RangeError. Default: 0, the beginning. */
  readonly from?: number;
  /** Ends the events. */
  readonly signal?: AbortSignal;
  /** True: ends at the current end of the journal. Default: waits for more. */
  readonly isFinite?: boolean;
  /** True: also yields the parts of texts while they arrive. Default: entries of the journal only. */
  readonly deltas?: boolean;
}

export interface FollowPorts {
  readonly store: SessionStore;
  readonly id: string;
  readonly watch: StoreWatch;
  readonly dispatcher: Dispatcher;
}

/** Throws a RangeError if a position is after the end of the journal, as after the store lost entries: nothing would ever follow. */
export async function checkPosition(store: SessionStore, id: string, from: number): Promise<void> {
  if (from === 0) return;
  const end = (await store.ends([id])).get(id) ?? 0;
  if (from > end)
    throw new RangeError(`The position ${from} is after the end of session ${id}, which is ${end}.`);
}

export async function* followSession(
  { store, id, watch, dispatcher }: FollowPorts,
  { from = 0, signal, isFinite = false, deltas = false }: FollowOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  await checkPosition(store, id, from);
  const feed = new Feed({ session: { tenant: store.tenant, id }, dispatcher, hasText: deltas });
  const watched = { id, at: from, wake: (): void => feed.wake() };
  const stop = (): void => feed.wake();
  signal?.addEventListener("abort", stop);
  let hasJoined = false;
  const isOver = (): boolean => signal?.aborted === true;
  try {
    if (!isFinite) await feed.open(signal);
    if (!isFinite) watch.add(watched);
    for (let isWhole = false; !isOver(); ) {
      for (let item = isWhole ? feed.next(watched.at) : undefined; item !== undefined; ) {
        watched.at = item.position;
        const entry = "line" in item ? entryIn(item.line) : item.entry;
        if (entry !== undefined) yield { position: watched.at, entry };
        item = isOver() ? undefined : feed.next(watched.at);
      }
      // The first time, and when something was not announced, it reads until nothing is left.
      for (let isMore = !isWhole || watched.at < feed.end; isMore && !isOver(); ) {
        const announced = feed.end;
        const lines = await store.read(id, { from: watched.at });
        for (const { line, next } of lines) {
          watched.at = next;
          const entry = entryIn(line);
          if (entry !== undefined) yield { position: next, entry };
        }
        // What was announced during the read is read next.
        if (lines.length === 0 && feed.end === announced) feed.endsAt(watched.at);
        isMore = lines.length > 0 && (!isWhole || watched.at < feed.end);
      }
      if (isFinite) return;
      // The first entry of a new session is announced to all who wait for it.
      if (!hasJoined && watched.at > 0) feed.join();
      hasJoined = true;
      isWhole = true;
      if (feed.hasNext(watched.at)) continue;
      await feed.change();
      isWhole = !watch.takeLate(watched);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    watch.remove(watched);
    feed.close();
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

/** A reader that waits for more. */
export interface Watched {
  readonly id: string;
  /** How far it has read. */
  at: number;
  readonly wake: () => void;
}

/** How often journals are looked at whose worker could not announce its entries. */
const LOOK_MS = 1_000;

/** Watches the ends of journals: one look for all readers of a tenant in this process. */
export class StoreWatch {
  readonly #store: SessionStore;
  readonly #watched = new Set<Watched>();
  readonly #late = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  add(watched: Watched): void {
    this.#watched.add(watched);
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_MS);
  }

  remove(watched: Watched): void {
    this.#watched.delete(watched);
    this.#late.delete(watched);
    if (this.#watched.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Whether the store has more than was announced. */
  takeLate(watched: Watched): boolean {
    return this.#late.delete(watched);
  }

  async #look(): Promise<void> {
    const ids = [...new Set([...this.#watched].map(({ id }) => id))];
    // While the store does not respond, the readers wait.
    const ends = await this.#store.ends(ids).catch(() => new Map<string, number>());
    for (const watched of this.#watched) {
      if ((ends.get(watched.id) ?? 0) <= watched.at) continue;
      this.#late.add(watched);
      watched.wake();
    }
    const isNeeded = this.#watched.size > 0;
    this.#timer = isNeeded ? setTimeout(() => void this.#look(), LOOK_MS) : undefined;
  }
}
