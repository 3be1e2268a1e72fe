import { expect, test } from "vitest";
import { everything, many } from "../../test/support/timeline.ts";
import type { TimelineTurn } from "./model.ts";
import { type Ran, allSavings, savingsOf, summarise } from "./savings.ts";

const TURN: TimelineTurn = {
  agent: 0,
  number: 1,
  model: "",
  requestMs: 0,
  firstContentMs: 100,
  responseEndMs: 1000,
  endedMs: 2000,
  stop: "tool_use",
  inputTokens: 0,
  outputTokens: 0,
};

const ran = (place: number, [readyMs, startedMs, endedMs]: readonly number[], askingMs = 0): Ran =>
  ({ place, readyMs, freeMs: startedMs, startedMs, endedMs, askingMs }) as Ran;

test("a call that ended before the response has saved all of its time", () => {
  expect(savingsOf(TURN, [ran(0, [200, 200, 700])])).toEqual({
    aheadMs: 500,
    savedMs: 500,
    savedSerialMs: 500,
    waitedFor: new Map(),
    critical: new Set(),
  });
});

test("parallel calls would also have run in parallel after the response", () => {
  const { aheadMs, savedMs, savedSerialMs, critical } = savingsOf(TURN, [
    ran(0, [100, 100, 600]),
    ran(1, [600, 600, 1200]),
  ]);
  expect([aheadMs, savedMs, savedSerialMs, [...critical]]).toEqual([900, 400, 900, [1]]);
});

test("a call that waited for another would also have waited for it after the response", () => {
  const { savedMs, waitedFor, critical } = savingsOf(TURN, [
    ran(0, [100, 100, 900]),
    ran(1, [200, 901, 1500]),
  ]);
  // 1000 + 800 + 599 instead of 1500.
  expect([savedMs, [...waitedFor], [...critical]]).toEqual([899, [[1, 0]], [1, 0]]);
});

test("a call waited for another even if its start is reported before the end of the other", () => {
  expect([...savingsOf(TURN, [ran(0, [100, 100, 900]), ran(1, [200, 899, 1500])]).waitedFor]).toEqual([
    [1, 0],
  ]);
});

test("calls that waited for the user or for the end of the response did not wait for a call", () => {
  expect(savingsOf(TURN, [ran(0, [100, 100, 300]), ran(1, [1000, 1000, 1300])]).waitedFor.size).toBe(0);
  expect(savingsOf(TURN, [ran(0, [100, 100, 300]), ran(1, [400, 1000, 1300])]).waitedFor.size).toBe(0);
});

test("a call that a hook judged after its wait still waited for the other call", () => {
  const one = ran(0, [100, 100, 900]);
  const other = { ...ran(1, [200, 950, 1500]), freeMs: 901 } as Ran;
  expect([...savingsOf(TURN, [one, other]).waitedFor]).toEqual([[1, 0]]);
});

test("the user would have been asked after the response, for as long", () => {
  expect(savingsOf(TURN, [ran(0, [700, 700, 900], 500)])).toMatchObject({ savedMs: 700, aheadMs: 200 });
});

test("nothing is saved if nothing ran ahead or the response has not ended", () => {
  const none = { aheadMs: 0, savedMs: 0, savedSerialMs: 0 };
  expect(savingsOf(TURN, [])).toMatchObject(none);
  expect(savingsOf(TURN, [ran(0, [900, 1000, 1500])])).toMatchObject(none);
  expect(savingsOf({ ...TURN, responseEndMs: undefined }, [ran(0, [100, 100, 200])])).toMatchObject(none);
});

test("sums are those of the main agent, counts those of all agents", () => {
  expect(summarise(everything())).toEqual({
    totalMs: 14_600,
    turns: 3,
    calls: 12,
    outcomes: { succeeded: 8, failed: 1, denied: 1, stopped: 1, "not-run": 1, unfinished: 0 },
    modelMs: 6400,
    toolsMs: 10_424,
    aheadMs: 1539,
    savedMs: 880,
    savedSerialMs: 5019,
  });
});

test("the saved time is never more than compared with one call at a time", () => {
  for (const { savedMs, savedSerialMs, aheadMs } of allSavings(many(1000))) {
    expect(savedMs).toBeLessThanOrEqual(savedSerialMs);
    expect(aheadMs).toBeLessThanOrEqual(2000);
  }
});
