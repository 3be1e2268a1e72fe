/** What the readers of OpenAI's two APIs have in common: calls, usage, the beginning and the end. */

import type { ArrivingCall, CallRequest, CallSink, ResponseEnding } from "@runahead/engine";
import { type WholeCall, createWholeCalls } from "@runahead/engine/wire";
import { type Shape, isShape, stringOf } from "@runahead/base";
import { arrivingEvent } from "./arriving.ts";
import { ModelError, NO_STOP_REASON } from "./error.ts";
import type { ModelEvent, StopReason, Usage } from "./event.ts";
import { openAiCounts } from "./openai-usage.ts";
import type { WireReader } from "./reading.ts";
import { NO_USAGE } from "./token-usage.ts";
import { laterUsage } from "./usage.ts";

export abstract class OpenAiReader implements CallSink, WireReader<Shape> {
  readonly ready: ModelEvent[] = [];
  protected stop: StopReason | undefined;
  protected hasCalls = false;
  protected searches = 0;
  readonly #calls = createWholeCalls();
  #hasStarted = false;
  #problem: string | undefined;
  #usage: Usage = NO_USAGE;

  /** Sees a chunk before its calls are added. */
  abstract look(chunk: Shape): void;
  protected abstract read(chunk: Shape): void;
  protected abstract called(whole: WholeCall): void;
  /** Something of a call has come. */
  protected abstract callComes(): void;
  /** Makes the remaining blocks ready. */
  protected abstract flush(): void;
  abstract giveRest(): void;

  add(given: CallRequest): boolean {
    const whole = this.#calls.take(given);
    if (whole === undefined) return false;
    this.hasCalls = true;
    this.called(whole);
    return true;
  }

  /** A stream that broke off has no stop reason, which `finish` reports. */
  end({ ok, isMalformed, reason }: ResponseEnding = { ok: true }): void {
    if (ok) this.stop ??= this.hasCalls ? "tool_use" : undefined;
    else if (isMalformed === true) this.#problem = reason;
  }

  arriving({ id, name, delta, preview }: ArrivingCall): void {
    this.callComes();
    this.ready.push(arrivingEvent({ id, name, delta, preview }));
  }

  take(chunk: Shape): void {
    if (this.#problem !== undefined) throw new ModelError("protocol", this.#problem);
    this.read(chunk);
  }

  finish(): void {
    if (this.stop === undefined) throw new ModelError("cut", NO_STOP_REASON);
    this.flush();
    this.ready.push({ type: "stopped", reason: this.stop, detail: "" });
  }

  protected start({ id, model }: Shape): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.ready.push({ type: "message-started", id: stringOf(id), model: stringOf(model) });
  }

  protected say(text: unknown): void {
    if (typeof text === "string" && text !== "") this.ready.push({ type: "text", text });
  }

  protected think(text: unknown): void {
    if (typeof text === "string" && text !== "") this.ready.push({ type: "thinking", text });
  }

  protected count(raw: unknown): void {
    if (!isShape(raw)) return;
    const counts = { ...openAiCounts(raw), server_tool_use: { web_search_requests: this.searches } };
    this.#usage = laterUsage(this.#usage, counts);
    this.ready.push({ type: "usage", usage: this.#usage });
  }
}
