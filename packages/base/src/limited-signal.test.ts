import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { limitedSignal } from "./limited-signal.ts";

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** Nobody keeps the signal: only its listener says that it was aborted. */
function reasonOf(signal: AbortSignal, limitMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const limited = limitedSignal(signal, limitMs);
    limited.addEventListener("abort", (event) => resolve((event.target as AbortSignal).reason));
  });
}

test("a limit ends although garbage was collected in between", async () => {
  const { signal } = new AbortController();
  const reason = reasonOf(signal, 100);
  for (let round = 0; round < 3; round++) {
    await pause(5);
    collectGarbage();
  }
  expect(await reason).toMatchObject({ name: "TimeoutError" });
});

test("the signal before it aborts it with its own reason, also if it was aborted already", async () => {
  const stop = new AbortController();
  const reason = reasonOf(stop.signal, 60_000);
  stop.abort("enough");
  expect(await reason).toBe("enough");
  expect(limitedSignal(stop.signal, 60_000).reason).toBe("enough");
});
