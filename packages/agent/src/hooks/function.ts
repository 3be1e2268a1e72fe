/** Runs a hook that is a function: an exception is a failure, and its time limit applies. */

import type { HookEnding } from "./ending.ts";
import type { FunctionHandler } from "./handler.ts";
import { messageOf, type Shape } from "@runahead/base";

interface Starting {
  readonly input: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** The hook gets a copy, so it cannot change the call or what other hooks get. */
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
      stopping.abort(new Error("The answer of the hook is no longer needed."));
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
