/** A plain walk over the chunks of Chat Completions, for what the SDK gets wrong or refuses. */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import { rawEvents } from "./raw.ts";

export interface RawChat {
  /** In the form that the SDK gives: with the text, calls, reason and usage of the first choice. */
  readonly choice: Shape;
  readonly thinking: string;
  /** The members of the message that hold reasoning, each joined. */
  readonly reasoning: Shape;
  readonly hasList: boolean;
  /** Whether chunks have a `message` beside the `delta`, which the SDK copies over its own. */
  readonly hasMessage: boolean;
  readonly hasUsage: boolean;
  readonly hasError: boolean;
}

export function rawChat(bytes: Uint8Array): RawChat {
  const events = rawEvents(bytes);
  const choices = events.flatMap((chunk) =>
    listOf(chunk["choices"])
      .map(shapeOf)
      .filter(({ index }) => (index ?? 0) === 0),
  );
  const deltas = choices.map((choice) => shapeOf(choice["delta"]));
  const parts = deltas.flatMap((delta) => partsOf(delta["content"]));
  const text = parts
    .filter(({ type }) => type !== "thinking")
    .map((part) => stringOf(part["text"]))
    .join("");
  const reasoning = reasoningOf(deltas, parts);
  const usage = events.map((chunk) => chunk["usage"] ?? shapeOf(chunk["x_groq"])["usage"]).findLast(isShape);
  return {
    choice: {
      finish_reason: choices
        .map((choice) => choice["finish_reason"])
        .findLast((reason) => typeof reason === "string"),
      message: { content: text, tool_calls: callsOf(deltas) },
      usage,
    },
    thinking: thinkingOf(deltas, parts),
    reasoning,
    hasList: deltas.some((delta) => Array.isArray(delta["content"])),
    hasMessage: choices.some((choice) => isShape(choice["message"])),
    hasUsage: events.some((chunk) => isShape(chunk["usage"])),
    hasError: events.some((chunk) => isShape(chunk["error"])),
  };
}

function partsOf(content: unknown): Shape[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(shapeOf);
}

/** Each member as one text: what matters is that nothing of it is missing. */
function reasoningOf(deltas: readonly Shape[], parts: readonly Shape[]): Shape {
  const members: Record<string, string> = {};
  const add = (name: string, value: unknown): void => {
    const text = flat(value);
    if (text !== "") members[name] = (members[name] ?? "") + text;
  };
  for (const part of parts) if (part["type"] === "thinking") add("content", [part]);
  for (const delta of deltas) for (const name of [...SHOWN, "reasoning_opaque"]) add(name, delta[name]);
  return members;
}

/** The texts and sealed data of a list in their order, without what only numbers or names them. */
export function flat(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .map(shapeOf)
    .map(({ text, summary, thinking, data, signature }) =>
      [flat(thinking), text, summary, data, signature].map((each) => stringOf(each)).join(""),
    )
    .join("");
}

const SHOWN = ["reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "thinking_blocks"];

/** Under the first name that has text: some servers send the same under two. */
function thinkingOf(deltas: readonly Shape[], parts: readonly Shape[]): string {
  const texts = SHOWN.map((name) => deltas.map((delta) => shown(delta[name])).join(""));
  return [...texts, shown(parts.filter(({ type }) => type === "thinking"))].find((text) => text !== "") ?? "";
}

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .map(shapeOf)
    .map(({ text, summary, thinking }) => stringOf(text) || stringOf(summary) || shown(thinking))
    .join("");
}

function callsOf(deltas: readonly Shape[]): Shape[] {
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for (const entry of deltas.flatMap((delta) => listOf(delta["tool_calls"])).map(shapeOf)) {
    const { name, arguments: text } = shapeOf(entry["function"]);
    const call = (calls[Number(entry["index"])] ??= {
      id: "",
      type: "function",
      function: { name: "", arguments: "" },
    });
    call.id ||= stringOf(entry["id"]);
    call.function.name ||= stringOf(name);
    call.function.arguments += stringOf(text);
  }
  return calls;
}
