/** The events of a recorded response, read without any code of the models. */

import { type Shape, isShape, stringOf } from "@runahead/base";

export function rawEvents(bytes: Uint8Array): Shape[] {
  const text = new TextDecoder().decode(bytes).replaceAll(/\r\n?/g, "\n");
  return text.split("\n\n").flatMap((lines) => {
    const data = lines
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trimStart())
      .join("\n");
    const value = data === "" ? undefined : parsed(data);
    return isShape(value) ? [value] : [];
  });
}

/** The input of a call; without any text, it is empty. Text that is not JSON stays as it is. */
export function parsed(text: unknown): unknown {
  if (isShape(text)) return text;
  try {
    return JSON.parse(stringOf(text) || "{}");
  } catch {
    return text;
  }
}
