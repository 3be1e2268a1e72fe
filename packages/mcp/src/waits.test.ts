import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleLimit } from "./idle-limit.ts";
import { Waits } from "./waits.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a call is not idle while a person answers its server, and the limit starts again after the answer", async () => {
  const waits = new Waits();
  const limit = new IdleLimit(1_000, new AbortController().signal);
  waits.add(limit);
  let answer = (): void => {};
  const answered = waits.during(() => new Promise<void>((resolve) => (answer = resolve)));
  const later = new IdleLimit(1_000, new AbortController().signal);
  waits.add(later);
  limit.reset();
  vi.advanceTimersByTime(60_000);
  expect([limit.isOver, later.isOver]).toEqual([false, false]);
  answer();
  await answered;
  vi.advanceTimersByTime(999);
  expect([limit.isOver, later.isOver]).toEqual([false, false]);
  waits.delete(later);
  later.end();
  vi.advanceTimersByTime(1);
  expect([limit.isOver, later.isOver]).toEqual([true, false]);
});
