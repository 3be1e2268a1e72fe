/** Events as servers send them, and what our readers make of them. */

import { expect } from "vitest";
import { compare } from "./compare.ts";
import { type Heard, nextRequest, replay } from "./replay.ts";
import type { Kind } from "./sdk.ts";

export const lines = (events: readonly object[]): string =>
  events
    .map((event) => {
      const { type } = event as { type?: string };
      return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");

export const read = (kind: Kind, text: string): Promise<Heard> =>
  replay(kind, new TextEncoder().encode(text), text.length * 4);

/** Reads the events, and expects no difference from the SDK in any cut. */
export async function agreed(kind: Kind, events: readonly object[], end = ""): Promise<Heard> {
  const text = lines(events) + end;
  expect((await compare(kind, new TextEncoder().encode(text))).differences).toEqual([]);
  return read(kind, text);
}

export const assistant = (kind: Kind, heard: Heard): unknown =>
  (nextRequest(kind, heard)["messages"] as { role: string }[]).find(({ role }) => role === "assistant");

export const items = (heard: Heard): unknown[] =>
  (nextRequest("responses", heard)["input"] as unknown[]).slice(1, -1);

export const DONE = "data: [DONE]\n\n";

export const chunk = (delta: object | undefined, more: object = {}) => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "test",
  choices: [{ index: 0, ...(delta === undefined ? {} : { delta }), finish_reason: null, ...more }],
});

export const finish = (reason: string) => chunk({}, { finish_reason: reason });

export const usage = (counts: object) => ({ ...chunk({}), choices: [], usage: counts });

export const role = chunk({ role: "assistant", content: "" });

export const call = (id: string, name: string, text: string, more: object = {}) => ({
  index: 0,
  id,
  type: "function",
  function: { name, arguments: text },
  ...more,
});

export const item = (type: string, index: number | undefined, given: object) => ({
  type: `response.output_item.${type}`,
  ...(index === undefined ? {} : { output_index: index }),
  item: given,
});

export const created = {
  type: "response.created",
  response: { id: "r", model: "test", output: [], status: "in_progress" },
};

export const completed = (output: readonly object[]) => ({
  type: "response.completed",
  response: {
    id: "r",
    status: "completed",
    output,
    usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 2 },
  },
});

export const message = (id: string, text: string, more: object = {}) => ({
  type: "message",
  id,
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
  ...more,
});

export const begun = (given: object) => ({ ...given, content: [], status: "in_progress" });

export const said = (index: number, delta: string) => ({
  type: "response.output_text.delta",
  output_index: index,
  content_index: 0,
  delta,
});

export const part = (index: number) => ({
  type: "response.content_part.added",
  output_index: index,
  content_index: 0,
  part: { type: "output_text", text: "", annotations: [] },
});

export const start = (more: object = {}) => ({
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "test",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 3, output_tokens: 1 },
    ...more,
  },
});

export const stop = (reason: string) => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

export const block = (index: number, content_block: object, deltas: readonly object[] = []) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
