import { expect, test } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { JournalEvent } from "../core/event.ts";
import { StreamingToolExecutor } from "./engine.ts";
import type { EngineEvent } from "./notice.ts";
import type { ExecutorOptions } from "./options.ts";
import type { Update } from "./outbox.ts";
import { type AnyTool, type ToolRetry, defineTool } from "./tool.ts";

interface Setting {
  readonly retry: ToolRetry;
  /** What each attempt does. */
  readonly attempts: readonly (() => unknown)[];
  readonly isReadOnly?: boolean;
  readonly timeoutMs?: number;
  readonly options?: Partial<ExecutorOptions>;
}

const fails =
  (message = "no connection") =>
  (): never => {
    throw new Error(message);
  };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One call in time that moves from timer to timer. */
function calling({ retry, attempts, isReadOnly = true, timeoutMs, options = {} }: Setting) {
  const clock = new FakeClock();
  const times: number[] = [];
  const tool: AnyTool = defineTool({
    name: "Fetch",
    description: "Fetches.",
    inputSchema: z.object({}),
    isReadOnly: () => isReadOnly,
    ...(timeoutMs === undefined ? {} : { timeoutMs: () => timeoutMs }),
    retry: { jitter: 0, ...retry },
    call: () => {
      times.push(clock.now());
      return attempts[times.length - 1]?.();
    },
  });
  const events: EngineEvent[] = [];
  const journal: JournalEvent[] = [];
  const executor = new StreamingToolExecutor({
    tools: [tool],
    clock,
    onEvent: (event) => void events.push(event),
    journal: { record: (event) => void journal.push(event) },
    ...options,
  });
  executor.add({ id: "c1", name: "Fetch", input: {} });
  executor.end();
  const finish = async (): Promise<Update & { type: "result" }> => {
    for (;;) {
      await settled();
      for (const update of executor.completed()) if (update.type === "result") return update;
      clock.advance();
    }
  };
  return { executor, clock, times, events, journal, finish };
}

test("a call that fails is tried again after waits that double, and has one result", async () => {
  const { finish, times } = calling({
    retry: { attempts: 4, backoffMs: 100, maxBackoffMs: 250 },
    attempts: [fails(), () => Promise.reject(new Error("later")), fails(), () => "page"],
  });
  expect((await finish()).result.content).toBe("page");
  expect(times).toEqual([0, 100, 300, 550]);
});

test("the last error is the result when all attempts failed", async () => {
  const { finish, times } = calling({ retry: { attempts: 2 }, attempts: [fails("one"), fails("two")] });
  const { outcome } = await finish();
  expect(outcome).toMatchObject({ type: "failed", fault: "exception" });
  expect(JSON.stringify(outcome)).toContain("two");
  expect(times).toEqual([0, 500]);
});

test("every attempt that failed is in the journal and reported", async () => {
  const { finish, events, journal } = calling({
    retry: { backoffMs: 100 },
    attempts: [fails("one"), fails("two"), () => "page"],
  });
  await finish();
  const facts = [
    { attempt: 1, waitMs: 100, message: "one" },
    { attempt: 2, waitMs: 200, message: "two" },
  ];
  expect(journal.filter(({ type }) => type === "call-retried")).toEqual(
    facts.map((fact) => ({ type: "call-retried", id: "c1", ...fact })),
  );
  const reported = events.flatMap((event) => (event.type === "call-retried" ? [event] : []));
  expect(reported).toMatchObject(facts.map((fact) => ({ callId: "c1", toolName: "Fetch", ...fact })));
});

test("only errors that the tool names are tried again", async () => {
  const on = (error: unknown): boolean => (error as Error).message === "busy";
  const { finish, times } = calling({ retry: { on }, attempts: [fails("busy"), fails("404"), () => "page"] });
  expect((await finish()).outcome.type).toBe("failed");
  expect(times).toHaveLength(2);
});

test.each([
  [false, undefined, 1],
  [false, true, 2],
  [true, undefined, 2],
])("read-only %s and writes %s: the tool is called %i times", async (isReadOnly, writes, count) => {
  const { finish, times } = calling({
    retry: writes === undefined ? {} : { writes },
    isReadOnly,
    attempts: [fails(), () => "done"],
  });
  await finish();
  expect(times).toHaveLength(count);
});

test("a stop ends the wait at once, and the call counts as stopped while it ran", async () => {
  const { executor, finish, times, clock } = calling({
    retry: { backoffMs: 60_000, maxBackoffMs: 60_000 },
    attempts: [fails(), () => "page"],
  });
  await settled();
  executor.interrupt("stop");
  const { outcome } = await finish();
  expect(outcome).toMatchObject({
    type: "aborted",
    effect: "unknown",
    abandoned: false,
    cause: { kind: "user-interrupted" },
  });
  expect([times.length, clock.now(), clock.pending]).toEqual([1, 0, 0]);
});

test("the time limit is that of all attempts together", async () => {
  const { finish, times } = calling({
    retry: { attempts: 100, backoffMs: 400, maxBackoffMs: 400 },
    timeoutMs: 1_000,
    attempts: Array.from({ length: 100 }, () => fails()),
  });
  expect((await finish()).outcome).toMatchObject({ type: "aborted", cause: { kind: "timeout" } });
  expect(times).toEqual([0, 400, 800]);
});

test("hooks see the last attempt only", async () => {
  const seen: string[] = [];
  const { finish } = calling({
    retry: { attempts: 2 },
    attempts: [fails("one"), fails("two")],
    options: { hooks: { postToolUseFailure: ({ error }) => void seen.push(error) } },
  });
  await finish();
  expect(seen).toEqual(["two"]);
});

test("calls that failed together do not come back together, and the waits are the same in every run", async () => {
  const waits = async (scope: string): Promise<number> => {
    const { finish, times } = calling({
      retry: { jitter: 0.5, backoffMs: 1_000 },
      attempts: [fails(), () => "page"],
      options: { scope },
    });
    await finish();
    return times[1] as number;
  };
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => waits(`s/${at}`)));
  expect(new Set(all).size).toBeGreaterThan(15);
  for (const wait of all) {
    expect(wait).toBeGreaterThanOrEqual(500);
    expect(wait).toBeLessThanOrEqual(1_000);
  }
  expect(await waits("s/3")).toBe(all[3]);
});

test.each([
  [{ attempts: 0 }, /attempts must be a whole number/],
  [{ attempt: 3 }, /unknown option "attempt". Did you mean "attempts"/],
  [{ backoffMs: -1 }, /backoffMs must be a number/],
  [{ jitter: 2 }, /jitter must be a number from 0 to 1/],
  [{ on: true }, /on must be a function/],
  [{ writes: "yes" }, /writes must be true or false/],
  [3, /retry must be an object/],
])("the policy %j is refused", (retry, message) => {
  const tool = defineTool({
    name: "Fetch",
    description: "Fetches.",
    inputSchema: z.object({}),
    retry: retry as ToolRetry,
    call: () => "",
  });
  expect(() => new StreamingToolExecutor({ tools: [tool] })).toThrow(message);
});
