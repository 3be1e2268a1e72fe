/** Selects the hooks of an event, runs them in parallel, and collects their answers. */

import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { NOTHING_SAID, type Said } from "./answer.ts";
import type { BackgroundRequest } from "./background.ts";
import { type StoreText, boundSaid } from "./bound.ts";
import { type HookEnding, interpret } from "./ending.ts";
import {
  type HookEvent,
  eventLimitMs,
  isAboutCall,
  isToolEvent,
  setsEnvironment,
  subjectsOf,
} from "./event.ts";
import { runFunction } from "./function.ts";
import type { Groups } from "./group.ts";
import { type CommandHandler, type Handler, type HookRule, nameOf } from "./handler.ts";
import { type Stops, runCommand } from "./process.ts";
import { type HookHelpers, runHttp, runMcpTool, runModel } from "./remote.ts";
import { isShape, messageOf, type Shape } from "@runahead/base";
import type { Notify } from "./words.ts";

/** Returns whether a permission rule matches a call. */
export type MatchesRule = (rule: HookRule, toolName: string, input: unknown) => boolean;

export interface RunPorts {
  /** Read at each event, because hooks can be added. */
  readonly handlers: () => readonly Handler[];
  readonly groups: Groups;
  readonly matchesRule: MatchesRule | undefined;
  readonly store: StoreText | undefined;
  readonly projectDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly notify: Notify;
  readonly helpers: HookHelpers;
  /** The file for `CLAUDE_ENV_FILE`. */
  readonly envFile: string | undefined;
  /** Called with the text of a hook that begins to run, and with undefined when no such hook runs any more. */
  readonly onStatus: ((text: string | undefined) => void) | undefined;
  /** Called with sequences for the terminal. */
  readonly onTerminalSequence: ((sequence: string) => void) | undefined;
  /** Called with what an async hook said at its end. */
  readonly onLate: (report: HookReport) => void;
  /** Aborted when all hooks must end. */
  readonly closing: AbortSignal;
}

/** An occurrence of an event. */
export interface Happening {
  readonly event: HookEvent;
  readonly payload: Shape;
  /** What matchers are compared with, if the payload does not have it: the aliases of a tool. */
  readonly names?: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
  /** A limit below that of the event. */
  readonly limitMs?: number;
}

/** The outcome of one hook. */
export interface HookReport {
  /** The hook. */
  readonly handler: Handler;
  /** How it ended. */
  readonly ending: HookEnding;
  /** Its parsed answer. */
  readonly said: Said;
}

const MAX_ASYNC = 32;

export class HookRuns {
  readonly #ports: RunPorts;
  readonly #open = new Set<Promise<unknown>>();
  /** The ids of hooks that run only once and have run. */
  readonly #spent = new Set<string>();
  /** Hooks with a text for the user that run now. */
  #shown = 0;
  #async = 0;

  constructor(ports: RunPorts) {
    this.#ports = ports;
  }

  /** Returns whether the matcher of a hook matches. */
  isWanted(event: HookEvent, names: readonly string[]): boolean {
    return this.#ports
      .handlers()
      .some((handler) => handler.event === event && handler.matcher.matches(names));
  }

  /** Returns the answers in the order of the configs. Never throws. */
  async run(happening: Happening): Promise<readonly Said[]> {
    const { event, payload, names = subjectsOf(event, payload) } = happening;
    const chosen = this.#ports
      .handlers()
      .filter(
        (handler) =>
          handler.event === event &&
          (handler.agentId === undefined || handler.agentId === payload["agent_id"]) &&
          !this.#spent.has(handler.id) &&
          handler.matcher.matches(names) &&
          this.#isMeant(handler, payload),
      );
    if (chosen.length === 0) return [];
    for (const { isOnce, id } of chosen) if (isOnce) this.#spent.add(id);
    const reports = await this.report(withoutTwins(chosen), happening);
    for (const report of reports) this.#passOn(report);
    return reports.map(({ said }) => said);
  }

  /** Runs these hooks, whatever they match. */
  async report(handlers: readonly Handler[], happening: Happening): Promise<readonly HookReport[]> {
    const { event, signal, limitMs = eventLimitMs(event) } = happening;
    const ending = new AbortController();
    setMaxListeners(0, ending.signal);
    const end = (): void => ending.abort();
    const sources = [this.#ports.closing, ...(signal === undefined ? [] : [signal])];
    for (const source of sources) source.addEventListener("abort", end, { once: true });
    if (sources.some((source) => source.aborted)) end();
    const input = serialise(happening.payload);
    const work = Promise.all(
      handlers.map((handler) => this.#one(handler, { ...happening, limitMs, input, signal: ending.signal })),
    );
    this.#open.add(work);
    try {
      return await work;
    } finally {
      this.#open.delete(work);
      for (const source of sources) source.removeEventListener("abort", end);
    }
  }

  /** Resolves when no hook runs any more. Call it after `closing` was aborted. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #one(handler: Handler, starting: Starting): Promise<HookReport> {
    if (handler.isAsync) return this.#startAsync(handler, starting);
    const ending = await this.#shownWhile(handler, this.#endOrLeave(handler, starting));
    if (ending === "in-background") return unheard(handler);
    return { handler, ending, said: await boundSaid(interpret(handler, ending), this.#ports.store) };
  }

  /** Resolves when the hook ends, or when it continues in the background because it asked for that. */
  #endOrLeave(handler: Handler, starting: Starting): Promise<HookEnding | "in-background"> {
    return new Promise((resolve, reject) => {
      let isLeft = false;
      const onBackground = ({ limitMs = handler.limitMs }: BackgroundRequest): Stops | undefined => {
        // A guard is waited for.
        if (this.#async >= MAX_ASYNC || handler.onFailure === "block") return undefined;
        isLeft = true;
        this.#keepUntilLate(handler, work);
        resolve("in-background");
        return { limitMs, signal: this.#ports.closing };
      };
      const work = this.#end(handler, { ...starting, onBackground });
      work.then((ending) => isLeft || resolve(ending), reject);
    });
  }

  async #end(handler: Handler, starting: Starting): Promise<HookEnding> {
    const { input, cwd, signal, event, onBackground } = starting;
    if (input === undefined) return { type: "not-started", message: "its input cannot be written as JSON" };
    const limitMs = Math.min(handler.limitMs, starting.limitMs);
    const { environment, helpers, projectDir, groups, envFile } = this.#ports;
    const start = { input, limitMs, signal, environment };
    switch (handler.type) {
      case "function":
        return runFunction(handler, start);
      case "http":
        return runHttp(handler, start);
      case "prompt":
      case "agent":
        return runModel(handler, start, helpers);
      case "mcp_tool":
        return runMcpTool(handler, start, helpers);
      case "command": {
        const { program, args } = handler;
        const env = {
          ...environment,
          ...handler.env,
          ...effortVariable(starting.payload),
          ...(envFile !== undefined && setsEnvironment(event) ? { CLAUDE_ENV_FILE: envFile } : {}),
        };
        const how = { cwd: existing(cwd, projectDir), env, canLeave: !isToolEvent(event) };
        const asked = onBackground === undefined ? {} : { onBackground };
        return runCommand({ program, args, input, limitMs, signal, ...how, ...asked }, groups);
      }
    }
  }

  async #shownWhile<Ending>(handler: Handler, ending: Promise<Ending>): Promise<Ending> {
    const { onStatus } = this.#ports;
    if (handler.status === "" || onStatus === undefined) return ending;
    this.#shown++;
    onStatus(handler.status);
    return ending.finally(() => {
      if (--this.#shown === 0) onStatus(undefined);
    });
  }

  /** Its answer comes too late to decide anything; a failure, a message and context are passed on. */
  #startAsync(handler: Handler, starting: Starting): HookReport {
    if (this.#async >= MAX_ASYNC) {
      const ending = {
        type: "not-started",
        message: `${MAX_ASYNC} async hooks are already running`,
      } as const;
      return { handler, ending, said: interpret(handler, ending) };
    }
    // It can outlive the event; only `close` ends it early.
    const late = { ...starting, limitMs: Infinity, signal: this.#ports.closing, onBackground: refused };
    this.#keepUntilLate(handler, this.#end(handler, late));
    return unheard(handler);
  }

  #keepUntilLate(handler: Handler, ending: Promise<HookEnding>): void {
    this.#async++;
    const work = ending.then((how) => {
      this.#async--;
      this.#open.delete(work);
      const report = { handler, ending: how, said: interpret(handler, how) };
      this.#passOn(report);
      if (how.type !== "cancelled") this.#ports.onLate(report);
    });
    this.#open.add(work);
  }

  #passOn(report: HookReport): void {
    const { sequence } = report.said;
    if (sequence !== undefined) this.#ports.onTerminalSequence?.(sequence);
    this.#reportFailure(report);
  }

  /** A cancelled hook has not failed. */
  #reportFailure({ handler, ending, said }: HookReport): void {
    if (said.failure === "" || ending.type === "cancelled") return;
    const then = said.verdict === "block" ? "It blocks." : "It made no decision.";
    this.#ports.notify(`${nameOf(handler)} failed: ${said.failure}. ${then}`);
  }

  /** Returns true in doubt, because a guard that runs too often does no harm. */
  #isMeant(handler: Handler, { tool_name: toolName, tool_input: input }: Shape): boolean {
    const { matchesRule, notify } = this.#ports;
    if (handler.rule === undefined || matchesRule === undefined || !isAboutCall(handler.event)) return true;
    try {
      return matchesRule(handler.rule, String(toolName), input);
    } catch (error) {
      notify(`${nameOf(handler)} runs because its rule could not be checked: ${messageOf(error)}`);
      return true;
    }
  }
}

interface Starting extends Happening {
  /** Undefined if the payload cannot be written as JSON. */
  readonly input: string | undefined;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly onBackground?: (request: BackgroundRequest) => Stops | undefined;
}

/** Of a hook that is in the background already: what it prints to get there is left out of its answer. */
function refused(): undefined {}

/** The report of a hook that is not waited for. */
function unheard(handler: Handler): HookReport {
  return { handler, ending: { type: "returned", value: undefined }, said: NOTHING_SAID };
}

/** Runs the same command or address once, with the strictest of its settings. */
function withoutTwins(handlers: readonly Handler[]): readonly Handler[] {
  const byKey = new Map<string, Handler>();
  for (const handler of handlers) {
    const key = keyOf(handler);
    const twin = byKey.get(key);
    byKey.set(
      key,
      twin?.type === "command" && handler.type === "command" ? strictest(twin, handler) : handler,
    );
  }
  return [...byKey.values()];
}

function keyOf(handler: Handler): string {
  if (handler.type === "command") return JSON.stringify([handler.program, handler.args, handler.env]);
  return handler.type === "http" ? JSON.stringify([handler.url, handler.headers]) : handler.id;
}

function strictest(one: CommandHandler, other: CommandHandler): CommandHandler {
  return {
    ...one,
    isAsync: one.isAsync && other.isAsync,
    onFailure: other.onFailure === "block" ? "block" : one.onFailure,
    limitMs: Math.max(one.limitMs, other.limitMs),
  };
}

/** The level is in the input too; a shell script reads the variable more easily. */
function effortVariable({ effort }: Shape): Record<string, string> {
  const level = isShape(effort) ? effort["level"] : undefined;
  return typeof level === "string" ? { CLAUDE_EFFORT: level } : {};
}

function serialise(payload: Shape): string | undefined {
  try {
    return JSON.stringify(payload);
  } catch {
    return undefined;
  }
}

/** A guard must run even if its folder is gone (F14). */
function existing(cwd: string, otherwise: string): string {
  return existsSync(cwd) ? cwd : otherwise;
}
