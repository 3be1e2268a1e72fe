import { expect, test } from "vitest";
import { began, everything, many, played, settled, started, turnEnded } from "../../test/support/timeline.ts";
import { type TraceEvent, traceEvents } from "./trace.ts";

type Slice = TraceEvent & { readonly ph: "X" };
const slicesOf = (events: readonly TraceEvent[]): Slice[] => events.filter((event) => event.ph === "X");

test("an agent is a process, its responses a thread, its calls others; times are microseconds", () => {
  const { traceEvents: events } = traceEvents(
    played([
      [0, began(1)],
      [10, started("a", "Read")],
      [15.5, settled("a", "Read")],
      [20, turnEnded(1, [5, 12, 20])],
    ]),
  );
  const brief = events.map(({ args: _args, ...rest }) => rest);
  const at = { pid: 0, tid: 0 };
  expect(brief).toEqual([
    { ph: "M", name: "process_name", ...at },
    { ph: "M", name: "thread_name", ...at },
    { ph: "X", cat: "turn", name: "turn 1", ...at, ts: 0, dur: 20_000 },
    { ph: "X", cat: "request", name: "request", ...at, ts: 0, dur: 5000 },
    { ph: "X", cat: "stream", name: "stream", ...at, ts: 5000, dur: 7000 },
    { ph: "X", cat: "results", name: "results", ...at, ts: 12_000, dur: 8000 },
    { ph: "X", cat: "call", name: "Read", pid: 0, tid: 1, ts: 10_000, dur: 5500 },
    { ph: "X", cat: "running", name: "running", pid: 0, tid: 1, ts: 10_000, dur: 5500 },
  ]);
  expect(slicesOf(events)[4]?.args).toMatchObject({ tool: "Read", outcome: "succeeded" });
});

test("slices of one thread are nested or separate, as trace viewers require", () => {
  for (const timeline of [everything(), many(1000)]) {
    const all = slicesOf(traceEvents(timeline).traceEvents);
    const threads = new Set(all.map(({ pid, tid }) => `${pid} ${tid}`));
    for (const thread of threads) {
      const slices = all.filter(({ pid, tid }) => thread === `${pid} ${tid}`);
      const open: number[] = [];
      for (const { ts, dur } of slices.toSorted((one, other) => one.ts - other.ts || other.dur - one.dur)) {
        while (open.length > 0 && (open.at(-1) as number) <= ts) open.pop();
        expect(ts + dur).toBeLessThanOrEqual(open.at(-1) ?? Number.POSITIVE_INFINITY);
        open.push(ts + dur);
      }
    }
  }
});

test("calls share threads: there are only as many as calls were open at a time", () => {
  const calls = slicesOf(traceEvents(many(1000)).traceEvents).filter(({ cat }) => cat === "call");
  expect(calls).toHaveLength(1000);
  expect(new Set(calls.map(({ tid }) => tid)).size).toBeLessThanOrEqual(10);
});
