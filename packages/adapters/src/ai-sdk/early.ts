/** Starts tools of the AI SDK when their input is complete, with the engine's order, limits and permissions. */

import { isDeepStrictEqual } from "node:util";
import { type AnyTool, defineTool } from "@runahead/engine";
import { isAsyncIterable, isShape, rejectUnknown, stringOf, wrong } from "@runahead/base";
import { type AiSdkOptions, type EarlyCall, EarlyError } from "./early-call.ts";
import { type EarlyMiddleware, type LiveStream, middlewareOf } from "./early-middleware.ts";
import type { EarlyDeclaration, EarlyInputs, EarlyOptions, EarlyTool } from "./early-options.ts";
import { EarlyResponse } from "./early-response.ts";

export { EarlyError };
export type { EarlyDeclaration, EarlyInputs, EarlyMiddleware, EarlyOptions, EarlyTool };

const OPTIONS = [
  "canUseTool",
  "ask",
  "hooks",
  "context",
  "limit",
  "onEvent",
  "resolvePlace",
  "declare",
  "start",
  "oneRun",
];

const DECLARATIONS = [
  "early",
  "isReadOnly",
  "isConcurrencySafe",
  "access",
  "interruptBehavior",
  "timeoutMs",
  "onError",
  "describe",
];

/** How many calls that the SDK has not asked for yet are remembered by id. */
const MOST_UNASKED = 1_000;

const responsesOf = new WeakMap<object, Responses>();

/**
 * Wraps the tools of an AI SDK program so that each call starts as soon as its input is complete, in the engine's
 * order and under its limits and permissions. Pass the returned tools to `streamText` instead of the originals.
 *
 * @throws TypeError if an option is unknown or has the wrong type, or if `declare` names an unknown tool.
 *
 * @example
 * ```ts
 * import { early } from "@runahead/adapters/ai-sdk";
 * import { tool } from "ai";
 * import { z } from "zod";
 *
 * const read = tool({
 *   description: "Reads a file.",
 *   inputSchema: z.object({ path: z.string() }),
 *   execute: async ({ path }) => `the text of ${path}`,
 * });
 * const tools = early({ read }, { declare: { read: { isReadOnly: () => true } } });
 * // streamText({ model, tools, prompt })
 * ```
 */
export function early<Tools extends Readonly<Record<string, EarlyTool>>>(
  tools: Tools,
  options: EarlyOptions<keyof Tools & string, EarlyInputs<Tools>> = {},
): Tools {
  checkTools(tools);
  const responses = new Responses(tools, options);
  const wrapped = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      typeof tool.execute === "function" ? wrap(name, tool, responses) : tool,
    ]),
  ) as Tools;
  responsesOf.set(wrapped, responses);
  return wrapped;
}

/**
 * Stops the running calls of a response that failed. Call it in `onError` of `streamText`.
 *
 * @param tools - The tools that {@link early} returned.
 * @throws TypeError for any other object.
 *
 * @example
 * ```ts
 * import { early, stopEarly } from "@runahead/adapters/ai-sdk";
 *
 * const tools = early({});
 * const options = { tools, onError: () => stopEarly(tools) }; // for streamText
 * ```
 */
export function stopEarly(tools: object): void {
  const responses = responsesOf.get(tools);
  if (responses === undefined)
    throw new TypeError("stopEarly: the argument must be the tools that early() returned.");
  responses.stop();
}

/**
 * Returns middleware for `wrapLanguageModel` with which the tools hear every part of a response and how it ended. A
 * call that becomes free while text streams then starts at once instead of at the end of the response, nothing starts
 * after a response that broke off, and its running calls are stopped without `stopEarly`.
 *
 * @param tools - The tools that {@link early} returned.
 * @throws TypeError for any other object.
 *
 * @example
 * ```ts
 * import { early, earlyMiddleware } from "@runahead/adapters/ai-sdk";
 *
 * const tools = early({});
 * const middleware = earlyMiddleware(tools);
 * // streamText({ model: wrapLanguageModel({ model, middleware }), tools, prompt })
 * ```
 */
export function earlyMiddleware(tools: object): EarlyMiddleware {
  const responses = responsesOf.get(tools);
  if (responses === undefined) throw new TypeError("earlyMiddleware takes the tools that early() returned.");
  return middlewareOf((callId, stream) => responses.arrives(callId, stream));
}

function checkTools(tools: unknown): void {
  if (!isShape(tools)) throw wrong("early: the tools", "an object such as { read, write }", tools);
  for (const [name, tool] of Object.entries(tools))
    if (!isShape(tool)) throw wrong(`early: tool "${name}"`, "a tool of the AI SDK", tool);
}

/** The SDK's functions without their types. */
interface Members {
  execute(input: unknown, options: object): unknown;
  onInputStart?(options: object): unknown;
  onInputDelta?(options: object): unknown;
  onInputAvailable?(options: object): unknown;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => unknown);
}

function wrap(name: string, tool: EarlyTool, responses: Responses): EarlyTool {
  const members = tool as unknown as Members;
  const { needsApproval } = members;
  const isEarly = responses.mayBeEarly(name);
  const arrived = (input: unknown, options: AiSdkOptions): Promise<void> | undefined =>
    isEarly ? responses.add(name, input, options) : undefined;
  const wrapped = {
    ...tool,
    onInputStart: (options: AiSdkOptions) => responses.heard(options, () => members.onInputStart?.(options)),
    onInputDelta: (options: AiSdkOptions) => responses.heard(options, () => members.onInputDelta?.(options)),
    onInputAvailable: async ({ input, ...options }: AiSdkOptions & { readonly input: unknown }) => {
      await responses.heard(options, () => members.onInputAvailable?.({ input, ...options }));
      // The SDK asks for approvals itself. If `needsApproval` is a function, it is called right after this.
      if (needsApproval === undefined || needsApproval === false) await arrived(input, options);
    },
    execute: (input: unknown, options: AiSdkOptions) => responses.join(name, input, options),
  };
  if (typeof needsApproval !== "function") return wrapped;
  const judged = async (input: unknown, options: AiSdkOptions): Promise<unknown> => {
    const isNeeded = await needsApproval.call(tool, input, options);
    if (isNeeded === false) await arrived(input, options);
    return isNeeded;
  };
  return { ...wrapped, needsApproval: judged };
}

/** The SDK has already validated the input, and its schema may have transformed it. */
const AS_IT_IS = {
  "~standard": { version: 1, vendor: "runahead", validate: (value: unknown) => ({ value }) },
} as const;

interface Unasked {
  readonly name: string;
  readonly input: unknown;
  readonly response: EarlyResponse;
}

/** The responses of one set of tools, by their list of messages: the SDK creates a new list for each response. */
class Responses {
  readonly #tools: Readonly<Record<string, EarlyTool>>;
  readonly #options: EarlyOptions;
  readonly #byMessages = new WeakMap<object, EarlyResponse>();
  readonly #busy = new Set<EarlyResponse>();
  readonly #unasked = new Map<string, Unasked>();
  /** The stream of each call that the middleware has heard of, until the SDK reports its input. */
  readonly #streamOf = new Map<string, LiveStream>();
  #hasWarned = false;
  #latest: EarlyResponse | undefined;

  constructor(tools: Readonly<Record<string, EarlyTool>>, options: EarlyOptions) {
    this.#tools = tools;
    this.#options = options;
    rejectUnknown(options, OPTIONS, "early");
    rejectUnknown(options.declare ?? {}, Object.keys(tools), "early: declare");
    for (const [name, declared] of Object.entries(options.declare ?? {}))
      rejectUnknown(declared ?? {}, DECLARATIONS, `early: declare.${name}`);
    // Reports invalid options now, and not in the middle of a response.
    void this.#newResponse(undefined);
  }

  /** A call arrives in a stream that the middleware reads. Ids can repeat in later responses, so the latest counts. */
  arrives(callId: string, stream: LiveStream): void {
    this.#streamOf.delete(callId);
    this.#streamOf.set(callId, stream);
    dropOldest(this.#streamOf);
  }

  mayBeEarly(name: string): boolean {
    return this.#options.start !== "after" && this.#options.declare?.[name]?.early !== false;
  }

  heard<Value>(options: AiSdkOptions, action: () => Value): Value {
    const response = this.#find(options);
    return response === undefined ? action() : response.heard(action);
  }

  add(name: string, input: unknown, options: AiSdkOptions): Promise<void> | undefined {
    const { toolCallId } = options;
    const response = this.#find(options) ?? this.#begin(options);
    // A repeated id in one response: the SDK gets the output of the first call.
    if (response.has(toolCallId)) return undefined;
    this.#unasked.delete(toolCallId);
    this.#unasked.set(toolCallId, { name, input, response });
    dropOldest(this.#unasked);
    this.#follow(response, toolCallId);
    this.#warn(response);
    return response.add(name, input, options);
  }

  #follow(response: EarlyResponse, callId: string): void {
    const stream = this.#streamOf.get(callId);
    this.#streamOf.delete(callId);
    if (stream !== undefined) response.follow(stream);
  }

  #warn(response: EarlyResponse): void {
    if (this.#hasWarned || response.isEmpty || Object.keys(this.#options.declare ?? {}).length > 0) return;
    this.#hasWarned = true;
    process.emitWarning(
      "early: no tool is declared, so every call is assumed to change anything and calls run one at a time. " +
        "Declare what the tools touch, for example { declare: { read: { isReadOnly: () => true } } }.",
      "RunaheadWarning",
    );
  }

  join(name: string, input: unknown, options: AiSdkOptions): unknown {
    const found = this.#find(options);
    const response =
      found?.has(options.toolCallId) === true
        ? found
        : (this.#findUnasked(name, input, options) ?? this.#addAsked(name, input, options));
    const call = response.join(options);
    if (this.#unasked.get(options.toolCallId)?.response === response)
      this.#unasked.delete(options.toolCallId);
    return isGenerator(this.#tools[name]?.execute) ? call.values() : call.output();
  }

  stop(): void {
    for (const response of this.#busy) response.stop();
  }

  /** A call whose input was never reported as complete: it needed approval, or must not run early. */
  #addAsked(name: string, input: unknown, options: AiSdkOptions): EarlyResponse {
    const response = this.#find(options) ?? this.#begin(options);
    void response.add(name, input, options);
    return response;
  }

  /** A host that creates a new list of messages for each call must not run it twice. */
  #findUnasked(name: string, input: unknown, { toolCallId }: AiSdkOptions): EarlyResponse | undefined {
    const unasked = this.#unasked.get(toolCallId);
    return unasked?.name === name && isDeepStrictEqual(unasked.input, input) ? unasked.response : undefined;
  }

  #find({ messages, toolCallId }: AiSdkOptions): EarlyResponse | undefined {
    const byMessages = isObject(messages) ? this.#byMessages.get(messages) : undefined;
    const response = this.#options.oneRun === true ? this.#latest : byMessages;
    return response?.isOver === true && !response.has(toolCallId) ? undefined : response;
  }

  #begin({ messages, abortSignal }: AiSdkOptions): EarlyResponse {
    const response = this.#newResponse(abortSignal);
    if (isObject(messages)) this.#byMessages.set(messages, response);
    if (this.#options.oneRun === true) this.#latest = response;
    return response;
  }

  #newResponse(signal: AbortSignal | undefined): EarlyResponse {
    const { declare: _declare, oneRun: _oneRun, start = "eager", ...executor } = this.#options;
    if (!["eager", "reads", "after"].includes(start))
      throw new TypeError(`start must be "eager", "reads" or "after", not ${JSON.stringify(start)}.`);
    const toolsFor = (response: EarlyResponse): AnyTool[] =>
      Object.keys(this.#tools).map((name) => this.#toolFor(name, response));
    const busy = (response: EarlyResponse, isBusy: boolean): void =>
      void (isBusy ? this.#busy.add(response) : this.#busy.delete(response));
    return new EarlyResponse({ executor, toolsFor, busy }, signal);
  }

  #toolFor(name: string, response: EarlyResponse): AnyTool {
    const { start, declare = {} } = this.#options;
    const { early: mayBeEarly = true, ...declared } = declare[name] ?? {};
    const isEarly = (input: unknown): boolean => {
      if (start === "after" || !mayBeEarly) return false;
      return start !== "reads" || saysReadOnly(declared, input);
    };
    return defineTool<unknown, unknown>({
      ...declared,
      name,
      description: stringOf(this.#tools[name]?.description),
      inputSchema: AS_IT_IS,
      call: (input, running) => {
        const call = response.call(running.callId);
        const gate = response.gate(call, isEarly(input), running);
        call.follow(running);
        const run = (): unknown => {
          response.entered(call);
          return this.#run(name, input, call);
        };
        return gate === undefined ? run() : gate.then(run);
      },
      toResult: () => "",
    });
  }

  /** Keeps what the tool throws unchanged for the SDK. */
  async #run(name: string, input: unknown, call: EarlyCall): Promise<unknown> {
    const members = this.#tools[name] as unknown as Members;
    try {
      const given = members.execute(input, optionsOf(call));
      if (!isAsyncIterable(given)) return await given;
      let last: unknown;
      for await (last of given) {
        call.gave(last);
        call.signal.throwIfAborted();
      }
      return last;
    } catch (error) {
      call.threw(error);
      throw error;
    }
  }
}

/** Like the SDK's own, with the signal of the call, which costs something only if the tool reads it. */
function optionsOf(call: EarlyCall): object {
  return Object.defineProperty({ ...call.options }, "abortSignal", {
    get: () => call.signal,
    enumerable: true,
    configurable: true,
  });
}

/** Calls that the SDK never asks for are not kept for ever. */
function dropOldest(calls: Map<string, unknown>): void {
  for (const oldest of calls.keys())
    if (calls.size > MOST_UNASKED) calls.delete(oldest);
    else return;
}

function saysReadOnly({ isReadOnly }: EarlyDeclaration, input: unknown): boolean {
  try {
    return isReadOnly?.(input as Record<string, unknown>) === true;
  } catch {
    return false;
  }
}

/** The SDK must know at once whether a tool yields several values. */
function isGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
