/** Words for people about what settings and hooks give. */

export type Tell = (message: string) => void;

/** For people: what stands where something else should. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value.trim() === "" ? "an empty text" : "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The beginning, never ending in half a character. */
export function beginning(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
}
