/** A hook that is ready to run, and its description. */

import type { HookEvent } from "./event.ts";
import type { HookAnswer } from "./answer.ts";
import type { Matcher } from "./matcher.ts";
import type { Shape } from "@runahead/base";
import { beginning } from "./words.ts";

/** What happens if a hook fails: `proceed` only reports it, `block` counts as a block. */
export type OnFailure = "proceed" | "block";

/** A permission rule, and the folder that its paths are relative to. */
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
  /** The command, the address, or the name of the function, for messages. */
  readonly what: string;
  /** Started without waiting for it. */
  readonly isAsync: boolean;
  /** Async: a block is passed on to the model, and wakes an agent that waits. */
  readonly wakes: boolean;
  /** Runs only once in a session. */
  readonly isOnce: boolean;
  /** Shown to the user while it runs; can be empty. */
  readonly status: string;
  /** The id of the sub-agent whose events it runs for. Default: all events. */
  readonly agentId?: string;
}

export interface CommandHandler extends Common {
  readonly type: "command";
  readonly program: string;
  readonly args: readonly string[];
  /** Variables of the file that it comes from. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The event is sent to an address. */
export interface HttpHandler extends Common {
  readonly type: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The variables that can be filled into headers. */
  readonly variables: readonly string[];
}

/** A model, or a sub-agent with tools, decides. */
export interface ModelHandler extends Common {
  readonly type: "prompt" | "agent";
  readonly prompt: string;
  readonly model: string | undefined;
}

/** A tool of an MCP server decides. */
export interface McpToolHandler extends Common {
  readonly type: "mcp_tool";
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type ConfiguredHandler = CommandHandler | HttpHandler | ModelHandler | McpToolHandler;

export interface FunctionHandler extends Common {
  readonly type: "function";
  readonly run: (
    payload: Shape,
    signal: AbortSignal,
  ) => HookAnswer | undefined | void | Promise<HookAnswer | undefined | void>;
}

export type Handler = ConfiguredHandler | FunctionHandler;

interface Listed {
  /** A unique id: the source and the position in it. */
  readonly id: string;
  /** The event that it runs for. */
  readonly event: string;
  /** The matcher; empty for everything. */
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
        /** What happens if it fails. */
        readonly onFailure: OnFailure;
        /** Whether it is started without waiting for it. */
        readonly isAsync: boolean;
        /** The permission rule that calls must match; empty for all calls. */
        readonly rule: string;
      }
    | {
        readonly runs: false;
        /** Why it does not run. */
        readonly why: string;
      }
  );

export function listed(handler: Handler): ListedHook {
  const { id, event, matcher, source, what, limitMs: timeoutMs, onFailure, rule, isAsync } = handler;
  const how = { runs: true, timeoutMs, onFailure, isAsync, rule: rule?.text ?? "" } as const;
  return { id, event, matcher: matcher.text, source, what, ...how };
}

const SHOWN_CHARS = 80;

/** Returns the name of a hook for messages. */
export function nameOf({ event, what, source }: Handler): string {
  const short = beginning(what, SHOWN_CHARS);
  return `The ${event} hook ${JSON.stringify(short === what ? what : `${short}…`)} of ${source}`;
}
