/** Turns an answer that is not a stream into the events of a stream. */

import { type Shape, isShape, listOf, shapeOf } from "@runahead/base";

/** Returns the events that say the same as a whole answer of one of the three APIs. Undefined if it is not one. */
export function eventsOfWhole(text: string): readonly Shape[] | undefined {
  const body = objectIn(text);
  if (body["type"] === "message" && Array.isArray(body["content"]))
    return [{ type: "message_start", message: body }, { type: "message_stop" }];
  if (body["object"] === "response") return [{ type: "response.completed", response: body }];
  if (Array.isArray(body["choices"])) return chunksOf(body);
  return isShape(body["error"]) || body["type"] === "error" ? [body] : undefined;
}

/** GitHub Copilot puts the text and each call into a choice of its own, without an index. */
function chunksOf(body: Shape): readonly Shape[] {
  const choices = listOf(body["choices"]);
  const areParts = choices.length > 1 && choices.every((choice) => shapeOf(choice)["index"] === undefined);
  return areParts ? choices.map((choice) => ({ ...body, choices: [choice] })) : [body];
}

/** The object of a text, or the first of a list: Gemini puts its errors into one. */
function objectIn(text: string): Shape {
  try {
    const value: unknown = JSON.parse(text);
    return shapeOf(Array.isArray(value) ? listOf(value)[0] : value);
  } catch {
    return {};
  }
}
