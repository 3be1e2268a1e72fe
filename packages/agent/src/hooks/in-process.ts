/** Hooks that are functions of the program itself. */

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

const HOOK: Readonly<Record<keyof InProcessHook, Check>> = {
  event: required(oneOf(...HOOK_EVENTS)),
  matcher: aString,
  name: aString,
  timeoutMs: aPositiveNumber,
  onFailure: oneOf("proceed", "block"),
  run: required(aFunction),
};

/** Wrong use is a bug of the program, so it throws. */
export function toHandlers(hooks: readonly InProcessHook[], tell: Tell): readonly FunctionHandler[] {
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
