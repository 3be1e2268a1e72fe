import { expect, test } from "vitest";
import {
  began,
  madeBy,
  played,
  scriptEvents,
  settled,
  started,
  arrived,
  turnEnded,
} from "../../test/support/timeline.ts";
import { createTimelineRecorder } from "./recorder.ts";
import { rowsOf } from "./rows.ts";
import { allSavings, summarise } from "./savings.ts";
import { callOf } from "./stored-items.ts";
import { textTimeline } from "./text.ts";

const script = played([
  [0, began(1)],
  [10, arrived("a", "Code", "Run a script")],
  [10, started("a", "Code")],
  [20, madeBy("a", arrived("a.1", "Price", "one"))],
  [20, madeBy("a", started("a.1", "Price"))],
  [30, madeBy("a", arrived("a.2", "Inner", "two"))],
  [30, madeBy("a", started("a.2", "Inner"))],
  [40, madeBy("a.2", arrived("a.2.1", "Price", "three"))],
  [50, madeBy("a.2", settled("a.2.1", "Price"))],
  [60, madeBy("a", settled("a.2", "Inner"))],
  [120, madeBy("a", settled("a.1", "Price"))],
  [130, settled("a", "Code")],
  [140, arrived("b", "Bash", "ls")],
  [140, started("b", "Bash")],
  [150, settled("b", "Bash")],
  [160, turnEnded(1, [0, 5, 160])],
]);

test("the calls of a script are rows below the script, in their order", () => {
  expect(script.calls.map(({ parent }) => parent)).toEqual([undefined, 0, 0, 2, undefined]);
  const rows = rowsOf(script).filter(({ type }) => type === "call");
  expect(rows.map(({ depth, text }) => [depth, text])).toEqual([
    [0, "Run a script"],
    [1, "one"],
    [1, "two"],
    [2, "three"],
    [0, "ls"],
  ]);
});

test("the time of a script counts once", () => {
  const summary = summarise(script);
  expect([summary.calls, summary.toolsMs]).toEqual([5, 130]);
  expect([...(allSavings(script)[0]?.critical ?? [])].includes(1)).toBe(false);
});

test("of a thousand calls of a script, the text shows ten and the number of the others", () => {
  const events = [...scriptEvents(1_000), settled("a", "Code"), turnEnded(1, [0, 1, 2])];
  const timeline = played(events.map((event, at) => [at, event]));
  const lines = textTimeline(timeline, 100).split("\n");
  expect(lines.filter((line) => line.includes("Price"))).toHaveLength(10);
  expect(lines.filter((line) => line.includes("990 more calls"))).toHaveLength(1);
  expect(rowsOf(timeline).filter(({ name }) => name === "Price")).toHaveLength(1_000);
});

test("what is left after a part was stored refers to the right calls", () => {
  const recorder = createTimelineRecorder();
  const once = [...scriptEvents(2), settled("a", "Code"), turnEnded(1, [0, 1, 2])];
  for (const [at, event] of once.entries()) recorder.hear(event, at);
  recorder.take();
  recorder.dropTaken();
  for (const [at, event] of once.entries()) recorder.hear(event, 100 + at);
  expect(recorder.timeline().calls.map(({ parent }) => parent)).toEqual([undefined, 0, 0]);
  expect(recorder.take().calls.map(({ parent }) => parent)).toEqual([undefined, 3, 3]);
});

test("a stored call that names itself or a later call as its parent is left out, and one without is shown", () => {
  const shift = { atMs: 0, turns: 0, calls: 0 };
  expect([
    callOf({ parent: 3 }, { ...shift, calls: 2 }).parent,
    callOf({ parent: "x" }, shift).parent,
  ]).toEqual([5, undefined]);
  const [first] = script.calls;
  if (first === undefined) throw new Error("no call");
  const damaged = { ...script, calls: [first, { ...first, parent: 1 }, { ...first, parent: 9 }] };
  expect(rowsOf(damaged).filter(({ type }) => type === "call")).toHaveLength(1);
});
