/** One hook in this process, run: what it throws is its failure, and it is not waited for beyond its time. */

import type { HookEnding } from "./ending.ts";
import type { FunctionHandler } from "./handler.ts";
import { messageOf, type Shape } from "@runahead/base";

interface Starting {
  readonly input: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** It is told a copy, so that it cannot change what others are told, or what runs. */
export function runFunction(
  { run }: FunctionHandler,
  { input, limitMs, signal }: Starting,
): Promise<HookEnding> {
  if (signal.aborted) return Promise.resolve({ type: "cancelled" });
  const stopping = new AbortController();
  return new Promise((resolve) => {
    const settle = (ending: HookEnding): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      resolve(ending);
    };
    const stop = (ending: HookEnding): void => {
      settle(ending);
      stopping.abort(new Error("The hook's answer is no longer waited for."));
    };
    const cancel = (): void => stop({ type: "cancelled" });
    const late = { type: "timed-out", limitMs, stdout: "", stderr: "", isCut: false } as const;
    const timer = setTimeout(() => stop(late), limitMs);
    signal.addEventListener("abort", cancel, { once: true });
    const answer = async (): Promise<unknown> => run(JSON.parse(input) as Shape, stopping.signal);
    answer().then(
      (value) => settle({ type: "returned", value }),
      (error: unknown) => settle({ type: "threw", message: messageOf(error) }),
    );
  });
}
