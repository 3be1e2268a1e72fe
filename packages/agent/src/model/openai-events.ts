/** Turns the wire of OpenAI's two APIs into a model's events. */

import { type ArrivingCall, type CallRequest, type CallSink, type ResponseEnding } from "@runahead/engine";
import { createOpenAiReader } from "@runahead/engine/wire";
import { NO_CHOICE, type Shape, choiceOf, isShape, shapeOf, stringOf } from "@runahead/base";
import { ChatReader } from "./chat-reader.ts";
import { noAnswerWithin } from "./connection-error.ts";
import { ModelError, NO_STOP_REASON, errorOfEvent } from "./error.ts";
import type { ModelEvent } from "./event.ts";
import { withIdleLimit } from "./idle.ts";
import { type EventBatches, type WireReader, readThrough } from "./reading.ts";
import { ResponsesReader } from "./responses-reader.ts";
import { BEGUN, type SseEvent, isEndMark, objectIn, saysNothing } from "./sse.ts";
import { type Target, UNKNOWN_TARGET } from "./target.ts";
import { readToEnd } from "./transport.ts";

/** Turns the events of the wire into a model's. Exported to play recordings of the wire. */
export function openaiEvents(
  events: AsyncIterable<readonly SseEvent[]>,
  target: Target = UNKNOWN_TARGET,
): EventBatches {
  const reader = new EitherReader(target);
  const late = (ms: number): ModelError => noAnswerWithin(ms, target);
  const raw = withIdleLimit(rawBatches(events, reader), { counts: hasContent, late });
  return readThrough(raw, { reader, calls: createOpenAiReader(reader) });
}

/** Events that only keep the connection open. */
const KEEPING_ALIVE = new Set<unknown>(["keepalive", "ping", "heartbeat"]);

function hasContent(batch: readonly Shape[]): boolean {
  return batch.some(({ type }) => !KEEPING_ALIVE.has(type));
}

async function* rawBatches(
  pieces: AsyncIterable<readonly SseEvent[]>,
  reader: EitherReader,
): AsyncGenerator<readonly Shape[], void, undefined> {
  const source = pieces[Symbol.asyncIterator]();
  const parser = new ChunkParser(reader.target);
  try {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      const chunks = parser.take(next.value);
      if (chunks.length > 0 || next.value === BEGUN) yield chunks;
      if (parser.error !== undefined) throw parser.error;
      if (parser.isDone) reader.ended();
      if (parser.isOver) return await readToEnd(source);
    }
  } finally {
    void source.return?.()?.catch(() => {});
  }
}

/** Each of these events ends the response. */
const LAST = new Set<unknown>([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.done",
]);

class ChunkParser {
  readonly #target: Target;
  #hasFinished = false;
  /** The first chunk with a choice. */
  #first: { readonly id: string; readonly data: string } | undefined;
  /** The response is repeated, so only its usage counts. */
  #inCopy = false;
  error: unknown;
  /** The response has ended. */
  isOver = false;
  /** The server has sent `[DONE]`. */
  isDone = false;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Returns the chunks up to the one that ends the response or that is an error. */
  take(piece: readonly SseEvent[]): Shape[] {
    const chunks: Shape[] = [];
    try {
      for (const event of piece) {
        const chunk = this.#chunkOf(event);
        if (chunk !== undefined) chunks.push(chunk);
        if (this.isOver) break;
      }
    } catch (error) {
      this.error = error;
    }
    return chunks;
  }

  #chunkOf(event: SseEvent): Shape | undefined {
    const data = event.data.trim();
    if (isEndMark(data)) this.isDone = this.isOver = true;
    if (this.isDone || saysNothing(event)) return undefined;
    const given = this.#objectIn(data);
    if (given === undefined) return undefined;
    const error = errorIn(event, given);
    if (error !== undefined) throw errorOfEvent(error, this.#target);
    this.#inCopy ||= this.#hasFinished && this.#isFromStart(given, data);
    const chunk: Shape = this.#inCopy ? { ...given, choices: [] } : given;
    const choice = choiceOf(chunk);
    if (this.#first === undefined && choice !== NO_CHOICE) this.#first = { id: stringOf(given["id"]), data };
    // Some servers give a finish reason with every chunk, so this is not the end yet.
    this.#hasFinished ||= stringOf(choice["finish_reason"]) !== "";
    this.isOver = LAST.has(chunk["type"]);
    return chunk;
  }

  /** What some gateways add after the end means nothing. */
  #objectIn(data: string): Shape | undefined {
    try {
      return objectIn(data);
    } catch (error) {
      if (this.#hasFinished) return undefined;
      throw error;
    }
  }

  /** Whether a proxy sends the whole response once more, perhaps as another one (A14). */
  #isFromStart(chunk: Shape, data: string): boolean {
    const { id: first, data: firstData } = this.#first ?? { id: "", data: "" };
    const id = stringOf(chunk["id"]);
    return data === firstData || (id !== "" && first !== "" && id !== first);
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
    this.#reader?.ended();
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
    if (isEventOfResponses(type)) return new ResponsesReader(this.target);
    if (chunk["choices"] !== undefined) return new ChatReader(this.target.model);
    if (OF_ANTHROPIC.test(type))
      throw new ModelError(
        "protocol",
        `${this.target.host} answers with events of the Anthropic API. Use a model of anthropic(), or check the address.`,
      );
    return undefined;
  }
}

/** Returns the error that a chunk reports: by the name of the event, or by one of several members. */
function errorIn({ event: name }: SseEvent, chunk: Shape): unknown {
  const { type, object, error, choices, base_resp: base, x_groq: groq } = chunk;
  const own = [error, shapeOf(groq)["error"], choiceOf(chunk)["error"]].find(saysSomething);
  if (own !== undefined) return own;
  const { status_code: code, status_msg: message } = shapeOf(base);
  if (typeof code === "number" && code !== 0) return { code, message };
  if (type === "error" || object === "error") return chunk;
  if (choices !== undefined || isEventOfResponses(type)) return undefined;
  return name === "error" && type === undefined ? chunk : bareError(chunk);
}

function isEventOfResponses(type: unknown): boolean {
  return stringOf(type).startsWith("response.");
}

const FIRST_ERROR = 400;

/** The body of an error as gateways answer with it, in place of a chunk. */
function bareError(chunk: Shape): unknown {
  const { type, code, status, statusCode, status_code, error_code } = chunk;
  const { message, detail, text, title } = chunk;
  const number = [code, status, statusCode, status_code, error_code].find(
    (each) => Number(each) >= FIRST_ERROR,
  );
  const said = [message, detail, text, title].find((each) => typeof each === "string" && each !== "");
  const isError = number !== undefined || said === detail || /error/i.test(stringOf(type));
  return said !== undefined && isError ? { type, code: number ?? code, message: said } : undefined;
}

/** Some servers send an empty error with every chunk. */
function saysSomething(error: unknown): boolean {
  return isShape(error) ? Object.keys(error).length > 0 : Boolean(error);
}
