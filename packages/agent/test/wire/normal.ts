/** Forms in which two values that mean the same are equal. */

import { type Shape, listOf, shapeOf, stringOf } from "@runahead/base";
import { flat } from "./raw-chat.ts";
import { parsed } from "./raw.ts";

/** Encrypted data, pictures and ids of some recordings differ between the event of an item and that of the whole response. */
const SEALED = new Set(["encrypted_content", "fingerprint", "id", "result"]);

/** An item of the Responses API. White space in arguments means nothing. */
export function plainItem(item: Shape): Shape {
  const plain = Object.entries(item).map(([name, value]) =>
    SEALED.has(name) && typeof value === "string" && value !== "" ? [name, "(sealed)"] : [name, value],
  );
  const members = Object.fromEntries(plain) as Shape;
  if (item["type"] === undefined && item["role"] !== undefined) return { type: "message", ...members };
  if (item["type"] !== "function_call") return members;
  const { status: _optional, ...call } = members;
  return { ...call, arguments: parsed(item["arguments"]) };
}

/** An assistant message of Chat Completions: its text, reasoning and calls. */
export function plainMessage(message: Shape): Shape {
  const { role: _role, content, tool_calls: calls, ...members } = message;
  const parts =
    typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(shapeOf);
  const thoughts = flat(parts.filter(({ type }) => type === "thinking"));
  const reasoning = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, flat(value)]));
  return {
    text: parts
      .filter(({ type }) => type === "text")
      .map((part) => stringOf(part["text"]))
      .join(""),
    reasoning: thoughts === "" ? reasoning : { ...reasoning, content: thoughts },
    calls: listOf(calls)
      .map(shapeOf)
      .map(({ id, function: called }) => ({
        id,
        name: shapeOf(called)["name"],
        arguments: parsed(shapeOf(called)["arguments"]),
      })),
  };
}
