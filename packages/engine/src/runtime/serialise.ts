/** Converts any value to text for a model: deterministic, never throws, bounded, well-formed. */

import { isObject, isPlainObject } from "../wire/shape.ts";

const MAX_DEPTH = 64;
const MAX_VALUES = 200_000;

export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (isFlat(value)) return JSON.stringify(value);
  const budget = { values: MAX_VALUES };
  const plain = toPlain(value, { above: [], budget });
  return typeof plain === "string" ? plain : (JSON.stringify(plain) ?? "");
}

/** Whether it is a plain object of plain values, which most inputs are: JSON needs no help with it. */
function isFlat(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  let count = 0;
  try {
    for (const name in value) if (++count > MAX_FLAT || !isPlain(value[name])) return false;
    return true;
  } catch {
    return false;
  }
}

const MAX_FLAT = 100;

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

interface Walk {
  /** The objects that contain the value, to detect cycles. */
  readonly above: readonly object[];
  readonly budget: { values: number };
}

function toPlain(value: unknown, walk: Walk): unknown {
  if (walk.budget.values-- <= 0) return "[left out: too many values]";
  switch (typeof value) {
    case "bigint":
    case "symbol":
      return String(value);
    case "function":
      return "[function]";
    case "undefined":
      return null;
    case "object":
      return value === null ? null : guarded(() => objectToPlain(value, walk));
    default:
      return value;
  }
}

/** Getters, proxies and toJSON are foreign code: an error that they throw replaces the value. */
function guarded(compute: () => unknown): unknown {
  try {
    return compute();
  } catch (error) {
    return `[unreadable: ${messageOf(error)}]`;
  }
}

function objectToPlain(value: object, { above, budget }: Walk): unknown {
  if (above.includes(value)) return "[circular]";
  if (above.length >= MAX_DEPTH) return "[left out: nested too deep]";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `[binary data, ${value.byteLength} bytes]`;
  }
  if (value instanceof Error) return messageOf(value);
  const walk: Walk = { above: [...above, value], budget };
  const toJson = (value as { toJSON?: unknown }).toJSON;
  if (typeof toJson !== "function") return membersToPlain(value, walk);
  const json: unknown = toJson.call(value, "");
  // As in JSON, toJSON is not called on its own result.
  return isObject(json) ? membersToPlain(json, walk) : toPlain(json, walk);
}

function membersToPlain(value: object, walk: Walk): unknown {
  if (Array.isArray(value) || value instanceof Set) return listToPlain(value, walk);
  if (value instanceof Map) return mapToPlain(value, walk);
  return recordToPlain(value as Record<string, unknown>, walk);
}

/** Keys that are not strings cannot be property names, so such a map becomes a list of pairs. */
function mapToPlain(map: ReadonlyMap<unknown, unknown>, walk: Walk): unknown {
  const entries = [...map];
  const isRecord = entries.every(([key]) => typeof key === "string");
  return isRecord ? recordToPlain(Object.fromEntries(entries), walk) : listToPlain(entries, walk);
}

function listToPlain(items: Iterable<unknown>, walk: Walk): unknown[] {
  const list: unknown[] = [];
  for (const item of items) {
    list.push(toPlain(item, walk));
    if (walk.budget.values <= 0) break;
  }
  return list;
}

function recordToPlain(value: Record<string, unknown>, walk: Walk): Record<string, unknown> {
  const plain: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    if (walk.budget.values <= 0) break;
    plain[key] = guarded(() => toPlain(value[key], walk));
  }
  return plain;
}

/** Converts a thrown value to text. Anything can be thrown. */
export function messageOf(thrown: unknown): string {
  try {
    return wordsOf(thrown).toWellFormed();
  } catch {
    return "an error that cannot be shown was thrown";
  }
}

function wordsOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  const { message, name } = (thrown ?? {}) as { message?: unknown; name?: unknown };
  if (typeof message === "string" && message !== "") return message;
  if (thrown instanceof Error) return toText(message) || toText(name);
  return toText(thrown) || String(thrown);
}

const STACK_LINES = 5;

/**
 * An error whose message the model reads unchanged, without `Error:` before it and without a stack. Throw it from a
 * tool's `call` when the message says everything, such as `Exit code 1`.
 *
 * @example
 * ```ts
 * import { ToolError } from "@runahead/engine";
 *
 * throw new ToolError("Exit code 1: 2 tests failed");
 * ```
 */
export class ToolError extends Error {
  /** The name of the class. */
  override readonly name: string = "ToolError";
}

/** `Error: message` and the first lines of the stack. */
export function errorText(thrown: unknown): string {
  const message = messageOf(thrown);
  if (isToolError(thrown)) return message;
  const stack = stackOf(thrown);
  return stack === "" ? `Error: ${message}` : `Error: ${message}\n${stack}`;
}

/** Even reading the type of a value can throw. */
function isToolError(thrown: unknown): boolean {
  try {
    return thrown instanceof ToolError;
  } catch {
    return false;
  }
}

/** Stack frames of this library are of no use to a model. */
function isOwnCode(frame: string): boolean {
  return /[/\\]node_modules[/\\]@?runahead[/\\]/.test(frame);
}

function stackOf(thrown: unknown): string {
  try {
    const { stack } = thrown as { stack?: unknown };
    if (!(thrown instanceof Error) || typeof stack !== "string") return "";
    const frames = stack
      .split("\n")
      .filter((line) => /^\s+at /.test(line) && !line.includes("node:internal") && !isOwnCode(line));
    return frames.slice(0, STACK_LINES).join("\n").toWellFormed();
  } catch {
    return "";
  }
}

/** The error for a hook that does not return an object. */
export const notAnObject = (said: unknown): TypeError =>
  new TypeError(`it must return an object, got ${toText(said)}`);
