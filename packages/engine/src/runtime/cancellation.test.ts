import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { newExecutor, resultsOf, settle, simple } from "../../test/support/tools.ts";
import type { HookCall } from "./ports.ts";
import type { AnyTool } from "./tool.ts";

test.each(["preToolUse", "postToolUse", "postToolUseFailure", "afterHooks", "check"] as const)(
  "the signal of %s is aborted when its time limit is reached, and not that of the call",
  async (what) => {
    const clock = new FakeClock();
    const signals: AbortSignal[] = [];
    const calls: AbortSignal[] = [];
    const never = ({ signal }: { signal: AbortSignal }): Promise<never> => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const run: AnyTool["call"] = (_input, { signal }) => {
      calls.push(signal);
      if (what === "postToolUseFailure") throw new Error("it failed");
      return "ran";
    };
    const tool = simple("T", run, {
      timeoutMs: () => Infinity,
      ...(what === "check" ? { check: (_input, context) => never(context) } : {}),
      ...(what === "afterHooks" ? { afterHooks: (_output, context) => never(context) } : {}),
    });
    const executor = newExecutor([tool], {
      clock,
      canUseTool: () => ({ behavior: what === "check" ? "ask" : "allow" }),
      ask: () => ({ behavior: "allow" }),
      hooks: { postToolUse: () => undefined, ...(what.includes("ToolUse") ? { [what]: never } : {}) },
      onEvent: () => undefined,
    });
    executor.add({ id: "1", name: "T", input: { path: "a" } });
    const reading = resultsOf(executor);
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    while (calls.length === 0 || signals[0]?.aborted === false) {
      clock.advance();
      await settle();
    }
    const [result] = await reading;
    expect(result?.outcome.type).toBe(what === "postToolUseFailure" ? "failed" : "succeeded");
    expect([signals[0]?.aborted, calls[0]?.aborted]).toEqual([true, false]);
    expect(clock.pending).toBe(0);
  },
);

test.each(["preToolUse", "postToolUse"] as const)(
  "the signal of a %s hook is aborted when its call is stopped",
  async (what) => {
    const signals: AbortSignal[] = [];
    const executor = newExecutor([simple("T", () => "ran")], {
      hooks: { [what]: ({ signal }: HookCall) => new Promise(() => void signals.push(signal)) },
    });
    executor.add({ id: "1", name: "T", input: { path: "a" } });
    await settle();
    executor.interrupt("stop");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  },
);
