/** The public API of a turn: takes calls and returns updates. The runtime does the work. */

import { type Call, type CallRequest, hasStarted } from "../core/call.ts";
import type { JournalEvent } from "../core/event.ts";
import { onAbort } from "./cancellation.ts";
import { takeIn } from "./intake.ts";
import { type ExecutorOptions, checkOptions, complete } from "./options.ts";
import type { Update } from "./outbox.ts";
import type { ArrivingCall, CallSink, ResponseEnding } from "./ports.ts";
import { Reader } from "./reader.ts";
import { TurnRuntime } from "./runtime.ts";
import { shown } from "./shapes.ts";
import type { SharedContext } from "./tool.ts";
import { Toolbox } from "./toolbox.ts";
import { type ToolResult, toToolResult } from "../core/outcome.ts";
import { hasEnded, unfinished } from "../core/turn.ts";

const INTERRUPTS = {
  stop: "the user stopped the turn",
  message: "the user sent a new message",
} as const;

/** Says what {@link StreamingToolExecutor.discard} did: if a call that writes has started, everything is kept. */
export type Discarded =
  | { readonly discarded: true }
  | {
      readonly discarded: false;
      /** The ids of all calls of the response, which continue. */
      readonly kept: readonly string[];
    };

/** A call of a parked turn whose result was not returned. */
export interface ParkedCall {
  /** The id of the call. */
  readonly callId: string;
  /** Its result, if it has finished: an earlier call has none, so it could not be returned in order. */
  readonly result: ToolResult | undefined;
}

/**
 * Runs the tool calls of one response while it streams.
 *
 * Add each call when it is complete, with a wire adapter such as {@link anthropicCalls} or with {@link add}. It starts
 * as soon as it is safe: calls that do not conflict run in parallel, the others in the model's order. Every call gets
 * exactly one result, and results are returned in the model's order. Create a new executor for each response.
 *
 * **Without `canUseTool` every call is allowed.**
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor, anthropicCalls, defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const read = defineTool({
 *   name: "Read",
 *   description: "Reads a file.",
 *   inputSchema: z.object({ path: z.string() }),
 *   isReadOnly: () => true,
 *   access: ({ path }) => [{ mode: "read", place: `fs:${path}` }],
 *   call: async ({ path }) => `the text of ${path}`,
 * });
 *
 * export async function turn(stream: AsyncIterable<unknown>) {
 *   const executor = new StreamingToolExecutor({ tools: [read] });
 *   for await (const event of anthropicCalls(stream, executor)) console.log(event);
 *   const results = [];
 *   for await (const update of executor.remaining()) if (update.type === "result") results.push(update.result);
 *   return results; // the content of the next user message
 * }
 * ```
 */
export class StreamingToolExecutor<Context extends SharedContext = SharedContext> implements CallSink {
  readonly #runtime: TurnRuntime<Context>;
  readonly #toolbox: Toolbox;
  /** The call that is being added, and those that were added meanwhile. */
  #takingIn: string | undefined;
  readonly #later = new Map<string, CallRequest>();
  /** Passes a call whose input is still arriving to `onEvent`. Undefined if there is no listener. */
  readonly arriving?: (call: ArrivingCall) => void;

  /**
   * @throws TypeError if an option is unknown or of the wrong type, if a tool is wrong, or if two tools have one name.
   * @throws RangeError if `limit` is not a whole number of at least 1.
   */
  constructor(options: ExecutorOptions<Context>) {
    checkOptions(options);
    this.#toolbox = new Toolbox(options.tools, options.validateJsonSchema);
    const { signal } = options;
    let stopListening: (() => void) | undefined;
    this.#runtime = new TurnRuntime(complete(options), this.#toolbox, () => stopListening?.());
    if (options.onEvent !== undefined) {
      this.arriving = ({ id: callId, name: toolName, delta, preview }) =>
        this.#runtime.notifier.tell({ type: "call-arriving", callId, toolName, delta, preview });
    }
    // A run can reuse the signal for many executors, so none keeps listening when it is done.
    stopListening =
      signal && onAbort(signal, () => this.interrupt(signal.reason === "interrupt" ? "message" : "stop"));
  }

  /**
   * Adds a call that is complete on the wire. An unknown tool or an invalid input becomes a failed result.
   *
   * @returns False if the id was added before: the call is not run again.
   * @throws TypeError if the call has no id, no `name`, or an `inputText` that is not text.
   * @throws Error if the response has ended.
   */
  add(request: CallRequest): boolean {
    const { id, name } = request ?? {};
    if (typeof id !== "string" || id === "") throw new TypeError("A call needs an id.");
    // A name that is undefined came from a model, which gets a result.
    if (!("name" in request))
      throw new TypeError(`add("${id}"): a call needs the name of its tool as \`name\`.`);
    if ("inputText" in request && request.inputText !== undefined && typeof request.inputText !== "string")
      throw new TypeError(
        `add("${id}"): inputText must be JSON text, not ${shown(request.inputText)}. Pass a parsed input as \`input\`.`,
      );
    if (hasEnded(this.#runtime.turn) && !this.#runtime.turn.discarded) {
      throw new Error(
        `add("${id}") after end(): this response has ended. Make a new executor for each response.`,
      );
    }
    if (this.#isKnown(id)) {
      this.#runtime.notifier.tell({ type: "call-duplicated", callId: id, toolName: name });
      return false;
    }
    if (this.#takingIn !== undefined || this.#later.size > 0) {
      this.#later.set(id, request);
      return true;
    }
    this.#take(id, request);
    for (const [later, itsRequest] of this.#later) {
      this.#later.delete(later);
      this.#take(later, itsRequest);
    }
    return true;
  }

  #isKnown(id: string): boolean {
    return this.#runtime.hasArrived(id) || id === this.#takingIn || this.#later.has(id);
  }

  /** What a tool declares and `hooks.matches` are foreign code: calls that they add come after this one. */
  #take(id: string, request: CallRequest): void {
    this.#takingIn = id;
    let arrival: JournalEvent;
    try {
      arrival = this.#arrivalOf(id, request);
    } finally {
      this.#takingIn = undefined;
    }
    this.#runtime.dispatch(arrival);
  }

  #arrivalOf(id: string, request: CallRequest): JournalEvent {
    const intake = takeIn(request, this.#toolbox, this.#runtime.context);
    if (intake.taken !== undefined) return this.#runtime.arrivalOf(intake.taken, intake.access);
    return { type: "call-rejected", id, toolName: request.name, outcome: intake.outcome };
  }

  /**
   * Ends the response, normally or with an error. Only the first call of `end` counts. After an error, calls that were
   * held do not start; after the reason `refusal`, no further call starts.
   *
   * @throws TypeError if `ok` is not true or false, or `reason` is not text.
   */
  end(ending: ResponseEnding = { ok: true }): void {
    const { ok, reason = "it was cut off" } = ending ?? {};
    if (typeof ok !== "boolean" || typeof reason !== "string")
      throw new TypeError(`end() takes { ok: true } or { ok: false, reason: "…" }, not ${shown(ending)}.`);
    if (!hasEnded(this.#runtime.turn))
      this.#runtime.dispatch({ type: "response-ended", ok, reason: ok ? "" : reason });
  }

  /** Returns the updates that are available now, without waiting: progress, and the results that are next in order. */
  *completed(): Generator<Update, void, undefined> {
    for (let update = this.#runtime.take(); update !== undefined; update = this.#runtime.take()) yield update;
  }

  /**
   * Returns the remaining updates, until every call has its result. Ends the response normally if it has not ended yet.
   *
   * Leaving the loop early stops nothing: a later `remaining()` continues. While one loop waits, a second one throws.
   */
  remaining(): AsyncIterableIterator<Update> {
    this.end();
    return new Reader(this.#runtime);
  }

  /**
   * Interrupts the turn: `stop` cancels every call; `message` cancels those whose `interruptBehavior` is `cancel` and
   * lets the others finish. Every call still gets its result.
   *
   * @throws TypeError for any other kind.
   */
  interrupt(kind: "stop" | "message"): void {
    if (kind !== "stop" && kind !== "message")
      throw new TypeError(`interrupt takes "stop" or "message", not ${shown(kind)}.`);
    if (!this.#runtime.isDone)
      this.#runtime.dispatch({ type: "turn-interrupted", kind, reason: INTERRUPTS[kind] });
  }

  /**
   * Discards the response because another model takes over, unless a call that writes has started. Running calls are
   * stopped, and no result is delivered.
   *
   * @throws TypeError if it is called with an argument: a single call cannot be discarded.
   */
  discard(...given: readonly never[]): Discarded {
    if (given.length > 0)
      throw new TypeError(
        "discard() discards the whole response and takes no argument. To stop calls, use interrupt().",
      );
    const { turn } = this.#runtime;
    // If the discard is refused, nothing is recorded: a record means that the response was discarded.
    if (turn.writerStarted) return { discarded: false, kept: [...turn.known] };
    this.#runtime.dispatch({ type: "turn-discarded" });
    this.#runtime.outbox.close();
    return { discarded: true };
  }

  /** Requests a new verdict for every call that has not started. Call it when rules or modes have changed. */
  permissionsChanged(): void {
    // A parked turn is judged again when it continues.
    if (!this.#runtime.isDone) this.#runtime.dispatch({ type: "permissions-changed" });
  }

  /** The ids of the running calls. The set does not change later. */
  get inProgress(): ReadonlySet<string> {
    return new Set(this.#running().map(({ id }) => id));
  }

  /** Whether at least one call is running, and all running calls would stop for a new message. */
  get interruptible(): boolean {
    const running = this.#running();
    return running.length > 0 && running.every(({ access }) => access.interrupt === "cancel");
  }

  #running(): Call[] {
    return unfinished(this.#runtime.turn).filter(({ phase }) => hasStarted(phase));
  }

  /**
   * The calls whose results were not returned, if the turn is parked: an answer was deferred, and everything that does
   * not depend on it has finished. Undefined otherwise. To continue, perhaps in another process, add the calls without a
   * result to a new executor with `answers`.
   */
  get parked(): readonly ParkedCall[] | undefined {
    const { turn, isDone, isParked } = this.#runtime;
    if (!isDone || !isParked) return undefined;
    return turn.undelivered.list().map(({ id: callId, phase }) => {
      if (phase.state !== "settled") return { callId, result: undefined };
      return { callId, result: toToolResult(callId, phase.outcome, phase.stillRunning) };
    });
  }

  /** The shared context, with the changes of every call that has settled. */
  get context(): Context {
    return this.#runtime.context;
  }

  /** Why a refusal or a hook ended the turn, if one did. */
  get endedBy(): string | undefined {
    return this.#runtime.endedBy;
  }
}
