/**
 * Finds what a model most likely meant by invalid input: a number that it sent as a string, or a misspelt parameter.
 */

import { jsonSchemaOf } from "../wire/json-schema.ts";
import { type Shape, isRecord } from "../wire/shape.ts";
import type { AnyTool } from "./tool.ts";

/** Returns the properties of a tool's input by name, as JSON Schema. Empty if the schema cannot be converted. */
function propertiesOf(tool: AnyTool): Shape {
  try {
    return recordOf(jsonSchemaOf(tool)["properties"]);
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Shape {
  return isRecord(value) ? value : {};
}

/**
 * Returns the input with values converted to the declared types if their meaning is certain. Undefined if nothing
 * changes.
 */
export function withDeclaredTypes(tool: AnyTool, input: unknown): Shape | undefined {
  const given = recordOf(input);
  const properties = propertiesOf(tool);
  const changed = Object.entries(given).flatMap(([name, value]) => {
    const meant = typeof value === "string" ? meantBy(value, recordOf(properties[name])["type"]) : undefined;
    return meant === undefined ? [] : [[name, meant] as const];
  });
  return changed.length === 0 ? undefined : { ...given, ...Object.fromEntries(changed) };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function meantBy(text: string, type: unknown): unknown {
  const trimmed = text.trim();
  if (type === "boolean") return trimmed === "true" ? true : trimmed === "false" ? false : undefined;
  if (type === "integer" || type === "number") {
    const value = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
    return (type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value)) ? value : undefined;
  }
  if (type !== "array" && type !== "object") return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    const isMeant = type === "array" ? Array.isArray(value) : isRecord(value);
    return isMeant ? value : undefined;
  } catch {
    return undefined;
  }
}

const MOST_NAMES = 5;

/** Returns one line for each unknown parameter, with the name that was probably meant. */
export function unknownParameters(tool: AnyTool, input: unknown): string[] {
  const known = Object.keys(propertiesOf(tool));
  const given = Object.keys(recordOf(input));
  if (known.length === 0) return [];
  const missing = known.filter((name) => !given.includes(name));
  return given
    .filter((name) => !known.includes(name))
    .slice(0, MOST_NAMES)
    .map((name) => {
      const meant = missing.filter((one) => isNear(name, one));
      const hint = meant.length === 1 ? `; did you mean \`${meant[0]}\`?` : "";
      return `unknown parameter \`${name.slice(0, 100)}\`${hint}`;
    });
}

/** One name contains the other as a word, or they differ in how they are written. */
function isNear(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return (
    a.join("") === b.join("") || a.every((word) => b.includes(word)) || b.every((word) => a.includes(word))
  );
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}
