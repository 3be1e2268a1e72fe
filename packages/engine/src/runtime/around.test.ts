import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { collectGarbage } from "../../test/support/garbage.ts";
import { type Around, aroundTools } from "./around.ts";
import { StreamingToolExecutor } from "./engine.ts";
import type { ExecutorOptions } from "./options.ts";
import { type AnyTool, type CallContext, type Tool, defineTool } from "./tool.ts";

const SCHEMA = z.object({ n: z.number() });

function counter(more: Partial<Tool<typeof SCHEMA>> = {}) {
  const ran: { n: number; context: CallContext }[] = [];
  const tool = defineTool({
    name: "Count",
    description: "Counts.",
    inputSchema: SCHEMA,
    call: ({ n }, context) => {
      ran.push({ n, context });
      return n + 1;
    },
    ...more,
  });
  return { ran, tool: tool as AnyTool };
}

async function resultsOf(
  tool: AnyTool,
  { around, options, inputs = [{ n: 1 }] }: Setting,
): Promise<readonly [string, unknown, unknown][]> {
  const executor = new StreamingToolExecutor({ tools: aroundTools([tool], around), ...options });
  for (const [at, input] of inputs.entries()) executor.add({ id: `c${at + 1}`, name: tool.name, input });
  executor.end();
  const results: [string, unknown, unknown][] = [];
  for await (const update of executor.remaining())
    if (update.type === "result") results.push([update.outcome.type, update.result.content, update.output]);
  return results;
}

interface Setting {
  readonly around: Around;
  readonly options?: Partial<ExecutorOptions>;
  readonly inputs?: readonly unknown[];
}

test("a middleware sees the validated input and the context, and its value becomes the output", async () => {
  const { tool, ran } = counter();
  const seen: unknown[] = [];
  const around: Around = async ({ tool: used, input, context, isRepeatable }, next) => {
    seen.push([used === tool, input, context.callId, context.idempotencyKey.length > 0, isRepeatable]);
    return `${String(await next())} or more`;
  };
  expect(await resultsOf(tool, { around })).toEqual([["succeeded", "2 or more", "2 or more"]]);
  expect(seen).toEqual([[true, { n: 1 }, "c1", true, false]]);
  expect(ran.map(({ n }) => n)).toEqual([1]);
});

test("a middleware runs inside of validation and permissions", async () => {
  const { tool, ran } = counter();
  const around: Around = (_call, next) => next();
  const options = { canUseTool: () => ({ behavior: "deny", reason: "no" }) as const };
  const results = await resultsOf(tool, { around, options, inputs: [{ n: "x" }, { n: 1 }] });
  expect(results.map(([type]) => type)).toEqual(["failed", "denied"]);
  expect(ran).toEqual([]);
});

test("without a use of next the tool does not run, and the call has its one result", async () => {
  const { tool, ran } = counter();
  expect(await resultsOf(tool, { around: () => "from the cache" })).toEqual([
    ["succeeded", "from the cache", "from the cache"],
  ]);
  expect(ran).toEqual([]);
});

test("what a middleware throws becomes the error of the call, before and after the tool, at once and later", async () => {
  const { tool } = counter();
  const arounds: Around[] = [
    () => {
      throw new Error("closed today");
    },
    async (_call, next) => {
      await next();
      throw new Error("closed today");
    },
  ];
  for (const around of arounds) {
    const [[type, content] = []] = await resultsOf(tool, { around });
    expect([type, content]).toEqual(["failed", expect.stringContaining("closed today")]);
  }
});

test("a call that can write runs once, however often next is used", async () => {
  const { tool, ran } = counter();
  const around: Around = async (_call, next) => {
    await next();
    return next();
  };
  const [[type, content] = []] = await resultsOf(tool, { around });
  expect([type, content]).toEqual(["failed", expect.stringContaining("next() was used twice")]);
  const both: Around = (_call, next) => Promise.allSettled([next(), next()]).then(() => "done");
  expect(await resultsOf(tool, { around: both })).toEqual([["succeeded", "done", "done"]]);
  expect(ran.map(({ n }) => n)).toEqual([1, 1]);
});

test("a call that only reads, or whose tool says that a second run has no second effect, can run again", async () => {
  const twice: Around = async ({ isRepeatable }, next) => {
    await next();
    return isRepeatable ? next() : "once";
  };
  for (const more of [{ isReadOnly: () => true }, { retry: { writes: true } }]) {
    const { tool, ran } = counter(more);
    expect(await resultsOf(tool, { around: twice })).toEqual([["succeeded", "2", 2]]);
    expect(ran).toHaveLength(2);
  }
  const broken = counter({
    isReadOnly: () => {
      throw new Error("no idea");
    },
  });
  expect(await resultsOf(broken.tool, { around: twice })).toEqual([["succeeded", "once", "once"]]);
});

test("a middleware that does not wait for the tool does not let a later call overlap with it", async () => {
  const events: string[] = [];
  let finish = (): void => {};
  const { tool } = counter({
    call: async ({ n }) => {
      events.push(`begin ${n}`);
      if (n === 1) await new Promise<void>((resolve) => (finish = resolve));
      events.push(`end ${n}`);
      return n;
    },
  });
  const around: Around = (_call, next) => {
    void next();
    setImmediate(() => finish());
    return "early";
  };
  await resultsOf(tool, { around, inputs: [{ n: 1 }, { n: 2 }] });
  expect(events).toEqual(["begin 1", "end 1", "begin 2", "end 2"]);
});

test("next runs nothing after the call has ended or was stopped", async () => {
  const { tool, ran } = counter();
  let late: Promise<unknown> = Promise.resolve();
  let kept: (() => Promise<unknown>) | undefined;
  await resultsOf(tool, {
    around: (_call, next) => {
      kept = next;
      return "done";
    },
  });
  late = kept?.() ?? late;
  await expect(late).rejects.toThrow("after the middleware of Count had ended");
  const stop = new AbortController();
  const around: Around = async ({ context }, next) => {
    const stopped = new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    stop.abort();
    await stopped;
    return next();
  };
  const [[type] = []] = await resultsOf(tool, { around, options: { signal: stop.signal } });
  expect([type, ran]).toEqual(["aborted", []]);
});

test("a middleware can add to the context, and changes that are wrong are named", async () => {
  const limit = new AbortController();
  const { tool, ran } = counter();
  const around: Around = ({ context }, next) =>
    next({ context: { ...context.context, cwd: "/tenants/a" }, signal: limit.signal });
  await resultsOf(tool, { around });
  const [run] = ran;
  expect([run?.context.cwd, run?.context.context, run?.context.callId]).toEqual([
    "/tenants/a",
    { cwd: "/tenants/a" },
    "c1",
  ]);
  expect(run?.context.signal.aborted).toBe(false);
  for (const [changes, why] of [
    [{ context: "here" }, '"context" must be'],
    [{ signal: 5 }, '"signal" must be'],
    [{ signl: limit.signal }, 'unknown option "signl". Did you mean "signal"?'],
  ] as const) {
    const wrong: Around = (_call, next) => next(changes as never);
    const [[type, content] = []] = await resultsOf(tool, { around: wrong });
    expect([type, content]).toEqual(["failed", expect.stringContaining(why)]);
  }
});

test("a signal of the middleware and that of the call stop the tool, at once if they are aborted already", async () => {
  const waiting = (isStarted: () => void) =>
    counter({
      call: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          const stop = (): void => reject(new Error(`stopped: ${String(signal.reason)}`));
          if (signal.aborted) stop();
          else signal.addEventListener("abort", stop);
          isStarted();
        }),
    }).tool;
  for (const which of ["middleware", "aborted before", "call"]) {
    const [limit, stop] = [new AbortController(), new AbortController()];
    if (which === "aborted before") limit.abort("late");
    const tool = waiting(() => (which === "call" ? stop.abort("the end") : limit.abort("late")));
    const around: Around = (_call, next) => next({ signal: limit.signal });
    const [[type, content] = []] = await resultsOf(tool, { around, options: { signal: stop.signal } });
    if (which === "call") expect(type).toBe("aborted");
    else expect([type, content]).toEqual(["failed", expect.stringContaining("stopped: late")]);
  }
});

test("a time limit of the middleware stops the tool although garbage was collected in between", async () => {
  const { tool } = counter({
    call: async (_input, { signal }) => {
      const stopped = new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("its time was over"))),
      );
      // On a busy machine, the time is over before the promise is awaited.
      stopped.catch(() => {});
      for (let round = 0; round < 3; round++) {
        await pause(5);
        collectGarbage();
      }
      return stopped;
    },
  });
  const around: Around = (_call, next) => next({ signal: AbortSignal.timeout(200) });
  const [[type, content] = []] = await resultsOf(tool, { around });
  expect([type, content]).toEqual(["failed", expect.stringContaining("its time was over")]);
});

test("the tool runs in the asynchronous context of its middleware", async () => {
  const storage = new AsyncLocalStorage<string>();
  const { tool } = counter({ call: () => storage.getStore() });
  const around: Around = (_call, next) => storage.run("request 7", next);
  expect(await resultsOf(tool, { around })).toEqual([["succeeded", "request 7", "request 7"]]);
});

test("each attempt of a tool with retry passes through the middleware", async () => {
  let attempts = 0;
  const { tool } = counter({
    isReadOnly: () => true,
    retry: { backoffMs: 0 },
    call: () => {
      if (++attempts < 3) throw new Error("busy");
      return "done";
    },
  });
  let seen = 0;
  const around: Around = (_call, next) => {
    seen++;
    return next();
  };
  expect(await resultsOf(tool, { around })).toEqual([["succeeded", "done", "done"]]);
  expect([attempts, seen]).toEqual([3, 3]);
});

test("the last middleware that is applied is outermost, and a tool is wrapped once", async () => {
  const { tool } = counter();
  const named =
    (name: string): Around =>
    async (_call, next) =>
      `${name}(${String(await next())})`;
  const inner = aroundTools([tool], named("inner"));
  expect(await resultsOf(inner[0] as AnyTool, { around: named("outer") })).toEqual([
    ["succeeded", "outer(inner(2))", "outer(inner(2))"],
  ]);
  const around = named("x");
  expect(aroundTools([tool], around)[0]).toBe(aroundTools([tool], around)[0]);
  expect(() => aroundTools([tool], {} as never)).toThrow("must be a function");
});

test("a tool that is an object of a class with private members keeps them", async () => {
  class Private implements Tool<typeof SCHEMA> {
    readonly name = "Count";
    readonly description = "Counts.";
    readonly inputSchema = SCHEMA;
    readonly #step = 10;
    isReadOnly(): boolean {
      return this.#step > 0;
    }
    toResult(output: unknown): string {
      return `${String(output)} in steps of ${this.#step}`;
    }
    call({ n }: { n: number }): number {
      return n + this.#step;
    }
  }
  const results = await resultsOf(new Private(), { around: (_call, next) => next() });
  expect(results).toEqual([["succeeded", "11 in steps of 10", 11]]);
});
