/** What comes from outside may be anything: these give what it should be. */

export type Shape = Readonly<Record<string, unknown>>;

export function isShape(value: unknown): value is Shape {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object, or one without members. */
export function shapeOf(value: unknown): Shape {
  return isShape(value) ? value : {};
}

/** The string, or what is to stand for it. */
export function stringOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as AsyncIterable<unknown> | null | undefined)?.[Symbol.asyncIterator] === "function";
}
