/** Reads data from the wire, in which any member can be missing or have another type. */

export type Shape = Readonly<Record<string, unknown>>;

const NOTHING: Shape = {};

export function isObject(value: unknown): value is Shape {
  return typeof value === "object" && value !== null;
}

export function shapeOf(value: unknown): Shape {
  return isObject(value) ? value : NOTHING;
}

/** An object that no class made. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}

/** An object that is not a list. */
export function isRecord(value: unknown): value is Shape {
  return isObject(value) && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The two members that the APIs' error objects have in common, in one line. */
export function errorText(error: Shape): string {
  const kind = stringOf(error["type"]) || stringOf(error["code"]) || "error";
  return `${kind}: ${stringOf(error["message"]) || "no message"}`;
}

/** An index in a response. */
export function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
