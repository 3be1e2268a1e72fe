/** A JSON text as a tree with positions, so that an edit can keep the rest of the text. */

import { isShape } from "@runahead/base";

export type JsonNode = JsonObject | JsonArray | JsonScalar;

export interface JsonObject {
  readonly type: "object";
  readonly start: number;
  readonly end: number;
  readonly members: readonly Member[];
}

export interface JsonArray {
  readonly type: "array";
  readonly start: number;
  readonly end: number;
  readonly items: readonly JsonNode[];
}

interface JsonScalar {
  readonly type: "scalar";
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
}

export interface Member {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
}

/** The values of a repeated key are merged, so that no list is lost. */
export function valueOf(node: JsonNode): unknown {
  if (node.type === "scalar") return node.value;
  if (node.type === "array") return node.items.map(valueOf);
  const values = new Map<string, unknown>();
  for (const { key, value } of node.members) {
    const now = valueOf(value);
    values.set(key, values.has(key) ? joined(values.get(key), now) : now);
  }
  return Object.fromEntries(values);
}

/** Lines and columns start at 1, as in editors. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return `line ${line}, column ${at - before.lastIndexOf("\n")}`;
}

/** Finds keys that appear more than once in an object, with the position of the later one. */
export function repeatedKeys(node: JsonNode): { readonly key: string; readonly at: number }[] {
  if (node.type === "scalar") return [];
  if (node.type === "array") return node.items.flatMap(repeatedKeys);
  const seen = new Set<string>();
  return node.members.flatMap(({ key, start, value }) => {
    const own = seen.has(key) ? [{ key, at: start }] : [];
    seen.add(key);
    return [...own, ...repeatedKeys(value)];
  });
}

function joined(first: unknown, second: unknown): unknown {
  if (Array.isArray(first)) return [...(first as unknown[]), ...(Array.isArray(second) ? second : [second])];
  if (!isShape(first) || !isShape(second)) return second;
  const values = new Map(Object.entries(first));
  for (const [key, value] of Object.entries(second))
    values.set(key, values.has(key) ? joined(values.get(key), value) : value);
  return Object.fromEntries(values);
}
