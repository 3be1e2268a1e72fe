/** Takes calls off a raw stream of OpenAI's APIs, or of one of the many servers that speak like them. */

import type { CallSink } from "../runtime/ports.ts";
import { Assembly } from "./assemble.ts";
import { ChatReader } from "./openai-chat.ts";
import { ResponsesReader } from "./openai-responses.ts";
import { type Shape, shapeOf, stringOf } from "./shape.ts";
import { checkSource, rejectOther } from "./mistaken.ts";
import { type CallReader, callReader, tap } from "./tap.ts";

/**
 * Takes tool calls off a raw stream of OpenAI's Chat Completions or Responses API and passes the stream on.
 *
 * Every chunk is passed on unchanged and in order. A call is added to the sink before the chunk that completes it is
 * passed on, and the sink's `end` is called once. The first chunk shows which of the two APIs it is.
 *
 * @param chunks - The raw chunks, as `client.chat.completions.create({ stream: true })` or
 * `client.responses.create({ stream: true })` of the SDK yields them.
 * @param sink - The executor of this response.
 * @throws TypeError if `chunks` is not an async iterable, or has the events of another API.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor, openaiCalls, toOpenAi } from "@runahead/engine";
 *
 * export async function turn(stream: AsyncIterable<object>) {
 *   const executor = new StreamingToolExecutor({ tools: [] });
 *   for await (const chunk of openaiCalls(stream, executor)) console.log(chunk);
 *   const results = [];
 *   for await (const update of executor.remaining()) if (update.type === "result") results.push(update.result);
 *   return toOpenAi(results).chat; // messages to append
 * }
 * ```
 */
export function openaiCalls<Chunk>(
  chunks: AsyncIterable<Chunk>,
  sink: CallSink,
): AsyncIterableIterator<Chunk> {
  checkSource(chunks, sink, "openaiCalls");
  const assembly = new Assembly(sink);
  return tap(chunks, assembly, takerFor(assembly));
}

/**
 * Creates a reader that takes tool calls off chunks of OpenAI's APIs, for a loop that reads the stream itself. It does
 * what {@link openaiCalls} does, without a promise for each chunk.
 *
 * @param sink - The executor of this response.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor } from "@runahead/engine";
 * import { createOpenAiReader } from "@runahead/engine/wire";
 *
 * const executor = new StreamingToolExecutor({ tools: [] });
 * const reader = createOpenAiReader(executor);
 * reader.take({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
 * reader.finish();
 * ```
 */
export function createOpenAiReader(sink: CallSink): CallReader {
  const assembly = new Assembly(sink);
  return callReader(assembly, takerFor(assembly));
}

function takerFor(assembly: Assembly): (chunk: unknown) => void {
  let reader: ChatReader | ResponsesReader | undefined;
  return (chunk) => {
    if (assembly.ended) return;
    const shape = shapeOf(chunk);
    reader ??= readerFor(shape, assembly);
    if (reader === undefined) rejectOther(chunk, "openaiCalls");
    else reader.take(shape);
  };
}

function readerFor(shape: Shape, assembly: Assembly): ChatReader | ResponsesReader | undefined {
  const type = stringOf(shape["type"]);
  if (type.startsWith("response.") || type === "error") return new ResponsesReader(assembly);
  const isChat = shape["choices"] !== undefined || shape["error"] !== undefined;
  return isChat ? new ChatReader(assembly) : undefined;
}
