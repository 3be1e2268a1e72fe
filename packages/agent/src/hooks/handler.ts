/** One hook, ready to run; and how it is shown to people. */

import type { HookEvent } from "./event.ts";
import type { HookAnswer } from "./answer.ts";
import type { Matcher } from "./matcher.ts";
import type { Shape } from "@runahead/base";
import { beginning } from "./words.ts";

/** What follows when a hook fails: nothing but a notice, or the same as if it had blocked. */
export type OnFailure = "proceed" | "block";

/** One permission rule, and the folder that its `/path` begins at. */
export interface HookRule {
  readonly text: string;
  readonly root: string;
}

interface Common {
  readonly id: string;
  readonly event: HookEvent;
  readonly matcher: Matcher;
  readonly source: string;
  readonly limitMs: number;
  readonly onFailure: OnFailure;
  /** It runs only for calls that this rule matches. */
  readonly rule: HookRule | undefined;
  /** For people: what runs. */
  readonly what: string;
}

export interface CommandHandler extends Common {
  readonly type: "command";
  readonly program: string;
  readonly args: readonly string[];
  /** Started, and not waited for. */
  readonly isAsync: boolean;
}

export interface FunctionHandler extends Common {
  readonly type: "function";
  readonly run: (
    payload: Shape,
    signal: AbortSignal,
  ) => HookAnswer | undefined | void | Promise<HookAnswer | undefined | void>;
}

export type Handler = CommandHandler | FunctionHandler;

interface Listed {
  /** Unique: its source and its place there. */
  readonly id: string;
  /** The event that it runs for. */
  readonly event: string;
  /** What the event must be about; empty for everything. */
  readonly matcher: string;
  /** The settings file, or the program. */
  readonly source: string;
  /** The command, or the name of the function. */
  readonly what: string;
}

/** Describes one hook, as `runahead hooks` shows it. */
export type ListedHook = Listed &
  (
    | {
        /** Whether it runs. */
        readonly runs: true;
        /** Its time limit. */
        readonly timeoutMs: number;
        /** What follows if it fails. */
        readonly onFailure: OnFailure;
        /** Whether it is started and not waited for. */
        readonly isAsync: boolean;
        /** It runs only for calls that this permission rule matches; empty for all. */
        readonly rule: string;
      }
    | {
        readonly runs: false;
        /** Why it does not run. */
        readonly why: string;
      }
  );

export function listed(handler: Handler): ListedHook {
  const { id, event, matcher, source, what, limitMs: timeoutMs, onFailure, rule } = handler;
  const isAsync = handler.type === "command" && handler.isAsync;
  const how = { runs: true, timeoutMs, onFailure, isAsync, rule: rule?.text ?? "" } as const;
  return { id, event, matcher: matcher.text, source, what, ...how };
}

const SHOWN_CHARS = 80;

/** How a notice names it. */
export function nameOf({ event, what, source }: Handler): string {
  const short = beginning(what, SHOWN_CHARS);
  return `The ${event} hook ${JSON.stringify(short === what ? what : `${short}…`)} of ${source}`;
}
