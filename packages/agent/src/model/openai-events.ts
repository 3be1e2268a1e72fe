/** Turns the wire of OpenAI's two APIs into a model's events. */

import {
  type ArrivingCall,
  type CallRequest,
  type CallSink,
  type ResponseEnding,
  openaiCalls,
} from "@runahead/engine";
import { type Shape, stringOf } from "@runahead/base";
import { ChatReader, choiceOf } from "./chat-reader.ts";
import { ModelError, NO_STOP_REASON, errorOfEvent } from "./error.ts";
import type { ModelEvent } from "./event.ts";
import { idleLimitMs, withIdleLimit } from "./idle.ts";
import { type WireReader, readThrough } from "./reading.ts";
import { ResponsesReader } from "./responses-reader.ts";
import { type SseEvent, objectIn } from "./sse.ts";
import { type Target, UNKNOWN_TARGET } from "./target.ts";
import { readToEnd } from "./transport.ts";

/** Turns the events of the wire into a model's. Exported to play recordings of the wire. */
export async function* openaiEvents(
  events: AsyncIterable<SseEvent>,
  target: Target = UNKNOWN_TARGET,
): AsyncGenerator<ModelEvent, void, undefined> {
  const reader = new EitherReader(target);
  const raw = withIdleLimit(rawChunks(events, reader), { limitMs: idleLimitMs(), counts: () => true });
  yield* readThrough(openaiCalls(raw, reader), reader);
}

/** Each of these events ends the response. */
const LAST = new Set<unknown>(["response.completed", "response.incomplete", "response.failed"]);

async function* rawChunks(
  events: AsyncIterable<SseEvent>,
  reader: EitherReader,
): AsyncGenerator<Shape, void, undefined> {
  const source = events[Symbol.asyncIterator]();
  let hasFinished = false;
  try {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      const data = next.value.data.trim();
      if (data === "") continue;
      if (data === "[DONE]") {
        reader.ended();
        return await readToEnd(source);
      }
      const given = objectIn(data);
      if (isError(next.value, given)) throw errorOfEvent(given["error"] ?? given, reader.target);
      // After the finish reason only the usage counts: a proxy can send the whole response twice (A14).
      const chunk: Shape = hasFinished ? { ...given, choices: [] } : given;
      reader.look(chunk);
      yield chunk;
      hasFinished ||= stringOf(choiceOf(chunk)["finish_reason"]) !== "";
      if (LAST.has(chunk["type"])) return await readToEnd(source);
    }
  } finally {
    void source.return?.()?.catch(() => {});
  }
}

const OF_ANTHROPIC = /^(?:message|content_block)_/;

/** Which of the two APIs it is shows in the first chunk. */
class EitherReader implements CallSink, WireReader<Shape> {
  readonly target: Target;
  #reader: ChatReader | ResponsesReader | undefined;

  constructor(target: Target) {
    this.target = target;
  }

  get ready(): ModelEvent[] {
    return this.#reader?.ready ?? [];
  }

  /** Sees each chunk before its calls are added. */
  look(chunk: Shape): void {
    this.#reader ??= this.#readerFor(chunk);
    this.#reader?.look(chunk);
  }

  /** The server has sent `[DONE]`. */
  ended(): void {
    if (this.#reader instanceof ChatReader) this.#reader.ended();
  }

  add(call: CallRequest): boolean {
    return this.#reader?.add(call) ?? false;
  }

  end(ending?: ResponseEnding): void {
    this.#reader?.end(ending);
  }

  arriving(call: ArrivingCall): void {
    this.#reader?.arriving(call);
  }

  take(chunk: Shape): void {
    this.#reader?.take(chunk);
  }

  finish(): void {
    if (this.#reader === undefined) throw new ModelError("cut", NO_STOP_REASON);
    this.#reader.finish();
  }

  giveRest(): void {
    this.#reader?.giveRest();
  }

  #readerFor(chunk: Shape): ChatReader | ResponsesReader | undefined {
    const type = stringOf(chunk["type"]);
    if (type.startsWith("response.")) return new ResponsesReader(this.target);
    if (chunk["choices"] !== undefined) return new ChatReader(this.target.model);
    if (OF_ANTHROPIC.test(type))
      throw new ModelError(
        "protocol",
        `${this.target.host} answers with events of the Anthropic API. Use a model of anthropic(), or check the address.`,
      );
    return undefined;
  }
}

/** Servers report an error by the name of the event, or by one of three members. */
function isError({ event: name }: SseEvent, chunk: Shape): boolean {
  const { type, object, error, choices } = chunk;
  if (error !== undefined && error !== null) return true;
  return (
    type === "error" ||
    object === "error" ||
    (name === "error" && type === undefined && choices === undefined)
  );
}
