/** What settings and hooks give may be anything: these give what it should be. */

export type Shape = Readonly<Record<string, unknown>>;

export type Tell = (message: string) => void;

export function isShape(value: unknown): value is Shape {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** For people: what stands where something else should. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value.trim() === "" ? "an empty text" : "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The beginning, never ending in half a character. */
export function beginning(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
}
