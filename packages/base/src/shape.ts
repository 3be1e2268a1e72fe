/** Narrows values of unknown type. */

export type Shape = Readonly<Record<string, unknown>>;

export function isShape(value: unknown): value is Shape {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object, or an empty one. */
export function shapeOf(value: unknown): Shape {
  return isShape(value) ? value : {};
}

/** Returns the string, or the fallback. */
export function stringOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as AsyncIterable<unknown> | null | undefined)?.[Symbol.asyncIterator] === "function";
}
