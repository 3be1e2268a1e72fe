/** Checks the types of the options that a caller gives, for callers without types. */

import { rejectUnknown } from "./options.ts";

/** What an option can be: one of these types, or one of these words. */
export type OptionKind =
  | "string"
  | "strings"
  | "number"
  | "boolean"
  | "function"
  | "object"
  | "boolean or object"
  | readonly string[];

/**
 * Throws a `TypeError` that names the option if one is not known or has the wrong type. An option that is `undefined`
 * counts as not given.
 *
 * @param where The function that was called, for the message.
 */
export function checkOptions(
  given: unknown,
  kinds: Readonly<Record<string, OptionKind>>,
  where: string,
): asserts given is object {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new TypeError(`${where}: options must be an object, not ${shown(given)}.`);
  rejectUnknown(given, Object.keys(kinds), where);
  for (const [name, kind] of Object.entries(kinds)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && !isOf(kind, value))
      throw new TypeError(`${where}: option "${name}" must be ${wordsOf(kind)}, not ${shown(value)}.`);
  }
}

function isOf(kind: OptionKind, value: unknown): boolean {
  if (typeof kind !== "string") return kind.some((word) => word === value);
  switch (kind) {
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "number":
      return typeof value === "number" && !Number.isNaN(value);
    case "object":
      return isObject(value);
    case "boolean or object":
      return typeof value === "boolean" || isObject(value);
    case "string":
    case "boolean":
    case "function":
      return typeof value === kind;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wordsOf(kind: OptionKind): string {
  if (typeof kind !== "string") return `one of ${kind.map((word) => `"${word}"`).join(", ")}`;
  if (kind === "strings") return "an array of strings";
  return `${kind === "object" ? "an" : "a"} ${kind === "boolean or object" ? "boolean or an object" : kind}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
