/** The calls of a script: an executor of their own, with the rules, hooks and locks of the turn that the script is part of. */

import {
  type AnyTool,
  type CallContext,
  type EngineEvent,
  type ExecutorOptions,
  type Outcome,
  type ResultContent,
  type SharedContext,
  StreamingToolExecutor,
  describeCall,
} from "@runahead/engine";
import type { NestedArrival } from "@runahead/base";
import type { CallAnswer } from "./sandbox.ts";

/**
 * An event about a call of a script: `call-arrived`, which has its input and its description, or an event of the executor
 * that runs the calls of the script.
 */
export type ScriptEvent = NestedArrival | EngineEvent;

/** What the program or the agent sets for the calls of scripts. */
export type NestedSettings = Partial<
  Pick<
    ExecutorOptions,
    "hooks" | "locks" | "owner" | "limit" | "results" | "validateJsonSchema" | "resolvePlace" | "clock"
  >
> & {
  /** Records the calls of a script. */
  readonly journalOf?: (callId: string) => ExecutorOptions["journal"];
  /** Replaces the tools by those that run, such as ones with a cache around them. */
  readonly wrapTools?: (tools: readonly AnyTool[]) => readonly AnyTool[];
  /** Calls the listener when rules change. Returns the unsubscriber. */
  readonly onPermissionsChanged?: (listener: () => void) => () => void;
  /**
   * Receives the events of the calls. `parentId` is the id of the call that runs the script. `call-arrived` is the first
   * event of each call. Default: the calls are reported as progress of the call that runs the script.
   */
  readonly onEvent?: (event: ScriptEvent, parentId: string) => void;
};

/** One call of a script, for the report. */
export interface ScriptCall {
  readonly tool: string;
  readonly description: string;
  outcome: Outcome | undefined;
  /** It was not run, because the question about it would be answered later. */
  isDeferred: boolean;
}

/** A script filters data before the model reads it, so results can be larger than those for a model. */
const RESULT_CHARS = 2_000_000;
const TURN_CHARS = 20_000_000;
/** All results of a script: they are kept until it ends. */
const MOST_RESULT_CHARS = 64_000_000;
const SHOWN_CHARS = 200;

/** For the user: the tool that asks, and the sub-agent that uses it. */
function asker(name: string, { context: { agent } }: CallContext): string {
  return agent === undefined ? name : `${name} of ${agent.type} (${agent.id})`;
}

type Settled = Extract<EngineEvent, { type: "call-settled" }>;

export class ScriptCalls {
  readonly log: ScriptCall[] = [];
  readonly #executor: StreamingToolExecutor;
  readonly #context: CallContext;
  readonly #byName = new Map<string, AnyTool>();
  readonly #waiting = new Map<string, (settled: Settled) => void>();
  /** The calls whose question would be answered later. */
  readonly #deferred = new Set<string>();
  readonly #unsubscribe: () => void;
  readonly #onEvent: NestedSettings["onEvent"];
  #resultChars = 0;

  constructor(tools: readonly AnyTool[], context: CallContext, { name, settings }: OwnSettings) {
    this.#context = context;
    const { journalOf, onPermissionsChanged, results, wrapTools, onEvent, ...given } = settings;
    this.#onEvent = onEvent;
    const { canUseTool, ask } = context.permissions;
    const journal = journalOf?.(context.callId);
    for (const tool of tools) this.#byName.set(tool.name, tool);
    this.#executor = new StreamingToolExecutor({
      ...given,
      ...(journal === undefined ? {} : { journal }),
      ...(results === undefined
        ? {}
        : { results: { store: results.store.bind(results), turnChars: TURN_CHARS } }),
      tools: (wrapTools?.(tools) ?? tools).map(withLargeResults),
      context: context.context,
      canUseTool,
      ask: async (question) => {
        const answer = await ask({ ...question, from: question.from ?? asker(name, context) });
        if (answer.behavior !== "defer") return answer;
        this.#deferred.add(question.callId);
        return { behavior: "deny", message: deferredText(question.tool.name) };
      },
      // The script cannot be continued in another process.
      canDefer: false,
      scope: context.idempotencyKey,
      signal: context.signal,
      onEvent: (event) => this.#hear(event),
    });
    this.#unsubscribe =
      onPermissionsChanged?.(() => this.#executor.permissionsChanged()) ?? ((): void => undefined);
  }

  /** Makes a call. It starts when nothing before it conflicts with it. */
  call(name: string, json: string): Promise<CallAnswer> {
    if (this.#resultChars > MOST_RESULT_CHARS) return Promise.resolve(TOO_MUCH);
    const tool = this.#byName.get(name);
    const input = parsed(json);
    const entry: ScriptCall = {
      tool: name,
      description: described(tool, name, input),
      outcome: undefined,
      isDeferred: false,
    };
    this.log.push(entry);
    const id = `${this.#context.callId}.${this.log.length}`;
    const { description } = entry;
    this.#report({ type: "call-arrived", callId: id, toolName: name, input, description });
    return new Promise((resolve) => {
      this.#waiting.set(id, ({ outcome, output }) => {
        const answer = answerOf(outcome, tool?.toResult === undefined && typeof output !== "string");
        this.#resultChars += answer.json.length;
        // The report does not show the content.
        entry.outcome = outcome.type === "succeeded" ? { ...outcome, content: "" } : outcome;
        entry.isDeferred = this.#deferred.has(id);
        resolve(answer);
      });
      this.#executor.add({ id, name, inputText: json, message: this.#context.message });
    });
  }

  /** Stops the calls that have not ended. */
  stop(): void {
    this.#executor.interrupt("stop");
  }

  /** Resolves when no call runs any more. */
  async finish(): Promise<void> {
    // Results have been passed on already.
    for await (const _update of this.#executor.remaining());
    this.#unsubscribe();
    this.#changeContext();
  }

  /** What the calls changed in the shared context is a change of the script's call. */
  #changeContext(): void {
    const before: object = this.#context.context;
    const changed = Object.entries(this.#executor.context).filter(
      ([name, value]) => (before as Record<string, unknown>)[name] !== value,
    );
    if (changed.length === 0) return;
    const changes = Object.fromEntries(changed);
    this.#context.change((context: SharedContext) => ({ ...context, ...changes }));
  }

  #hear(event: EngineEvent): void {
    this.#report(event);
    if (event.type === "call-settled") {
      this.#waiting.get(event.callId)?.(event);
      this.#waiting.delete(event.callId);
    }
    if (this.#onEvent === undefined) this.#progress(event);
  }

  /** A listener that throws must not stop the script, as in every executor. */
  #report(event: ScriptEvent): void {
    try {
      this.#onEvent?.(event, this.#context.callId);
    } catch (error) {
      process.emitWarning(`onEvent failed: ${String(error)}`, "RunaheadWarning");
    }
  }

  /** For an executor whose listener does not know calls of scripts. */
  #progress(event: EngineEvent): void {
    if (event.type === "call-changed" && event.state === "running") {
      const at = Number(event.callId.slice(this.#context.callId.length + 1));
      this.#context.progress({ type: "status", message: this.log[at - 1]?.description ?? event.toolName });
    }
    if (event.type === "call-progress") this.#context.progress(event.data);
  }
}

const TOO_MUCH: CallAnswer = {
  ok: false,
  json: `The results of this script's calls have more than ${MOST_RESULT_CHARS} characters, which is the limit.`,
};

interface OwnSettings {
  /** The name of the tool that runs scripts. */
  readonly name: string;
  readonly settings: NestedSettings;
}

/** Keeps the methods of tools that are instances of a class. */
function withLargeResults(tool: AnyTool): AnyTool {
  const maxResultChars = Math.max(RESULT_CHARS, tool.maxResultChars ?? 0);
  return new Proxy(tool, {
    get: (target, name) => {
      if (name === "maxResultChars") return maxResultChars;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
}

/** What to do instead: a call of the response can wait for days, and in another process. */
export function deferredText(tool: string): string {
  return `the question about it was deferred, and a script cannot wait for an answer that comes later. Call ${tool} directly instead of in a script: then its question is kept until somebody answers.`;
}

/** Undefined if it cannot be parsed: the executor says so in its result. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function described(tool: AnyTool | undefined, name: string, input: unknown): string {
  if (tool === undefined) return name;
  try {
    return describeCall(tool, input).slice(0, SHOWN_CHARS);
  } catch {
    return name;
  }
}

/** What the script gets: the text for a model, or the value that it is the JSON of. */
function answerOf(outcome: Outcome, isValue: boolean): CallAnswer {
  switch (outcome.type) {
    case "succeeded":
      return { ok: true, json: valueOf(textOf(outcome.content), isValue) };
    case "failed":
      return { ok: false, json: messageOf(outcome.message) };
    case "denied":
      return { ok: false, json: `Not run: ${outcome.reason === "" ? "it was denied" : outcome.reason}` };
    case "aborted":
      return { ok: false, json: `Stopped (${outcome.cause.kind})` };
  }
}

/** For an error of the script, which has a name and a stack of its own. */
function messageOf(message: string): string {
  return message
    .replaceAll(/^<tool_use_error>|<\/tool_use_error>$/g, "")
    .replace(/^Error: /, "")
    .replaceAll(/\n +at .*/g, "");
}

function valueOf(text: string, isValue: boolean): string {
  if (!isValue) return JSON.stringify(text);
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return JSON.stringify(text);
  }
}

function textOf(content: ResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
