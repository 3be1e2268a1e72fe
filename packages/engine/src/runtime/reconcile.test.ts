import { expect, test } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { JournalEvent } from "../core/event.ts";
import { StreamingToolExecutor } from "./engine.ts";
import type { ExecutorOptions } from "./options.ts";
import { type ReconcileOptions, reconcileTurn } from "./reconcile.ts";
import { recoverTurn } from "./recover.ts";
import { type AnyTool, type Reconciled, defineTool } from "./tool.ts";

const SCOPE = "session/3";

interface Asked {
  readonly key: string;
  readonly input: unknown;
}

/** A tool that never ends, and says what happened to its calls. */
function charging(says: (asked: Asked, signal: AbortSignal) => unknown, keys: string[] = []): AnyTool {
  return defineTool({
    name: "Charge",
    description: "Charges.",
    inputSchema: z.object({ order: z.string(), currency: z.string().default("EUR") }),
    access: () => [],
    call: (_input, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return new Promise<string>(() => {});
    },
    reconcile: (key, input, { signal }) => says({ key, input }, signal) as Reconciled<string>,
  });
}

/** The journal of a turn with one call that was running when the program ended. */
async function crashedTurn(
  tool: AnyTool,
  options: Partial<ExecutorOptions> = {},
): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  const journal = { record: (event: JournalEvent) => void events.push(structuredClone(event)) };
  const executor = new StreamingToolExecutor({ tools: [tool], journal, scope: SCOPE, ...options });
  executor.add({ id: "c1", name: "Charge", input: { order: "7" } });
  await new Promise((resolve) => setImmediate(resolve));
  return events;
}

async function reconciled(tool: AnyTool, options: Partial<ReconcileOptions> = {}, made = { scope: SCOPE }) {
  const fates = recoverTurn(await crashedTurn(tool), made);
  const [fate] = await reconcileTurn(fates, {
    tools: [tool],
    inputOf: () => ({ order: "7" }),
    ...options,
  });
  return { fate: fate?.fate, content: fate?.result.content };
}

test("a call that had happened is finished with its output, asked by the key that it ran with", async () => {
  const keys: string[] = [];
  const asked: Asked[] = [];
  const tool = charging((question) => {
    asked.push(question);
    return { fate: "finished", output: "receipt 1" };
  }, keys);
  expect(await reconciled(tool)).toEqual({ fate: "finished", content: "receipt 1" });
  expect(keys).toEqual(["session/3/c1"]);
  expect(asked).toEqual([{ key: "session/3/c1", input: { order: "7", currency: "EUR" } }]);
});

test("a call that had not happened is reported as not run", async () => {
  const tool = charging(() => ({ fate: "never-started" }));
  expect(await reconciled(tool)).toEqual({
    fate: "never-started",
    content: "Not run: the program ended before this call started.",
  });
});

const UNKNOWN = { fate: "unknown", content: expect.stringContaining("Outcome unknown") as string };

test.each([
  ["does not know", () => ({ fate: "unknown" }), undefined],
  [
    "throws",
    () => {
      throw new Error("no connection");
    },
    "no connection",
  ],
  ["rejects", () => Promise.reject(new Error("no connection")), "no connection"],
  ["answers with something else", () => ({ fate: "maybe" }), "its fate must be"],
  ["answers with nothing", () => undefined, "it must return an object"],
])("the outcome stays unknown if the tool %s", async (_what, says, why) => {
  const failures: string[] = [];
  const onFailure = (toolName: string, message: string): void =>
    void failures.push(`${toolName}: ${message}`);
  expect(await reconciled(charging(says), { onFailure })).toEqual(UNKNOWN);
  if (why === undefined) expect(failures).toEqual([]);
  else expect(failures[0]).toContain(why);
});

test("a tool that does not answer is not waited for longer than a minute, and its signal is aborted", async () => {
  const clock = new FakeClock();
  let stopped: AbortSignal | undefined;
  const tool = charging((_asked, signal) => {
    stopped = signal;
    return new Promise(() => {});
  });
  const waiting = reconciled(tool, { clock });
  await expect.poll(() => stopped !== undefined).toBe(true);
  clock.advance();
  expect(await waiting).toEqual(UNKNOWN);
  expect(stopped?.aborted).toBe(true);
});

test("an abort ends the question, even if the tool ignores it", async () => {
  const stop = new AbortController();
  const tool = charging(() => {
    stop.abort();
    return new Promise(() => {});
  });
  expect(await reconciled(tool, { signal: stop.signal })).toEqual(UNKNOWN);
});

test("the tool gets the input that the call ran with, if a rule had changed it", async () => {
  const asked: Asked[] = [];
  const tool = charging((question) => {
    asked.push(question);
    return { fate: "never-started" };
  });
  const canUseTool = () => ({ behavior: "allow", input: { order: "8" } }) as const;
  const events = await crashedTurn(tool, { canUseTool });
  await reconcileTurn(recoverTurn(events, { scope: SCOPE }), {
    tools: [tool],
    inputOf: () => ({ order: "7" }),
  });
  expect(asked.map(({ input }) => input)).toEqual([{ order: "8", currency: "EUR" }]);
});

test("without the scope of the turn, a tool is not asked, because the key is not known", async () => {
  const tool = charging(() => ({ fate: "finished", output: "receipt" }));
  expect(await reconciled(tool, {}, {} as { scope: string })).toEqual(UNKNOWN);
});

test("calls that finished or never started are not asked about", async () => {
  const tool = charging(() => ({ fate: "finished", output: "wrong" }));
  const arrived = { claims: [], readOnly: false, interrupt: "block", onError: "isolate" } as const;
  const event = {
    type: "call-arrived",
    id: "c1",
    toolName: "Charge",
    access: arrived,
    hooked: false,
  } as const;
  const fates = recoverTurn([{ ...event, permitted: false }], { scope: SCOPE });
  const [fate] = await reconcileTurn(fates, { tools: [tool], inputOf: () => ({ order: "7" }) });
  expect(fate?.fate).toBe("never-started");
});

test("a result that is too large for the model is shortened, as that of a call is", async () => {
  const tool = charging(() => ({ fate: "finished", output: "x".repeat(100_000) }));
  const { content } = await reconciled(tool);
  expect(String(content).length).toBeLessThan(40_000);
});
