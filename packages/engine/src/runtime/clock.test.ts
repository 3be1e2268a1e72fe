import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { CallTimers, isFiniteLimit, systemClock, withLimit } from "./clock.ts";

test("The real clock never goes backwards", () => {
  const times = Array.from({ length: 100 }, () => systemClock.now());
  expect(times).toEqual([...times].sort((one, other) => one - other));
});

test("A real timer fires once, and a cancelled one does not", async () => {
  const fired: string[] = [];
  systemClock.cancel(systemClock.after(0, () => void fired.push("cancelled")));
  await new Promise<void>((resolve) => {
    systemClock.after(5, () => {
      fired.push("kept");
      resolve();
    });
  });
  expect(fired).toEqual(["kept"]);
});

test("Cancelling something that is not a timer does nothing", () => {
  expect(() => systemClock.cancel(undefined)).not.toThrow();
});

test("A limit that is too long for a timer means no limit", () => {
  const limits = [1, 600_000, 2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY, Number.NaN];
  expect(limits.map(isFiniteLimit)).toEqual([true, true, true, false, false, false]);
});

test.each<[string, () => unknown]>([
  ["a value", () => 7],
  ["a promise", async () => 7],
])("%s within the limit is passed on, and no timer is left", async (_, give) => {
  const clock = new FakeClock();
  expect(await withLimit(clock, 1_000, give())).toBe(7);
  expect(clock.pending).toBe(0);
});

test("A rejection within the limit is passed on, and no timer is left", async () => {
  const clock = new FakeClock();
  const failure = new Error("its own");
  await expect(withLimit(clock, 1_000, Promise.reject(failure))).rejects.toBe(failure);
  expect(clock.pending).toBe(0);
});

test("After the limit, the wait ends with an error that names the limit in seconds", async () => {
  const clock = new FakeClock();
  const waiting = withLimit(clock, 1_500, new Promise(() => {}));
  clock.advance();
  await expect(waiting).rejects.toEqual(new Error("it took longer than 1.5 s"));
  expect(clock.pending).toBe(0);
});

test("A result or a failure after the limit is ignored", async () => {
  const clock = new FakeClock();
  let fail: (error: Error) => void = () => {};
  const late = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const waiting = withLimit(clock, 1_000, late);
  clock.advance();
  await expect(waiting).rejects.toEqual(new Error("it took longer than 1 s"));
  fail(new Error("too late"));
  await new Promise(setImmediate);
  await expect(waiting).rejects.toEqual(new Error("it took longer than 1 s"));
});

test("The timers of a call end with it", () => {
  const clock = new FakeClock();
  const timers = new CallTimers(clock);
  const fired: string[] = [];
  timers.after(1, () => void fired.push("first"));
  timers.after(2, () => void fired.push("second"));
  clock.advance();
  timers.end();
  expect([clock.pending, fired]).toEqual([0, ["first"]]);
});
