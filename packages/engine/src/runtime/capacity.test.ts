import { expect, test } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { StreamingToolExecutor } from "./engine.ts";
import { type LocksOptions, createLocks } from "./locks.ts";
import type { EngineEvent } from "./notice.ts";
import { defineTool } from "./tool.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Executors with limits, and what their calls do: each ends when it is let. */
function working(limits: NonNullable<LocksOptions["limits"]>, executorCount = 1) {
  const clock = new FakeClock();
  const started: string[] = [];
  const times: number[] = [];
  const ends = new Map<string, () => void>();
  const events: EngineEvent[] = [];
  const fetching = defineTool({
    name: "Fetch",
    description: "Fetches.",
    inputSchema: z.object({ place: z.string() }),
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    access: ({ place }) => [{ mode: "read", place }],
    call: (_input, { callId, signal }) => {
      started.push(callId);
      times.push(clock.now());
      return new Promise<string>((resolve, reject) => {
        ends.set(callId, () => resolve("done"));
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      });
    },
  });
  const locks = createLocks({ limits, clock });
  const executors = Array.from(
    { length: executorCount },
    () =>
      new StreamingToolExecutor({
        tools: [fetching],
        locks,
        clock,
        onEvent: (event) => void events.push(event),
      }),
  );
  const add = (id: string, place: string, at = 0): void =>
    void executors[at]?.add({ id, name: "Fetch", input: { place } });
  const end = async (id: string): Promise<void> => {
    ends.get(id)?.();
    await settled();
  };
  return { clock, started, times, events, executors, add, end };
}

const GITHUB = "api:/github/issues";

test("so many calls of a place run at a time, in their order, and others are not delayed", async () => {
  const { add, end, started } = working({ "api:/github": { concurrent: 2 } }, 2);
  add("a", GITHUB);
  add("b", "api:/github");
  add("c", GITHUB);
  add("d", GITHUB, 1);
  add("e", "api:/gitlab", 1);
  expect(started).toEqual(["a", "b", "e"]);
  await end("b");
  await end("a");
  expect(started).toEqual(["a", "b", "e", "c", "d"]);
});

test("so many calls of a place start within a minute, counted from their start, however long they run", async () => {
  const { add, end, clock, started, times } = working({ "api:/github": { perMinute: 2 } });
  for (const id of ["a", "b", "c", "d", "e"]) add(id, GITHUB);
  add("f", "api:/gitlab");
  expect(started).toEqual(["a", "b", "f"]);
  for (const id of ["a", "b", "f"]) await end(id);
  expect(started).toHaveLength(3);
  while (started.length < 6) clock.advance();
  expect(started).toEqual(["a", "b", "f", "c", "d", "e"]);
  expect(times).toEqual([0, 0, 0, 60_000, 60_000, 120_000]);
});

test("a call that is stopped while it waits does not count, and no timer is left", async () => {
  const { add, executors, clock, started } = working({ "api:/github": { perMinute: 1 } }, 2);
  add("a", GITHUB);
  add("b", GITHUB, 1);
  add("c", GITHUB);
  expect(clock.pending).toBe(2);
  executors[1]?.interrupt("stop");
  await settled();
  while (started.length < 2) clock.advance();
  expect(started).toEqual(["a", "c"]);
  expect(clock.now()).toBe(60_000);
  executors[0]?.interrupt("stop");
  await settled();
  expect(clock.pending).toBe(0);
});

test("a listener hears which limit a call waits for", () => {
  const { add, events } = working({ "api:/github": { concurrent: 1 }, "tool:/Fetch": { perMinute: 2 } });
  add("a", GITHUB);
  add("b", GITHUB);
  add("c", "api:/gitlab");
  const waiting = events.flatMap((event) =>
    event.type === "call-changed" && event.limit !== undefined ? [[event.callId, event.limit]] : [],
  );
  expect(waiting).toEqual([
    ["b", "api:/github"],
    ["c", "tool:/Fetch"],
  ]);
});

test("a call that waits for a minute to pass keeps no other room meanwhile", async () => {
  const { add, end, started } = working({ "api:/github": 1, "api:/github/issues": { perMinute: 1 } });
  add("a", GITHUB);
  await end("a");
  add("b", GITHUB);
  add("c", "api:/github/pulls");
  expect(started).toEqual(["a", "c"]);
});

test.each([
  [{ "api:/github": {} }, /needs concurrent or perMinute/],
  [{ "api:/github": { perMinute: 0 } }, /perMinute must be a whole number of at least 1/],
  [{ "api:/github": { concurent: 2 } }, /unknown option "concurent". Did you mean "concurrent"/],
  [{ github: { concurrent: 2 } }, /"github" is not a place/],
])("the limits %j are refused", (limits, message) => {
  expect(() => createLocks({ limits: limits as never })).toThrow(message);
});
