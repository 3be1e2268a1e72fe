/**
 * The calls of one response, while the AI SDK reads it. Without the middleware, the SDK does not notify tools when a
 * response breaks off. Tools only see that it is alive (a callback runs) or that it has ended normally (the SDK asks for
 * a call). So a call starts only during a callback or when the SDK asks for it: after a response that broke off, nothing
 * starts.
 */

import {
  type AnyTool,
  type Clock,
  type EngineEvent,
  type ExecutorOptions,
  StreamingToolExecutor,
} from "@runahead/engine";
import { type AiSdkOptions, EarlyCall } from "./early-call.ts";
import type { LiveStream } from "./early-middleware.ts";

/** How long the SDK's stream waits for a verdict. While it waits, the response is known to be alive. */
const VERDICT_MS = 100;

/** A call that waits for a response that broke off must not keep the process alive. */
const clock: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => setTimeout(action, delayMs).unref(),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

export interface ResponsePorts {
  readonly executor: Omit<ExecutorOptions, "tools" | "start" | "signal">;
  readonly toolsFor: (response: EarlyResponse) => readonly AnyTool[];
  /** Called when the first call starts or waits, and when none does any more. */
  readonly busy: (response: EarlyResponse, isBusy: boolean) => void;
}

export class EarlyResponse {
  readonly #calls = new Map<string, EarlyCall>();
  readonly #executor: StreamingToolExecutor;
  readonly #ports: ResponsePorts;
  /** How many of the SDK's callbacks are running. */
  #hearing = 0;
  readonly #gates = new Set<() => void>();
  readonly #judging = new Map<string, () => void>();
  readonly #held = new Map<EarlyCall, EngineEvent>();
  /** How many calls have not settled, and how many the SDK has not asked for. */
  #open = 0;
  #unasked = 0;
  #isOver = false;
  /** Results that the executor holds, and that nobody waits for. */
  #hasUndelivered = false;
  /** Its stream, if the middleware reads it. */
  #stream: LiveStream | undefined;

  constructor(ports: ResponsePorts, signal: AbortSignal | undefined) {
    this.#ports = ports;
    this.#executor = new StreamingToolExecutor({
      ...ports.executor,
      clock,
      tools: ports.toolsFor(this),
      // The SDK orders the results and limits their size.
      journal: { record() {} },
      results: { store: () => "nowhere", turnChars: Number.POSITIVE_INFINITY },
      ...(signal === undefined ? {} : { signal }),
      onEvent: (event) => this.#hear(event),
    });
  }

  /** Whether the SDK has received all outputs. */
  get isOver(): boolean {
    if (this.#hasUndelivered) this.#deliver();
    return this.#isOver;
  }

  has(callId: string): boolean {
    return this.#calls.has(callId);
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** From now on the stream says whether the response is there, and how it ended. */
  follow(stream: LiveStream): void {
    if (this.#stream === stream) return;
    this.#stream = stream;
    stream.onEnd(() => {
      if (stream.state === "broken") this.stop();
      else this.heard(() => {});
    });
  }

  call(callId: string): EarlyCall {
    return this.#calls.get(callId) as EarlyCall;
  }

  /** Called when the input is complete. Returns what the SDK waits for: the verdict, but only for a short time. */
  add(name: string, input: unknown, options: AiSdkOptions): Promise<void> | undefined {
    const { toolCallId: id } = options;
    this.#calls.set(id, new EarlyCall(options));
    this.#unasked++;
    if (this.#open++ === 0) this.#ports.busy(this, true);
    this.heard(() => this.#executor.add({ id, name, input }));
    return this.#judging.has(id) ? this.heard(() => this.#verdict(id)) : undefined;
  }

  /** Called when the SDK asks for the call: its response has ended normally or still streams. */
  join({ toolCallId, abortSignal }: AiSdkOptions): EarlyCall {
    const call = this.call(toolCallId);
    if (!call.isAsked) this.#unasked--;
    call.isAsked = true;
    call.follow({ signal: abortSignal });
    this.heard(() => {});
    this.#checkOver();
    return call;
  }

  /** While this runs, the response is known to be alive, so waiting calls can start. */
  heard<Value>(action: () => Value): Value {
    this.#hearing++;
    let later: Promise<unknown> | undefined;
    try {
      for (const tryAgain of this.#gates) tryAgain();
      const value = action();
      if (value instanceof Promise) later = value;
      return value;
    } finally {
      const end = (): void => void this.#hearing--;
      if (later === undefined) end();
      else later.then(end, end);
    }
  }

  /** Returns undefined if the call can start at once. `isEarly`: whether it can start before the SDK asks for it. */
  gate(
    call: EarlyCall,
    isEarly: boolean,
    source: { readonly signal: AbortSignal },
  ): Promise<void> | undefined {
    const isThere = (): boolean =>
      this.#hearing > 0 || this.#stream?.state === "open" || this.#stream?.state === "ended";
    const mayStart = (): boolean => call.isAsked || (isEarly && isThere());
    if (mayStart()) return undefined;
    const { signal } = source;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#gates.delete(tryAgain);
        signal.removeEventListener("abort", giveUp);
      };
      const tryAgain = (): void => {
        if (!mayStart()) return;
        leave();
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      this.#gates.add(tryAgain);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Called right before the tool runs. The listener gets the start event now if the call had to wait here. */
  entered(call: EarlyCall): void {
    call.isEntered = true;
    const running = this.#held.get(call);
    this.#held.delete(call);
    if (running !== undefined) this.#ports.executor.onEvent?.({ ...running, at: clock.now() });
  }

  /** Called when the response failed: waiting calls do not start, and running calls are stopped. */
  stop(): void {
    this.#executor.interrupt("stop");
  }

  #verdict(callId: string): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, VERDICT_MS);
      this.#judging.set(callId, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #hear(event: EngineEvent): void {
    const { onEvent } = this.#ports.executor;
    if (event.type === "call-changed" && event.state === "judging") this.#judging.set(event.callId, () => {});
    else if (event.type === "call-changed" || event.type === "call-settled") this.#judged(event.callId);
    if (event.type === "call-settled") this.#settled(event);
    if (event.type === "call-changed" && event.state === "running" && this.#isHeld(event)) return;
    onEvent?.(event.type === "call-settled" ? this.#truthful(event) : event);
  }

  /** The engine counts the call as running now; for the listener it runs when its tool is called. */
  #isHeld(event: EngineEvent & { readonly callId: string }): boolean {
    const call = this.call(event.callId);
    if (!call.isEntered) this.#held.set(call, event);
    return !call.isEntered;
  }

  #judged(callId: string): void {
    this.#judging.get(callId)?.();
    this.#judging.delete(callId);
  }

  /** A call that waited here counted as running for the engine, but its tool was never called. */
  #truthful(event: Extract<EngineEvent, { type: "call-settled" }>): EngineEvent {
    const { outcome, callId } = event;
    if (outcome.type !== "aborted" || this.#calls.get(callId)?.isEntered === true) return event;
    return { ...event, outcome: { ...outcome, effect: "none", ranMs: 0 } };
  }

  /** The SDK does not have to wait for earlier outputs. Only the texts of failures are delivered in order. */
  #settled({ callId, outcome, output }: Extract<EngineEvent, { type: "call-settled" }>): void {
    if (outcome.type !== "succeeded") return queueMicrotask(() => this.#deliver());
    this.call(callId).settle({ outcome, output, content: "" });
    // Later, because the SDK has its output and now prepares the next request.
    if (!this.#hasUndelivered) setImmediate(() => this.#deliver());
    this.#hasUndelivered = true;
  }

  #deliver(): void {
    this.#hasUndelivered = false;
    for (const update of this.#executor.completed()) {
      if (update.type !== "result") continue;
      const { outcome, output, result } = update;
      const call = this.call(update.callId);
      if (!call.isSettled) call.settle({ outcome, output, content: result.content });
      if (--this.#open === 0) this.#ports.busy(this, false);
    }
    this.#checkOver();
  }

  /** Ends the response once the SDK has received all outputs. The next call then begins a new response. */
  #checkOver(): void {
    if (this.#isOver || this.#open > 0 || this.#unasked > 0) return;
    this.#isOver = true;
    this.#executor.end();
  }
}
