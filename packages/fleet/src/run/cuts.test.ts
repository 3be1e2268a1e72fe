import { expect, test } from "vitest";
import { Cuts, countIn } from "./cuts.ts";

const cut = (cuts: number) => ({ status: "begun", failures: 0, ...(cuts === 0 ? {} : { cuts }) });

test("a session is tried again at once after the first death of its worker, then waits longer each time, then fails", () => {
  const mostMs = [0, 1, 2, 3, 4].map((count) => {
    const waits = Array.from({ length: 200 }, () => new Cuts().take(cut(count)));
    expect(waits.every((one) => one?.isNew !== false)).toBe(true);
    return Math.max(...waits.map((one) => (one === undefined ? 0 : one.at - Date.now())));
  });
  expect(mostMs[0]).toBe(0);
  for (const [at, most] of [5_000, 30_000, 90_000, 180_000].entries()) {
    expect(mostMs[at + 1]).toBeLessThanOrEqual(most);
    expect(mostMs[at + 1]).toBeGreaterThan(most / 2);
  }
  expect(() => new Cuts().take(cut(5))).toThrow(
    "Its worker stopped 6 times in a row while it ran this session",
  );
});

test("a run that was given back does not count, and waits as long as it should by any clock", () => {
  const cuts = new Cuts();
  const now = Date.now();
  expect(cuts.take({ ...cut(3), until: now + 20_000 })).toEqual({ at: now + 20_000, isNew: false });
  expect(cuts.state).toEqual({ cuts: 3 });
  for (const until of [now - 1, now + 3_600_000]) expect(cuts.take({ ...cut(2), until })).toBeUndefined();
  expect(cuts.take({ status: "begun", failures: 0, until: now + 60_000 })).toBeUndefined();
});

test("a turn that has ended forgets the deaths before it", () => {
  const cuts = new Cuts();
  cuts.take(cut(1));
  expect([cuts.forget(), cuts.state, cuts.forget()]).toEqual([true, {}, false]);
});

test("a state of another version or shape has no counts", () => {
  for (const value of [undefined, null, "3", -1, Number.NaN, {}])
    expect(countIn({ cuts: value }, "cuts")).toBe(0);
});
