/** The tool loop for programs that use an SDK's client: takes its parameters and yields its events and messages. */

import {
  type AnyTool,
  type CallSink,
  type ExecutorOptions,
  type ResponseEnding,
  StreamingToolExecutor,
  type ToolResult,
} from "@runahead/engine";
import { createWholeCalls } from "@runahead/engine/wire";
import { type EndReason, type Shape, rejectUnknown, shapeOf } from "@runahead/base";
import { anthropicDialect } from "./dialect-anthropic.ts";
import { chatDialect } from "./dialect-chat.ts";
import { responsesDialect } from "./dialect-responses.ts";
import type { Create, Dialect, ResponseReader } from "./dialect.ts";

/** Configures {@link runWith}. */
export interface RunWithOptions
  extends Pick<
    ExecutorOptions,
    | "canUseTool"
    | "ask"
    | "hooks"
    | "context"
    | "limit"
    | "start"
    | "signal"
    | "journal"
    | "results"
    | "onEvent"
    | "validateJsonSchema"
  > {
  /** The maximum number of responses to request. Default: 50. */
  readonly maxTurns?: number;
}

/** Says how a run ended. */
export interface RunWithResult<Messages> {
  /** The whole conversation in the format of the API. Every call has its result. */
  readonly messages: Messages;
  /** `left`: its events were not read to the end. */
  readonly reason: EndReason | "left";
  /** Why the last response ended, in the API's own words. */
  readonly stop: string;
  /** Why the run was stopped, if the reason is `hook_stopped`; `refusal` if the model refused; otherwise empty. */
  readonly detail: string;
  /** How many responses were requested. */
  readonly turns: number;
}

/** Yields the SDK's own events of all turns, and has the conversation at the end. */
export interface Running<Event, Messages> extends AsyncIterable<Event> {
  /** Reads the rest of the events and returns how the run ended. Rejects if a response failed before any call. */
  result(): Promise<RunWithResult<Messages>>;
}

type EventOf<Method extends Create> =
  Extract<Awaited<ReturnType<Method>>, AsyncIterable<unknown>> extends AsyncIterable<infer Event>
    ? Event
    : never;
type ParamsOf<Method extends Create> = Omit<Parameters<Method>[0], "stream">;
type ListOf<Params, Name extends string> = Params extends { readonly [name in Name]?: infer List }
  ? Exclude<List, string | undefined | null>
  : never;

/** Describes a client of the Anthropic SDK, with the members that `runWith` uses. */
export interface AnthropicClient<Method extends Create = Create> {
  /** The Messages API. */
  readonly messages: {
    /** Called with `stream: true`; the response must be an async iterable of events. */
    readonly create: Method;
  };
}
/** Describes a client of the OpenAI SDK for Chat Completions, with the members that `runWith` uses. */
export interface ChatClient<Method extends Create = Create> {
  /** The Chat Completions API. */
  readonly chat: {
    /** Responses to a list of messages. */
    readonly completions: {
      /** Called with `stream: true`; the response must be an async iterable of chunks. */
      readonly create: Method;
    };
  };
}
/** Describes a client of the OpenAI SDK for the Responses API, with the members that `runWith` uses. */
export interface ResponsesClient<Method extends Create = Create> {
  /** The Responses API. */
  readonly responses: {
    /** Called with `stream: true`; the response must be an async iterable of events. */
    readonly create: Method;
  };
}

/**
 * Runs the tool loop with a client of the Anthropic SDK or the OpenAI SDK: requests a response, runs its calls while
 * it streams, sends the results back, and repeats until the model makes no more calls.
 *
 * Takes the SDK's own parameters, without `stream`, and yields its own events. An error in a call is in the result of
 * the call. With an OpenAI client, `messages` in the parameters selects Chat Completions and `input` Responses.
 *
 * @throws TypeError if the client, an option or a tool is invalid.
 * @throws RangeError if `maxTurns` is not a whole number of at least 1.
 *
 * @example
 * ```ts
 * import Anthropic from "@anthropic-ai/sdk";
 * import { runWith } from "@runahead/adapters/sdk";
 * import { defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const weather = defineTool({
 *   name: "Weather",
 *   description: "Returns the weather in a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   isReadOnly: () => true,
 *   call: ({ city }) => `It is sunny in ${city}.`,
 * });
 * const running = runWith(
 *   new Anthropic(),
 *   { model: "claude-sonnet-4-5", max_tokens: 1_000, messages: [{ role: "user", content: "How is Oslo?" }] },
 *   [weather],
 * );
 * for await (const event of running) console.log(event.type);
 * console.log((await running.result()).messages);
 * ```
 */
export function runWith<Method extends Create>(
  client: AnthropicClient<Method>,
  params: ParamsOf<Method>,
  tools: readonly AnyTool[],
  options?: RunWithOptions,
): Running<EventOf<Method>, ListOf<Parameters<Method>[0], "messages">>;
export function runWith<Method extends Create>(
  client: ChatClient<Method>,
  params: ParamsOf<Method> & { readonly messages: unknown },
  tools: readonly AnyTool[],
  options?: RunWithOptions,
): Running<EventOf<Method>, ListOf<Parameters<Method>[0], "messages">>;
export function runWith<Method extends Create>(
  client: ResponsesClient<Method>,
  params: ParamsOf<Method>,
  tools: readonly AnyTool[],
  options?: RunWithOptions,
): Running<EventOf<Method>, ListOf<Parameters<Method>[0], "input">>;
export function runWith(
  client: object,
  params: object,
  tools: readonly AnyTool[],
  options: RunWithOptions = {},
): Running<unknown, unknown> {
  const { maxTurns = 50 } = options;
  rejectUnknown(options, OPTIONS, "runWith");
  if (!Number.isInteger(maxTurns) || maxTurns < 1)
    throw new RangeError(`maxTurns must be a whole number of at least 1, not ${maxTurns}.`);
  const run = new SdkRun(dialectFor(client, { ...params }, tools), tools, options);
  const events = run.events();
  return {
    [Symbol.asyncIterator]: () => events,
    result: async () => {
      for await (const _event of events);
      return run.result;
    },
  };
}

const OPTIONS = [
  "canUseTool",
  "ask",
  "hooks",
  "context",
  "limit",
  "start",
  "signal",
  "journal",
  "results",
  "onEvent",
  "validateJsonSchema",
  "maxTurns",
];

function dialectFor(client: object, params: Shape, tools: readonly AnyTool[]): Dialect {
  const { messages, chat, responses } = shapeOf(client) as Partial<
    AnthropicClient & ChatClient & ResponsesClient
  >;
  if (typeof messages?.create === "function") return anthropicDialect(messages, params, tools);
  if (params["messages"] !== undefined && typeof chat?.completions?.create === "function")
    return chatDialect(chat.completions, params, tools);
  if (typeof responses?.create === "function") return responsesDialect(responses, params, tools);
  throw new TypeError("runWith: the first argument must be a client of the Anthropic SDK or the OpenAI SDK.");
}

/** How the events of a response were read. */
type HowRead = { readonly type: "read" | "left" } | { readonly type: "failed"; readonly error: unknown };

type End = Pick<RunWithResult<unknown>, "reason" | "detail">;

/** The server has stopped before the end of its answer and goes on when it gets it back. */
const PAUSES: ReadonlySet<string> = new Set(["pause_turn", "compaction"]);

const LEFT: End = { reason: "left", detail: "" };

function abortedAfter(calls: number): End {
  return { reason: calls === 0 ? "aborted_streaming" : "aborted_tools", detail: "" };
}

function brokenBy(how: HowRead, { reason = "it was cut off" }: ResponseEnding): unknown {
  return how.type === "failed" ? how.error : new Error(`The response failed: ${reason}.`);
}

function endOf({ ending, executor }: SdkTurn, isDone: boolean): End | undefined {
  if (ending.reason === "refusal") return { reason: "completed", detail: "refusal" };
  if (executor.endedBy !== undefined) return { reason: "hook_stopped", detail: executor.endedBy };
  return isDone ? { reason: "completed", detail: "" } : undefined;
}

class SdkRun {
  readonly #dialect: Dialect;
  readonly #tools: readonly AnyTool[];
  readonly #options: RunWithOptions;
  readonly #history: unknown[];
  #turns = 0;
  #stop = "";
  #end: End | undefined;

  constructor(dialect: Dialect, tools: readonly AnyTool[], options: RunWithOptions) {
    this.#dialect = dialect;
    this.#tools = tools;
    this.#options = options;
    this.#history = [...dialect.begun];
    // Reports invalid options now.
    void this.#newExecutor();
  }

  get result(): RunWithResult<unknown> {
    const { reason, detail } = this.#end ?? LEFT;
    return { messages: this.#history, reason, detail, stop: this.#stop, turns: this.#turns };
  }

  async *events(): AsyncGenerator<unknown, void, undefined> {
    const { maxTurns = 50 } = this.#options;
    while (this.#end === undefined) {
      if (this.#options.signal?.aborted === true) this.#end = abortedAfter(0);
      else if (this.#turns === maxTurns) this.#end = { reason: "max_turns", detail: "" };
      else yield* this.#turn();
    }
  }

  async *#turn(): AsyncGenerator<unknown, void, undefined> {
    const turn = new SdkTurn(this.#newExecutor(), this.#dialect.read());
    let how: HowRead = { type: "left" };
    this.#turns++;
    try {
      const stream = await this.#dialect.send(this.#history, this.#options.signal);
      for await (const event of this.#dialect.tap(stream, turn)) {
        turn.reader.take(shapeOf(event));
        yield event;
      }
      how = { type: "read" };
    } catch (error) {
      how = { type: "failed", error };
    } finally {
      // The caller stopped reading: running calls are stopped, and their results still go into the history.
      if (how.type === "left") turn.executor.interrupt("stop");
      await this.#append(turn, how);
    }
  }

  /** A response that broke off after a complete call is not requested again: calls that ran must be reported. */
  async #append(turn: SdkTurn, how: HowRead): Promise<void> {
    const results = await turn.results();
    const { reader, ending } = turn;
    const isAborted = this.#options.signal?.aborted === true;
    const isBroken = how.type === "failed" || (how.type === "read" && !ending.ok);
    if (isBroken && results.length === 0 && !isAborted && ending.reason !== "refusal")
      throw brokenBy(how, ending);
    this.#history.push(...reader.entries(), ...this.#dialect.resultEntries(results));
    this.#stop = reader.stop;
    const isDone = results.length === 0 && !PAUSES.has(reader.stop);
    this.#end = how.type === "left" ? LEFT : isAborted ? abortedAfter(results.length) : endOf(turn, isDone);
  }

  #newExecutor(): StreamingToolExecutor {
    const { maxTurns: _maxTurns, ...executor } = this.#options;
    return new StreamingToolExecutor({ ...executor, tools: this.#tools });
  }
}

/** One response: its calls go to the executor and, in the format of the API, to the reader. */
class SdkTurn implements CallSink {
  readonly executor: StreamingToolExecutor;
  readonly reader: ResponseReader;
  readonly arriving?: NonNullable<CallSink["arriving"]>;
  readonly #calls = createWholeCalls();
  ending: ResponseEnding = { ok: false, reason: "it was cut off" };

  constructor(executor: StreamingToolExecutor, reader: ResponseReader) {
    this.executor = executor;
    this.reader = reader;
    if (executor.arriving !== undefined) this.arriving = executor.arriving;
  }

  add(given: Parameters<CallSink["add"]>[0]): boolean {
    const whole = this.#calls.take(given);
    this.reader.called(given.id, whole);
    return whole !== undefined && this.executor.add(whole.call);
  }

  end(ending: ResponseEnding = { ok: true }): void {
    this.ending = ending;
    this.executor.end(ending);
  }

  async results(): Promise<ToolResult[]> {
    this.executor.end(this.ending);
    const results: ToolResult[] = [];
    for await (const update of this.executor.remaining())
      if (update.type === "result") results.push(update.result);
    return results;
  }
}
