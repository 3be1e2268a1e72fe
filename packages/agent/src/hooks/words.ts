/** Helpers for messages about settings and hooks. */

export type Notify = (message: string) => void;

/** Describes a value of the wrong type, for error messages. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return value.trim() === "" ? "an empty string" : "a string";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Returns the beginning of a text. It never ends in half a character. */
export function beginning(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
}
