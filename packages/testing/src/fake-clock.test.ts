import { defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { createFakeClock, runCalls } from "./index.ts";

test("timers run in the order of time, also those that a timer sets, and cancelled ones do not", () => {
  const clock = createFakeClock();
  const ran: string[] = [];
  clock.after(20, () => ran.push(`b at ${clock.now()}`));
  clock.after(10, () => {
    ran.push(`a at ${clock.now()}`);
    clock.after(5, () => ran.push(`c at ${clock.now()}`));
  });
  clock.cancel(clock.after(1, () => ran.push("never")));
  clock.after(100, () => ran.push("later"));
  clock.advance(50);
  expect([ran, clock.now(), clock.pending]).toEqual([["a at 10", "c at 15", "b at 20"], 50, 1]);
});

test.each([-1, Number.NaN, Infinity, "5 s", undefined])("time cannot move by %o", (ms) => {
  const clock = createFakeClock();
  expect(() => clock.advance(ms as number)).toThrow(
    "advance: the milliseconds must be a number of at least 0",
  );
  expect(clock.now()).toBe(0);
});

test("the time limit of a call passes without waiting", async () => {
  const clock = createFakeClock();
  const wait = defineTool({
    name: "Wait",
    description: "Waits.",
    inputSchema: z.object({}),
    timeoutMs: () => 60_000,
    call: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        queueMicrotask(() => clock.advance(60_000));
      }),
  });
  const [result] = await runCalls([wait], [{ name: "Wait", input: {} }], { clock });
  expect(result).toMatchObject({ isError: true, outcome: { type: "aborted", cause: { kind: "timeout" } } });
});
