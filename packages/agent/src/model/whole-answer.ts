/** Turns an answer that is not a stream into the events of a stream. */

import { type Shape, isShape, listOf, shapeOf } from "@runahead/base";

/** Returns the events that say the same as a whole answer of one of the three APIs. Undefined if it is not one. */
export function eventsOfWhole(text: string): readonly Shape[] | undefined {
  const body = objectIn(text);
  if (body["type"] === "message" && Array.isArray(body["content"]))
    return [{ type: "message_start", message: body }, { type: "message_stop" }];
  if (body["object"] === "response") return [{ type: "response.completed", response: body }];
  const isKnown = Array.isArray(body["choices"]) || isShape(body["error"]) || body["type"] === "error";
  return isKnown ? [body] : undefined;
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
