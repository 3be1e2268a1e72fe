/** The events of a recorded response, read without any code of the models. */

import { type Shape, isShape } from "@runahead/base";

export function rawEvents(bytes: Uint8Array): Shape[] {
  const text = new TextDecoder().decode(bytes).replaceAll(/\r\n?/g, "\n");
  return text.split("\n\n").flatMap((lines) => {
    const data = lines
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trimStart())
      .join("\n");
    const value = parsed(data);
    return isShape(value) ? [value] : [];
  });
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
