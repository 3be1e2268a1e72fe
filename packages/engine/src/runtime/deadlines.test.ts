import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { isCollected } from "../../test/support/garbage.ts";
import { settle } from "../../test/support/tools.ts";
import { Deadlines, type Limited } from "./deadlines.ts";

interface Watched extends Limited<Watched> {
  readonly id: string;
}

function watched() {
  const clock = new FakeClock();
  const due: string[] = [];
  const deadlines = new Deadlines<Watched>(clock, ({ id, limitMs }) => void due.push(`${id} ${limitMs}`));
  const start = (id: string, limitMs: number) => {
    const call: Watched = { id, startedAt: clock.now(), limitMs, before: undefined, after: undefined };
    deadlines.watch(call);
    return call;
  };
  return { clock, due, deadlines, start };
}

test("each call is due after its own limit, in the order in which they are due", () => {
  const { clock, due, start } = watched();
  start("slow", 2_000);
  start("a", 1_000);
  start("b", 1_000);
  while (clock.pending > 0) clock.advance();
  expect(due).toEqual(["a 1000", "b 1000", "slow 2000"]);
  expect(clock.now()).toBe(2_000);
});

test("a call that has ended is not due, and one that started later is due at its own time", () => {
  const { clock, due, deadlines, start } = watched();
  const first = start("first", 1_000);
  clock.after(400, () => start("second", 1_000));
  clock.advance();
  deadlines.end(first);
  clock.advance();
  expect([due, clock.now()]).toEqual([[], 1_000]);
  clock.advance();
  expect([due, clock.now()]).toEqual([["second 1000"], 1_400]);
});

test("no timer is left when all calls have ended", async () => {
  const { clock, deadlines, start } = watched();
  const calls = [start("a", 1_000), start("b", 2_000)];
  expect(clock.pending).toBe(2);
  for (const call of calls) deadlines.end(call);
  await settle();
  expect(clock.pending).toBe(0);
});

test("many calls with one limit need one timer", () => {
  const { clock, start } = watched();
  for (let at = 0; at < 1_000; at++) start(`${at}`, 1_000);
  expect(clock.pending).toBe(1);
});

test("a call without a limit, or with one that is too long for a timer, is never due", () => {
  const { clock, start } = watched();
  start("endless", Number.POSITIVE_INFINITY);
  start("very long", 2 ** 40);
  expect(clock.pending).toBe(0);
});

test("an ended call is not kept in memory while an earlier one still runs", async () => {
  const { deadlines, start } = watched();
  start("long", 1_000);
  // In a function, because an async one keeps what it used before it awaits.
  const startAndEnd = (): WeakRef<Watched> => {
    const call = start("short", 1_000);
    deadlines.end(call);
    return new WeakRef(call);
  };
  const ended = startAndEnd();
  await expect.poll(() => isCollected(ended)).toBe(true);
});
