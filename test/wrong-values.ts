/** Wrong values, and the errors that do not say what is wrong with them. */

import { setTimeout as pause } from "node:timers/promises";

/** What a program without types can pass to a function. */
export const WRONG: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  Number.NaN,
  "",
  "no such thing",
  true,
  {},
  { unknownOption: 1 },
  Object.create(null),
  new Map(),
  [],
  [null],
  [1],
  [{}],
  () => undefined,
];

/** What JavaScript and Node say when something fails inside. It names neither the argument nor the remedy. */
const RAW = [
  /^Cannot (?:read|set|destructure|convert|create|use|access|delete|add|assign|mix)\b/,
  /^[\w.#[\]()$ ]+ is not (?:a function|iterable|async iterable|an object|a constructor)\b/,
  /^The "[\w.]+" (?:argument|property) must be/,
  /^Invalid (?:array length|count value|string length|time value)/,
  /^Maximum call stack/,
  /^Reduce of empty array/,
  /\bin JSON at position\b|is not valid JSON$/,
];

const WAIT_MS = 200;

/** Whether JavaScript or Node has said it, and not this code. */
function isRaw(error: unknown): boolean {
  return error instanceof Error && RAW.some((raw) => raw.test(error.message));
}

/** Waits for a promise, or reads the first value of a stream. */
export async function use(value: unknown): Promise<void> {
  if (typeof value !== "object" || value === null) return;
  const waiting = pause(WAIT_MS);
  if (value instanceof Promise) await Promise.race([value, waiting]);
  else if (Symbol.asyncIterator in value) {
    const reading = (value as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    await Promise.race([reading.next(), waiting]);
  }
}

/** The raw error that a call ends with, if it does. */
export async function rawErrorOf(called: () => unknown): Promise<string | undefined> {
  try {
    await use(called());
    return undefined;
  } catch (error) {
    return isRaw(error) ? (error as Error).message : undefined;
  }
}

/** Shows a value in the name of a problem. */
export function shown(value: unknown): string {
  if (value instanceof Map) return "new Map()";
  return typeof value === "function" ? "() => undefined" : (JSON.stringify(value) ?? "undefined");
}
