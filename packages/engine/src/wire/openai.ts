/** Takes calls off a raw stream of OpenAI's APIs, or of one of the many servers that speak like them. */

import type { CallSink } from "../runtime/ports.ts";
import { Assembly } from "./assemble.ts";
import { ChatReader } from "./openai-chat.ts";
import { ResponsesReader } from "./openai-responses.ts";
import { type Shape, shapeOf, stringOf } from "./shape.ts";
import { checkSource, rejectOther } from "./mistaken.ts";
import { tap } from "./tap.ts";

/**
 * Every chunk comes out unchanged and in order, and calls are added before the chunk that completes them comes
 * out. Whether it is Chat Completions or Responses shows in the first chunk that is of either form.
 */
export function openaiCalls<Chunk>(
  chunks: AsyncIterable<Chunk>,
  sink: CallSink,
): AsyncIterableIterator<Chunk> {
  checkSource(chunks, sink, "openaiCalls");
  const assembly = new Assembly(sink);
  let reader: ChatReader | ResponsesReader | undefined;
  return tap(chunks, assembly, (chunk) => {
    if (assembly.ended) return;
    const shape = shapeOf(chunk);
    reader ??= readerFor(shape, assembly);
    if (reader === undefined) rejectOther(chunk, "openaiCalls");
    else reader.take(shape);
  });
}

function readerFor(shape: Shape, assembly: Assembly): ChatReader | ResponsesReader | undefined {
  const type = stringOf(shape["type"]);
  if (type.startsWith("response.") || type === "error") return new ResponsesReader(assembly);
  const isChat = shape["choices"] !== undefined || shape["error"] !== undefined;
  return isChat ? new ChatReader(assembly) : undefined;
}
