/** Adapts hooks to the engine: their answers decide on a call and change its input or result. */

import type {
  FinishedCall,
  HookCall,
  Hooks,
  PostToolUse,
  PreToolUse,
  ResultBlock,
  ResultContent,
} from "@runahead/engine";
import { type Combined, combine, lines } from "./combine.ts";
import type { HookEvent } from "./event.ts";
import { withAbsolutePaths } from "./payload.ts";
import { type KnownTask, taskEvent } from "./task-event.ts";
import { type CalledAgent, toolResponse } from "./tool-response.ts";
import type { Happening } from "./run.ts";
import type { Said } from "./answer.ts";
import { messageOf, type Shape, isShape } from "@runahead/base";
import type { Notify } from "./words.ts";

export interface EngineHookPorts {
  isWanted(event: HookEvent, names: readonly string[]): boolean;
  /** Whether there are hooks of this event at all. */
  has(event: HookEvent): boolean;
  isClosed(): boolean;
  /** Whether somebody can be asked now, so that no call is deferred. */
  readonly asksDeferred: boolean;
  /** What is known about a task. */
  readonly task?: KnownTask | undefined;
  /** The sub-agent that worked for a call. */
  readonly subAgent?: ((callId: string) => CalledAgent | undefined) | undefined;
  payload(event: HookEvent, facts: Shape, cwd: string): Shape;
  run(happening: Happening): Promise<readonly Said[]>;
  readonly notify: Notify;
  /** Context that hooks added before a call, until its result includes it. */
  readonly context: Map<string, readonly string[]>;
}

/** The maximum number of calls whose context is kept. */
const REMEMBERED = 1_000;
/** The limit for hooks of a call that is being stopped; the engine waits 5 s. */
const STOPPED_LIMIT_MS = 3_000;

/** Has only the members for which there are hooks, so that the engine does not wait for nothing. */
export function engineHooks(ports: EngineHookPorts): Hooks {
  const calls = new CallHooks(ports);
  const hasPre = ports.has("PreToolUse") || ports.has("TaskCreated") || ports.has("TaskCompleted");
  const pre: Hooks = {
    matches: ({ tool, input }) => {
      const task = taskEvent(tool.name, input);
      return ports.isWanted("PreToolUse", namesOf(tool)) || (task !== undefined && ports.has(task.event));
    },
    preToolUse: (call) => calls.before(call),
  };
  const post: Hooks = { postToolUse: (call) => calls.after(call) };
  const failure: Hooks = { postToolUseFailure: (call) => calls.afterFailure(call) };
  return {
    ...(hasPre ? pre : {}),
    ...(hasPre || ports.has("PostToolUse") ? post : {}),
    ...(hasPre || ports.has("PostToolUseFailure") ? failure : {}),
  };
}

type Succeeded = FinishedCall & { readonly output: unknown; readonly content: ResultContent };
type Failed = FinishedCall & { readonly error: string };

class CallHooks {
  readonly #ports: EngineHookPorts;

  constructor(ports: EngineHookPorts) {
    this.#ports = ports;
  }

  /** If hooks cannot run at all, there is no verdict, so the call is denied (promise 3). */
  async before(call: HookCall): Promise<PreToolUse | undefined> {
    if (this.#ports.isClosed())
      return { decision: "deny", reason: "The session is closing, so its hooks cannot check the call." };
    try {
      return (await this.#judgeTask(call)) ?? (await this.#judge(call));
    } catch (error) {
      return { decision: "deny", reason: `Its hooks could not run: ${messageOf(error)}` };
    }
  }

  /** Hooks can refuse a new task, and the completion of one. */
  async #judgeTask({ tool, input, context, signal }: HookCall): Promise<PreToolUse | undefined> {
    const task = taskEvent(tool.name, input, this.#ports.task);
    if (task === undefined || !this.#ports.has(task.event)) return undefined;
    const { event } = task;
    const payload = this.#ports.payload(event, task.facts, context.cwd);
    const said = combine(await this.#ports.run({ event, payload, cwd: context.cwd, signal }));
    for (const message of said.messages) this.#ports.notify(`${event} hook: ${message}`);
    if (said.stop !== undefined)
      return { decision: "deny", reason: said.stop || "A hook ended the turn.", endTurn: true };
    if (said.verdict !== "block") return undefined;
    return { decision: "deny", reason: said.reason || "The hook gave no reason." };
  }

  async #judge(call: HookCall): Promise<PreToolUse | undefined> {
    const said = await this.#run("PreToolUse", call, {});
    if (said === undefined) return undefined;
    const { verdict, context, stop, input, changes } = said;
    if (stop !== undefined)
      return { decision: "deny", reason: stop || "A hook ended the turn.", endTurn: true };
    if (verdict === "block")
      return { decision: "deny", reason: lines([said.reason || "The hook gave no reason.", ...context]) };
    if (context.length > 0) this.#remember(call.callId, context);
    if (input !== undefined && changes > 1) this.#reportChanges(call, "input", changes);
    return {
      ...(verdict === "none"
        ? {}
        : { decision: this.#ports.asksDeferred && verdict === "defer" ? "ask" : verdict }),
      ...(said.reason === "" ? {} : { reason: said.reason }),
      ...(input === undefined ? {} : { input }),
    };
  }

  async after(call: Succeeded): Promise<PostToolUse | undefined> {
    const earlier = this.#recall(call.callId);
    const { output, content } = call;
    const said = this.#isWanted("PostToolUse", call)
      ? await this.#run("PostToolUse", call, await this.#responseOf(call, { output, content }))
      : undefined;
    if (said?.output !== undefined && said.changes > 1) this.#reportChanges(call, "output", said.changes);
    const changed = said?.output === undefined ? {} : { content: toContent(said.output.value) };
    return { ...changed, ...additionOf(earlier, said) };
  }

  async #responseOf(call: FinishedCall, made: Pick<Succeeded, "output" | "content">): Promise<Shape> {
    const { tool, input, ranMs, callId } = call;
    const agent = tool.name === "Agent" ? this.#ports.subAgent?.(callId) : undefined;
    const response = await toolResponse({ toolName: tool.name, input, ranMs, agent, ...made });
    return { tool_response: response, ...durationOf(call) };
  }

  async afterFailure(call: Failed): Promise<PostToolUse | undefined> {
    const earlier = this.#recall(call.callId);
    const facts = { error: call.error, is_interrupt: isInterrupt(call.signal), ...durationOf(call) };
    const isWanted = this.#isWanted("PostToolUseFailure", call);
    return additionOf(earlier, isWanted ? await this.#run("PostToolUseFailure", call, facts) : undefined);
  }

  #isWanted(event: HookEvent, { tool }: HookCall): boolean {
    return this.#ports.isWanted(event, namesOf(tool));
  }

  async #run(event: HookEvent, call: HookCall, facts: Shape): Promise<Combined | undefined> {
    const { callId, tool, input, context, signal } = call;
    const toolInput = withAbsolutePaths(tool.name, input, context.cwd);
    const about = { tool_name: tool.name, tool_input: toolInput, tool_use_id: callId, ...facts };
    const payload = this.#ports.payload(event, about, context.cwd);
    // The signal of a call that was already stopped must not stop its hooks at once.
    const limits =
      signal.aborted && event !== "PreToolUse"
        ? { signal: undefined, limitMs: STOPPED_LIMIT_MS }
        : { signal };
    const all = await this.#ports.run({ event, payload, names: namesOf(tool), cwd: context.cwd, ...limits });
    const combined = all.length === 0 ? undefined : combine(all);
    for (const message of combined?.messages ?? []) this.#ports.notify(`${event} hook: ${message}`);
    return combined;
  }

  #remember(callId: string, context: readonly string[]): void {
    const { context: remembered } = this.#ports;
    remembered.set(callId, context);
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  }

  #recall(callId: string): readonly string[] {
    const context = this.#ports.context.get(callId) ?? [];
    this.#ports.context.delete(callId);
    return context;
  }

  #reportChanges({ tool }: HookCall, what: string, changes: number): void {
    this.#ports.notify(
      `${changes} hooks changed the ${what} of a ${tool.name} call. The last change is used.`,
    );
  }
}

function namesOf({ name, aliases = [] }: HookCall["tool"]): readonly string[] {
  return [name, ...aliases];
}

function additionOf(earlier: readonly string[], said: Combined | undefined): PostToolUse {
  const context = [...earlier, ...(said?.context ?? [])].map((text) => `Added by a hook: ${text}`);
  const objection = said?.verdict === "block" ? [`A hook objects: ${said.reason || "no reason given."}`] : [];
  const addition = lines([...context, ...objection]);
  const stop = said?.stop === undefined ? {} : { endTurn: said.stop || "a hook ended the turn" };
  return { ...(addition === "" ? {} : { addition }), ...stop };
}

/** Returns how long the tool itself ran. */
function durationOf({ ranMs }: FinishedCall): Shape {
  return { duration_ms: Math.round(ranMs) };
}

/** Returns whether the user stopped the call, and not a time limit or another call. */
function isInterrupt({ aborted, reason }: AbortSignal): boolean {
  const cause: unknown = reason instanceof Error ? reason.cause : undefined;
  return aborted && isShape(cause) && cause["kind"] === "user-interrupted";
}

function toContent(value: unknown): ResultContent {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every(isBlock)) return value;
  return JSON.stringify(value);
}

function isBlock(value: unknown): value is ResultBlock {
  if (!isShape(value)) return false;
  const { type, text, source } = value;
  return type === "text"
    ? typeof text === "string"
    : (type === "image" || type === "document") && isShape(source);
}
