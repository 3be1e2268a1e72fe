/** The public face of a turn: calls go in as the model makes them, updates come out. The work is the runtime's. */

import { type Call, type CallRequest, hasStarted } from "../core/call.ts";
import { takeIn } from "./intake.ts";
import { type ExecutorOptions, complete } from "./options.ts";
import type { Update } from "./outbox.ts";
import type { ArrivingCall, CallSink, ResponseEnding } from "./ports.ts";
import { Reader } from "./reader.ts";
import { TurnRuntime } from "./runtime.ts";
import type { SharedContext } from "./tool.ts";
import { Toolbox } from "./toolbox.ts";
import { hasEnded, unfinished } from "../core/turn.ts";

const INTERRUPTS = {
  stop: "the person stopped the turn",
  message: "the person sent a new message",
} as const;

/** What `discard` did: when a call that writes has started, everything is kept. */
export type Discarded =
  | { readonly discarded: true }
  | { readonly discarded: false; readonly kept: readonly string[] };

export class StreamingToolExecutor<Context extends SharedContext = SharedContext> implements CallSink {
  readonly #runtime: TurnRuntime<Context>;
  readonly #toolbox: Toolbox;
  readonly #signal: AbortSignal | undefined;
  /** A call whose input is still coming in is passed on to the listener, if there is one. */
  readonly arriving?: (call: ArrivingCall) => void;

  constructor(options: ExecutorOptions<Context>) {
    this.#toolbox = new Toolbox(options.tools, options.validateJsonSchema);
    this.#signal = options.signal;
    this.#runtime = new TurnRuntime(complete(options), this.#toolbox, () => {
      this.#signal?.removeEventListener("abort", this.#onAbort);
    });
    if (options.onEvent !== undefined) {
      this.arriving = ({ id: callId, name: toolName, delta, preview }) =>
        this.#runtime.notifier.tell({ type: "call-arriving", callId, toolName, delta, preview });
    }
    if (this.#signal?.aborted === true) this.#onAbort();
    else this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** This call is complete on the wire. False when its id was added before: it is not run again. */
  add(request: CallRequest): boolean {
    const { id, name } = request;
    if (typeof id !== "string" || id === "") throw new TypeError("A call needs an id.");
    if (hasEnded(this.#runtime.turn) && !this.#runtime.turn.discarded) {
      throw new Error(`add("${id}") after end(): the response has ended, so no call can be in it any more.`);
    }
    if (this.#runtime.turn.known.has(id)) {
      this.#runtime.notifier.tell({ type: "call-duplicated", callId: id, toolName: name });
      return false;
    }
    const intake = takeIn(request, this.#toolbox, this.#runtime.context);
    if (!intake.taken) {
      this.#runtime.dispatch({ type: "call-rejected", id, toolName: name, outcome: intake.outcome });
      return true;
    }
    this.#runtime.arrive(intake.live, intake.access);
    return true;
  }

  /** The response has ended: well, or badly and why. Only the first ending counts. */
  end({ ok, reason = "it was cut off" }: ResponseEnding = { ok: true }): void {
    if (!hasEnded(this.#runtime.turn))
      this.#runtime.dispatch({ type: "response-ended", ok, reason: ok ? "" : reason });
  }

  /** What there is now, without waiting: progress, and the results that are next in order. */
  *completed(): Generator<Update, void, undefined> {
    for (let update = this.#runtime.take(); update !== undefined; update = this.#runtime.take()) yield update;
  }

  /** Until every call has its result. Before `end`, it means that the response has ended well. */
  remaining(): AsyncIterableIterator<Update> {
    this.end();
    return new Reader(this.#runtime);
  }

  /** `stop` cancels every call; `message` those that a new message may cancel, and lets the others finish. */
  interrupt(kind: "stop" | "message"): void {
    if (INTERRUPTS[kind] === undefined)
      throw new TypeError(`interrupt takes "stop" or "message", not ${kind}.`);
    if (!this.#runtime.isDone)
      this.#runtime.dispatch({ type: "turn-interrupted", kind, reason: INTERRUPTS[kind] });
  }

  /** Another model takes over: forgets the response, unless a call that writes has started. */
  discard(): Discarded {
    const { turn } = this.#runtime;
    // A refusal changes nothing, so it is not recorded: a record of it means that the response was discarded.
    if (turn.writerStarted) return { discarded: false, kept: [...turn.known] };
    this.#runtime.dispatch({ type: "turn-discarded" });
    this.#runtime.outbox.close();
    return { discarded: true };
  }

  /** Rules or modes have changed: every verdict on a call that has not started is reached anew. */
  permissionsChanged(): void {
    this.#runtime.dispatch({ type: "permissions-changed" });
  }

  /** The ids of the calls that run now. The set does not change later. */
  get inProgress(): ReadonlySet<string> {
    return new Set(this.#running().map(({ id }) => id));
  }

  /** Whether something runs, and all of it would stop for a new message. */
  get interruptible(): boolean {
    const running = this.#running();
    return running.length > 0 && running.every(({ access }) => access.interrupt === "cancel");
  }

  #running(): Call[] {
    return unfinished(this.#runtime.turn).filter(({ phase }) => hasStarted(phase));
  }

  /** The shared context, with the changes of every call that has settled. */
  get context(): Context {
    return this.#runtime.context;
  }

  /** Why a refusal or a hook ended the turn, if one did. */
  get endedBy(): string | undefined {
    return this.#runtime.endedBy;
  }

  readonly #onAbort = (): void => {
    this.interrupt(this.#signal?.reason === "interrupt" ? "message" : "stop");
  };
}
