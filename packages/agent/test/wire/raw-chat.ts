/** A plain walk over the chunks of Chat Completions, for what the SDK gets wrong or refuses. */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import { parsed, rawEvents } from "./raw.ts";

export interface RawChat {
  /** In the form that the SDK gives: with the text, calls, reason and usage of the first choice. */
  readonly choice: Shape;
  readonly thinking: string;
  /** The members of the message that hold reasoning, each joined. */
  readonly reasoning: Shape;
  readonly hasList: boolean;
  /** Whether calls come in a form that the SDK reads wrongly or not at all: without an index, or several with one. */
  readonly hasOddCalls: boolean;
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
  const usage = events.flatMap(usagesOf).findLast((each) => Object.keys(each).length > 0);
  const entries = deltas.flatMap(entriesOf);
  return {
    choice: {
      finish_reason: choices
        .map((choice) => choice["finish_reason"])
        .findLast((reason) => typeof reason === "string"),
      message: { content: text, tool_calls: callsOf(entries) },
      usage,
    },
    thinking: thinkingOf(deltas, parts),
    reasoning,
    hasList: deltas.some((delta) => Array.isArray(delta["content"])),
    hasOddCalls: areOdd(entries),
    hasMessage: choices.some((choice) => isShape(choice["message"])),
    hasUsage: events.some((chunk) => isShape(chunk["usage"])),
    hasError: events.some(isError),
  };
}

/** On the chunk, in the choice, or under a server's own name. */
function usagesOf(chunk: Shape): Shape[] {
  const inChoices = listOf(chunk["choices"]).map((choice) => shapeOf(choice)["usage"]);
  return [shapeOf(chunk["x_groq"])["usage"], ...inChoices, chunk["usage"]].filter(isShape);
}

/** An error in a member, or the body of an error in place of a chunk. */
function isError({ error, choices, type, message, status_code: status }: Shape): boolean {
  if (isShape(error) ? Object.keys(error).length > 0 : Boolean(error)) return true;
  const isOne = Number(status) >= 400 || /error/.test(stringOf(type));
  return choices === undefined && isOne && typeof message === "string";
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

/** Some servers send one entry in place of a list. */
function entriesOf({ tool_calls: entries }: Shape): Shape[] {
  return isShape(entries) ? [entries] : listOf(entries).map(shapeOf);
}

function areOdd(entries: readonly Shape[]): boolean {
  const idOf = new Map<number, string>();
  for (const { index, id } of entries) {
    if (typeof index !== "number" || (!idOf.has(index) && index !== idOf.size)) return true;
    const known = idOf.get(index);
    if (known !== undefined && stringOf(id) !== "" && stringOf(id) !== known) return true;
    idOf.set(index, known ?? stringOf(id));
  }
  return false;
}

interface RawCall {
  readonly index: unknown;
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** An entry continues the last call of its index until that is complete. */
function callsOf(entries: readonly Shape[]): Shape[] {
  const calls: RawCall[] = [];
  for (const { index, id, function: called } of entries) {
    const { name, arguments: given } = shapeOf(called);
    const text = isShape(given) ? JSON.stringify(given) : stringOf(given);
    const at = calls.findLastIndex((call) => call.index === index);
    const known = calls[at];
    const isOther = stringOf(id) !== "" && stringOf(id) !== known?.id;
    const before = known?.function.arguments ?? "";
    const canEnd = before === "" ? isOther : isOther || stringOf(name) !== "";
    if (known === undefined || (canEnd && (before === "" || isShape(parsed(before))))) {
      const function_ = { name: stringOf(name), arguments: text };
      calls.push({ index, id: stringOf(id), type: "function", function: function_ });
      continue;
    }
    const joined = {
      name: known.function.name || stringOf(name),
      arguments: known.function.arguments + text,
    };
    calls[at] = { ...known, function: joined };
  }
  return calls.map(({ index: _index, ...call }, at) => ({ ...call, id: call.id || `call_${at}` }));
}
