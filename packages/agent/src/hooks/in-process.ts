/** Hooks that are functions of the program itself. */

import type { HookAnswer } from "./answer.ts";
import { type HookEvent, defaultLimitMs, eventLimitMs, isHookEvent } from "./event.ts";
import type { FunctionHandler, OnFailure } from "./handler.ts";
import { createMatcher } from "./matcher.ts";
import type { Shape } from "@runahead/base";
import type { Tell } from "./words.ts";

type Answered = HookAnswer | undefined | void;

export interface InProcessHook {
  readonly event: HookEvent;
  readonly matcher?: string;
  /** For notices and lists. */
  readonly name?: string;
  readonly timeoutMs?: number;
  readonly onFailure?: OnFailure;
  /** Is told what a command would read, and answers what it would print. One that throws gives no decision. */
  run(payload: Shape, signal: AbortSignal): Answered | Promise<Answered>;
}

/** Wrong use is a bug of the program, so it throws. */
export function toHandlers(hooks: readonly InProcessHook[], tell: Tell): readonly FunctionHandler[] {
  return hooks.map((hook, at): FunctionHandler => {
    const { event, matcher = "", name = `function ${at + 1}`, timeoutMs, onFailure = "proceed" } = hook;
    if (!isHookEvent(event))
      throw new TypeError(`inProcess[${at}]: there is no event ${JSON.stringify(event)}.`);
    if (typeof hook.run !== "function") throw new TypeError(`inProcess[${at}]: run must be a function.`);
    if (timeoutMs !== undefined && !(timeoutMs > 0))
      throw new RangeError(`inProcess[${at}]: timeoutMs must be above 0, not ${timeoutMs}.`);
    return {
      type: "function",
      id: `inProcess[${at}]`,
      event,
      matcher: createMatcher({
        text: matcher,
        inDoubt: event === "PreToolUse",
        tell: (message) => tell(`inProcess[${at}]: ${message}.`),
      }),
      source: "the program",
      limitMs: Math.min(timeoutMs ?? defaultLimitMs(event), eventLimitMs(event)),
      onFailure,
      rule: undefined,
      what: name,
      run: (payload, signal) => hook.run(payload, signal),
    };
  });
}
