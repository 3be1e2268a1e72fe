/** A streamed response in the format of the Anthropic Messages API, with realistic timing. */

import { setTimeout as pause } from "node:timers/promises";

export type Part = { readonly text: string } | { readonly call: string; readonly input: object };

const CHARS_A_DELTA = 12;
const MS_A_DELTA = 25;

/** The events of a response with these parts. */
export async function* scriptedResponse(parts: readonly Part[]): AsyncGenerator<Record<string, unknown>> {
  yield { type: "message_start", message: { id: "msg_demo", role: "assistant", content: [] } };
  for (const [index, part] of parts.entries()) yield* block(index, part);
  yield { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 300 } };
  yield { type: "message_stop" };
}

async function* block(index: number, part: Part): AsyncGenerator<Record<string, unknown>> {
  const isText = "text" in part;
  const name = isText ? "" : part.call;
  yield {
    type: "content_block_start",
    index,
    content_block: isText
      ? { type: "text", text: "" }
      : { type: "tool_use", id: `toolu_${index}`, name, input: {} },
  };
  const whole = isText ? part.text : JSON.stringify(part.input);
  for (let at = 0; at < whole.length; at += CHARS_A_DELTA) {
    await pause(MS_A_DELTA);
    const piece = whole.slice(at, at + CHARS_A_DELTA);
    const delta = isText
      ? { type: "text_delta", text: piece }
      : { type: "input_json_delta", partial_json: piece };
    yield { type: "content_block_delta", index, delta };
  }
  yield { type: "content_block_stop", index };
}
