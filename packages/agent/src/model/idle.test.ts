import { setImmediate as round } from "node:timers/promises";
import type { Clock } from "@runahead/engine";
import { expect, test } from "vitest";
import { ModelError } from "./error.ts";
import { withIdleLimit } from "./idle.ts";

/** A clock that a test moves; a machine that sleeps lets it stand still, or jump when it wakes. */
class BentClock implements Clock {
  #now = 0;
  #timers = new Map<object, { readonly at: number; readonly action: () => void }>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, action: () => void): unknown {
    const timer = {};
    this.#timers.set(timer, { at: this.#now + delayMs, action });
    return timer;
  }

  cancel(timer: unknown): void {
    this.#timers.delete(timer as object);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Timers that are due run once, as a loop runs them before it looks at what has come in. */
  move(ms: number): void {
    this.#now += ms;
    for (const [timer, { at, action }] of [...this.#timers]) {
      if (at > this.#now || !this.#timers.delete(timer)) continue;
      action();
    }
  }
}

/** A source whose events the test gives. */
function source() {
  const waiting: ((result: IteratorResult<string>) => void)[] = [];
  const said: string[] = [];
  let hasReturned = false;
  const events: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => events,
    next: () => {
      const value = said.shift();
      if (value !== undefined) return Promise.resolve({ done: false, value });
      return new Promise((resolve) => waiting.push(resolve));
    },
    return: () => {
      hasReturned = true;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  const say = (value: string): void => {
    const next = waiting.shift();
    if (next === undefined) said.push(value);
    else next({ done: false, value });
  };
  return { events, say, hasReturned: () => hasReturned };
}

const notBegun = (startMs: number): ModelError =>
  new ModelError("unreachable", `nothing within ${startMs} ms`);

function listen(clock: Clock) {
  const { events, say, hasReturned } = source();
  const counts = (event: string): boolean => event !== "ping";
  const stream = withIdleLimit(events, { startMs: 5_000, limitMs: 1_000, counts, late: notBegun, clock });
  return { stream, say, hasReturned };
}

const CUT = {
  kind: "cut",
  message: "The model sent nothing for 1 s. Raise RUNAHEAD_STREAM_IDLE_MS to wait longer.",
  isRetryable: true,
};

test("A03, A16: only content resets the limit, which uses the given clock", async () => {
  const clock = new BentClock();
  const { stream, say, hasReturned } = listen(clock);
  for (const word of ["a", "b"]) {
    const next = stream.next();
    clock.move(900);
    say(word);
    expect(await next).toEqual({ done: false, value: word });
  }
  const ping = stream.next();
  clock.move(900);
  say("ping");
  await ping;
  const late = stream.next();
  clock.move(100);
  clock.move(0);
  await expect(late).rejects.toMatchObject(CUT);
  expect([clock.pending, hasReturned()]).toEqual([0, true]);
});

test("until the first event, only the limit for the beginning counts", async () => {
  const clock = new BentClock();
  const { stream, say, hasReturned } = listen(clock);
  const first = stream.next();
  clock.move(4_999);
  say("ping");
  expect(await first).toEqual({ done: false, value: "ping" });
  const silent = listen(clock);
  const never = silent.stream.next();
  clock.move(5_000);
  clock.move(0);
  await expect(never).rejects.toMatchObject({ kind: "unreachable", message: "nothing within 5000 ms" });
  await stream.return();
  expect([clock.pending, hasReturned(), silent.hasReturned()]).toEqual([0, true, true]);
});

test("a response that has begun and sends only keep-alive events is cut", async () => {
  const clock = new BentClock();
  const { stream, say } = listen(clock);
  say("ping");
  await stream.next();
  const ping = stream.next();
  clock.move(600);
  say("ping");
  await ping;
  const next = stream.next();
  clock.move(400);
  clock.move(0);
  await expect(next).rejects.toMatchObject({ kind: "cut" });
});

test("A16: data that arrived while the machine slept is read, although the limit has passed", async () => {
  const clock = new BentClock();
  const { stream, say } = listen(clock);
  const next = stream.next();
  clock.move(3_600_000);
  say("here");
  expect(await next).toEqual({ done: false, value: "here" });
  await round();
  expect(clock.pending).toBe(0);
});

test("A16: a connection that is dead when the machine wakes is cut off once", async () => {
  const clock = new BentClock();
  const { stream, say, hasReturned } = listen(clock);
  say("begun");
  await stream.next();
  const next = stream.next();
  clock.move(3_600_000 - 1);
  clock.move(0);
  await expect(next).rejects.toMatchObject(CUT);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect([clock.pending, hasReturned()]).toEqual([0, true]);
});

test("the time that the reader takes for an event does not count as silence", async () => {
  const clock = new BentClock();
  const { stream, say } = listen(clock);
  say("a");
  say("b");
  await stream.next();
  clock.move(5_000);
  expect(await stream.next()).toEqual({ done: false, value: "b" });
});

test("a response that never ends is cut off after the total limit", async () => {
  const clock = new BentClock();
  const { events, say, hasReturned } = source();
  const limits = { startMs: 1_000, limitMs: 1_000, totalMs: 2_500 };
  const stream = withIdleLimit(events, { ...limits, counts: () => true, late: notBegun, clock });
  for (const word of ["one", "two", "three"]) {
    const next = stream.next();
    clock.move(900);
    say(word);
    if (word !== "three") expect(await next).toEqual({ done: false, value: word });
    else await next.catch(() => {});
  }
  const last = stream.next();
  clock.move(1_000);
  say("four");
  await expect(last).rejects.toThrow(
    "The response did not finish within 2.5 s. Raise RUNAHEAD_STREAM_TOTAL_MS to allow more.",
  );
  await round();
  expect([hasReturned(), clock.pending]).toEqual([true, 0]);
});
