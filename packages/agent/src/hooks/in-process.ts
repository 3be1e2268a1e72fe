/** Hooks that are functions. */

import type { HookAnswer } from "./answer.ts";
import { HOOK_EVENTS, type HookEvent, defaultLimitMs, eventLimitMs } from "./event.ts";
import type { FunctionHandler, OnFailure } from "./handler.ts";
import { createMatcher } from "./matcher.ts";
import {
  type Check,
  type Shape,
  aFunction,
  aPositiveNumber,
  aString,
  checkOptions,
  oneOf,
  required,
} from "@runahead/base";
import type { Notify } from "./words.ts";

type Answered = HookAnswer | undefined | void;

/** A hook that is a function. */
export interface InProcessHook {
  /** The event that it runs for. */
  readonly event: HookEvent;
  /** Which tools or other subjects it runs for, such as `Bash|Write`. Default: all. */
  readonly matcher?: string;
  /** The name in notices and lists. */
  readonly name?: string;
  /** After this time it counts as failed. Default: the limit of the event. */
  readonly timeoutMs?: number;
  /** `block`: if it fails, it counts as having blocked. Default: `proceed`. */
  readonly onFailure?: OnFailure;
  /**
   * Receives what a command would read on stdin, and returns what a command would print. If it throws, it makes no
   * decision.
   */
  run(payload: Shape, signal: AbortSignal): Answered | Promise<Answered>;
}

const HOOK: Readonly<Record<keyof InProcessHook, Check>> = {
  event: required(oneOf(...HOOK_EVENTS)),
  matcher: aString,
  name: aString,
  timeoutMs: aPositiveNumber,
  onFailure: oneOf("proceed", "block"),
  run: required(aFunction),
};

/** Throws for invalid hooks, because they are a bug of the program. */
export function toHandlers(hooks: readonly InProcessHook[], notify: Notify): readonly FunctionHandler[] {
  return hooks.map((hook, at): FunctionHandler => {
    const { event, matcher = "", name = `function ${at + 1}`, timeoutMs, onFailure = "proceed" } = hook;
    checkOptions(hook, HOOK, `createHooks: inProcess[${at}]`);
    return {
      type: "function",
      id: `inProcess[${at}]`,
      event,
      matcher: createMatcher({
        text: matcher,
        inDoubt: event === "PreToolUse",
        notify: (message) => notify(`inProcess[${at}]: ${message}.`),
      }),
      source: "the program",
      limitMs: Math.min(timeoutMs ?? defaultLimitMs(event), eventLimitMs(event)),
      onFailure,
      rule: undefined,
      what: name,
      isAsync: false,
      wakes: false,
      isOnce: false,
      status: "",
      run: (payload, signal) => hook.run(payload, signal),
    };
  });
}
