/**
 * The calls of one response, while an AI SDK reads it. Without the middleware, the SDK does not say how a response ends, only that it is
 * still there (a callback) and that it has ended well (it asks for a call). So a call starts while the response is heard
 * of, or when it is asked for, and at no other time: after a response that broke off nothing starts any more.
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

/** So long the SDK's stream waits for a verdict, since meanwhile the response is known to be there. */
const VERDICT_MS = 100;

/** A call that waits for a response which is gone must not keep the program from ending. */
const clock: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => setTimeout(action, delayMs).unref(),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

export interface ResponsePorts {
  readonly executor: Omit<ExecutorOptions, "tools" | "start" | "signal">;
  readonly toolsFor: (response: EarlyResponse) => readonly AnyTool[];
  /** Something of it runs or waits, or nothing does any more. */
  readonly busy: (response: EarlyResponse, isBusy: boolean) => void;
}

export class EarlyResponse {
  readonly #calls = new Map<string, EarlyCall>();
  readonly #executor: StreamingToolExecutor;
  readonly #ports: ResponsePorts;
  /** How many of the SDK's callbacks are under way. */
  #hearing = 0;
  readonly #gates = new Set<() => void>();
  readonly #judging = new Map<string, () => void>();
  readonly #held = new Map<EarlyCall, EngineEvent>();
  /** How many calls have not settled, and how many have not been asked for. */
  #open = 0;
  #unasked = 0;
  isOver = false;
  /** Its stream, if the middleware reads it. */
  #stream: LiveStream | undefined;

  constructor(ports: ResponsePorts, signal: AbortSignal | undefined) {
    this.#ports = ports;
    this.#executor = new StreamingToolExecutor({
      ...ports.executor,
      clock,
      tools: ports.toolsFor(this),
      // The order in which results are handed out says nothing here, nor how large they are together.
      journal: { record() {} },
      results: { store: () => "nowhere", turnChars: Number.POSITIVE_INFINITY },
      ...(signal === undefined ? {} : { signal }),
      onEvent: (event) => this.#hear(event),
    });
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

  /** The input is whole. Gives what the SDK may wait for: a verdict, if that does not take long. */
  add(name: string, input: unknown, options: AiSdkOptions): Promise<void> | undefined {
    const { toolCallId: id } = options;
    this.#calls.set(id, new EarlyCall(options));
    this.#unasked++;
    if (this.#open++ === 0) this.#ports.busy(this, true);
    this.heard(() => this.#executor.add({ id, name, input }));
    return this.#judging.has(id) ? this.heard(() => this.#verdict(id)) : undefined;
  }

  /** The SDK asks for it, so its response has ended well or goes on. */
  join({ toolCallId, abortSignal }: AiSdkOptions): EarlyCall {
    const call = this.call(toolCallId);
    if (!call.isAsked) this.#unasked--;
    call.isAsked = true;
    call.follow(abortSignal);
    this.heard(() => {});
    this.#checkOver();
    return call;
  }

  /** While this runs the response is known to be there: what waits for that may start. */
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

  /** Undefined where the call may start at once. `isEarly` says whether it may before it is asked for. */
  gate(call: EarlyCall, isEarly: boolean, signal: AbortSignal): Promise<void> | undefined {
    const isThere = (): boolean =>
      this.#hearing > 0 || this.#stream?.state === "open" || this.#stream?.state === "ended";
    const mayStart = (): boolean => call.isAsked || (isEarly && isThere());
    if (mayStart()) return undefined;
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

  /** The tool is about to be run; the listener has not heard of it where it had to wait here. */
  entered(call: EarlyCall): void {
    call.isEntered = true;
    const running = this.#held.get(call);
    this.#held.delete(call);
    if (running !== undefined) this.#ports.executor.onEvent?.({ ...running, at: clock.now() });
  }

  /** It has ended badly: what has not started does not start, what runs is stopped. */
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

  /** For the engine it runs now; for the listener it does when its tool is entered. */
  #isHeld(event: EngineEvent & { readonly callId: string }): boolean {
    const call = this.call(event.callId);
    if (!call.isEntered) this.#held.set(call, event);
    return !call.isEntered;
  }

  #judged(callId: string): void {
    this.#judging.get(callId)?.();
    this.#judging.delete(callId);
  }

  /** A call that waited here to be started was running for the engine; its tool has not been entered. */
  #truthful(event: Extract<EngineEvent, { type: "call-settled" }>): EngineEvent {
    const { outcome, callId } = event;
    if (outcome.type !== "aborted" || this.#calls.get(callId)?.isEntered === true) return event;
    return { ...event, outcome: { ...outcome, effect: "none", ranMs: 0 } };
  }

  /** The SDK need not wait for an output until those before it are there; the words on a failure come in order. */
  #settled({ callId, outcome, output }: Extract<EngineEvent, { type: "call-settled" }>): void {
    if (outcome.type === "succeeded") this.call(callId).settle({ outcome, output, content: "" });
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    for (const update of this.#executor.completed()) {
      if (update.type !== "result") continue;
      const { outcome, output, result } = update;
      const call = this.call(update.callId);
      if (!call.isSettled) call.settle({ outcome, output, content: result.content });
      if (--this.#open === 0) this.#ports.busy(this, false);
    }
    this.#checkOver();
  }

  /** All that it asked for has been handed over: a call that still comes begins a new one. */
  #checkOver(): void {
    if (this.isOver || this.#open > 0 || this.#unasked > 0) return;
    this.isOver = true;
    this.#executor.end();
  }
}
