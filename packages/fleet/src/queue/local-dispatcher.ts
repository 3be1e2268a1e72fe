/** The dispatcher of one process: no server needed. Takes one session of each tenant in turn. */

import {
  type Dispatcher,
  type LiveNotice,
  type Load,
  type MailNotice,
  type TakeOptions,
  type Taken,
  type Taking,
  type WakeUp,
  keyOf,
} from "./dispatcher.ts";

export class LocalDispatcher implements Dispatcher {
  /** By tenant, in the order of their turns: the sessions that wait, by key. */
  readonly #waiting = new Map<string, Map<string, Taken>>();
  readonly #running = new Map<string, number>();
  readonly #listeners = new Set<(notice: MailNotice) => void>();
  readonly #readers = new Map<string, Set<(notice: LiveNotice) => void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #takers = new Set<() => void>();
  #tenantLimit: TakeOptions["tenantLimit"] = () => Number.POSITIVE_INFINITY;
  #isClosed = false;

  async wake({ token: _token, delayMs = 0, ...session }: WakeUp): Promise<void> {
    if (this.#isClosed) return;
    if (delayMs > 0) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#add(session);
      }, delayMs);
      timer.unref();
      this.#timers.add(timer);
    } else this.#add(session);
  }

  async looks(): Promise<boolean> {
    return true;
  }

  async lost<Session extends Taken>(sessions: readonly Session[]): Promise<readonly Session[]> {
    return sessions.filter((one) => this.#waiting.get(one.tenant)?.has(keyOf(one)) !== true);
  }

  async announce(notice: MailNotice): Promise<void> {
    for (const listener of this.#listeners) listener(notice);
  }

  onMail(listener: (notice: MailNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async publish(session: Taken, notice: LiveNotice): Promise<number> {
    const readers = this.#readers.get(keyOf(session)) ?? [];
    for (const listener of readers) listener(notice);
    return [...readers].length;
  }

  async subscribe(session: Taken, listener: (notice: LiveNotice) => void): Promise<() => void> {
    const key = keyOf(session);
    const readers = this.#readers.get(key) ?? new Set();
    this.#readers.set(key, readers.add(listener));
    return () => {
      readers.delete(listener);
      if (readers.size === 0 && this.#readers.get(key) === readers) this.#readers.delete(key);
    };
  }

  async take({ concurrency, tenantLimit, run, onNotice }: TakeOptions): Promise<Taking> {
    const running = new Set<Promise<void>>();
    this.#tenantLimit = tenantLimit;
    let isStopped = false;
    const fill = (): void => {
      while (running.size < concurrency) {
        const next = isStopped ? undefined : this.#next(tenantLimit);
        if (next === undefined) return;
        const done = run(next)
          .catch((error: unknown) => onNotice(String(error)))
          .finally(() => {
            running.delete(done);
            this.#count(next.tenant, -1);
            for (const one of this.#takers) one();
          });
        running.add(done);
      }
    };
    this.#takers.add(fill);
    fill();
    return {
      stop: async () => {
        isStopped = true;
        this.#takers.delete(fill);
        await Promise.all(running);
      },
    };
  }

  async load(): Promise<Load> {
    const sum = (counts: Iterable<number>): number => [...counts].reduce((total, one) => total + one, 0);
    const waiting = [...this.#waiting].map(([tenant, { size }]) => ({ tenant, size }));
    const limited = waiting.filter(({ tenant }) => this.#isAtLimit(tenant, this.#tenantLimit));
    const limitedCount = sum(limited.map(({ size }) => size));
    return {
      waiting: sum(waiting.map(({ size }) => size)) - limitedCount,
      running: sum(this.#running.values()),
      limited: limitedCount,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#waiting.clear();
  }

  #add(session: Taken): void {
    const queue = this.#waiting.get(session.tenant) ?? new Map<string, Taken>();
    queue.set(keyOf(session), session);
    this.#waiting.set(session.tenant, queue);
    for (const fill of this.#takers) fill();
  }

  /** The first tenant below its limit; it goes to the end of the line. */
  #next(tenantLimit: (tenant: string) => number): Taken | undefined {
    for (const [tenant, queue] of this.#waiting) {
      if (this.#isAtLimit(tenant, tenantLimit)) continue;
      const [[key, session] = []] = queue;
      this.#waiting.delete(tenant);
      if (key === undefined || session === undefined) continue;
      queue.delete(key);
      if (queue.size > 0) this.#waiting.set(tenant, queue);
      this.#count(tenant, 1);
      return session;
    }
    return undefined;
  }

  #isAtLimit(tenant: string, tenantLimit: TakeOptions["tenantLimit"]): boolean {
    return (this.#running.get(tenant) ?? 0) >= tenantLimit(tenant);
  }

  #count(tenant: string, change: number): void {
    const count = (this.#running.get(tenant) ?? 0) + change;
    if (count > 0) this.#running.set(tenant, count);
    else this.#running.delete(tenant);
  }
}
