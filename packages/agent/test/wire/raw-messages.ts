/** A plain walk over the events of the Messages API, for what the SDK refuses. */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import { parsed, rawEvents } from "./raw.ts";

/** In the form that the SDK gives. Undefined if the response did not end properly. */
export function rawMessage(bytes: Uint8Array): Shape | undefined {
  const events = rawEvents(bytes);
  const starts = events
    .filter(({ type }) => type === "message_start")
    .map((event) => shapeOf(event["message"]));
  const ids = new Set(starts.map(({ id }) => id));
  const deltas = events.filter(({ type }) => type === "message_delta");
  const reason = deltas.map((event) => shapeOf(event["delta"])["stop_reason"]).findLast(isText);
  const isOver = events.some(({ type }) => type === "message_stop");
  const hasError = events.some(({ type, error }) => type === "error" || isShape(error));
  if (hasError || ids.size !== 1 || !isOver || reason === undefined) return undefined;
  const usages = [starts[0], ...deltas].map((event) => shapeOf(shapeOf(event)["usage"]));
  return {
    content: blocksOf(events),
    stop_reason: reason,
    usage: Object.fromEntries(usages.flatMap((usage) => Object.entries(usage)).filter(isKnown)),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isKnown([, value]: readonly [string, unknown]): boolean {
  return value !== null && value !== undefined;
}

function blocksOf(events: readonly Shape[]): Shape[] {
  const blocks = new Map<unknown, Shape>();
  for (const event of events) {
    const { type, index } = event;
    if (type === "content_block_start") blocks.set(index, shapeOf(event["content_block"]));
    if (type === "content_block_delta")
      blocks.set(index, grown(shapeOf(blocks.get(index)), shapeOf(event["delta"])));
  }
  return [...blocks.values()].map(({ inputText, ...block }) =>
    inputText === undefined ? block : { ...block, input: parsed(inputText) },
  );
}

const MEMBERS: Readonly<Record<string, readonly [member: string, from: string]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  signature_delta: ["signature", "signature"],
  input_json_delta: ["inputText", "partial_json"],
};

function grown(block: Shape, delta: Shape): Shape {
  const type = stringOf(delta["type"]);
  if (type === "citations_delta")
    return { ...block, citations: [...listOf(block["citations"]), delta["citation"]] };
  const [member, from] = MEMBERS[type] ?? [undefined, ""];
  if (member === undefined) return { ...block, ...delta, type: block["type"] };
  return { ...block, [member]: stringOf(block[member]) + stringOf(delta[from]) };
}
