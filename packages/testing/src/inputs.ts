/** Random inputs that fit the schemas of tools. Few different values, so that calls often touch the same things. */

import { type AnyTool, type JsonSchema, toAnthropicTools } from "@runahead/engine";
import { isShape, listOf, shapeOf } from "@runahead/base";
import type { Random } from "./random.ts";
import type { SimulatedCall } from "./simulate.ts";

/** What inputs are made of. */
export interface Source {
  readonly random: Random;
  /** Values for texts: names of files, mostly. */
  readonly words: readonly string[];
}

const NAMES = ["a.txt", "b.txt"];
const MOST_FILES = 4;
const DEEPEST = 6;
const ATTEMPTS = 50;

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  time: "12:00:00Z",
  email: "ada@example.com",
  uri: "https://example.com/a",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  ipv4: "192.0.2.1",
  hostname: "example.com",
};

/** Texts for a folder: some of its files, and names that can be new. */
export function wordsFor(files: readonly string[], random: Random): readonly string[] {
  return [...random.shuffled(files).slice(0, MOST_FILES), ...NAMES];
}

/** Returns a call of one of the tools. Throws a TypeError if no input can be made for it. */
export async function randomCall(tools: readonly AnyTool[], source: Source): Promise<SimulatedCall> {
  const tool = oneOf(tools, source.random);
  const schema = shapeOf(toAnthropicTools([tool])[0]?.input_schema);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const input = new Inputs(schema, source).value(schema);
    if (await fits(tool, input)) return { name: tool.name, input };
  }
  throw new TypeError(
    `simulate: no random input fits the schema of the tool "${tool.name}". Pass "calls" with inputs of your own.`,
  );
}

/** Schemas without a validator, which are plain JSON Schema, are taken at their word. */
interface MaybeStandard {
  readonly "~standard"?: { validate(value: unknown): object | Promise<object> };
}

async function fits({ inputSchema }: AnyTool, input: unknown): Promise<boolean> {
  const standard = (inputSchema as MaybeStandard)["~standard"];
  const { issues } = ((await standard?.validate(input)) ?? {}) as { readonly issues?: unknown };
  return issues === undefined;
}

function oneOf<Item>(items: readonly Item[], random: Random): Item {
  return items[random.below(items.length)] as Item;
}

class Inputs {
  readonly #root: JsonSchema;
  readonly #source: Source;

  constructor(root: JsonSchema, source: Source) {
    this.#root = root;
    this.#source = source;
  }

  value(given: unknown, depth = 0): unknown {
    const schema = this.#resolved(shapeOf(given));
    const { random } = this.#source;
    if ("const" in schema) return schema["const"];
    const listed = listOf(schema["enum"] ?? schema["examples"]);
    if (listed.length > 0) return oneOf(listed, random);
    const choices = listOf(schema["anyOf"] ?? schema["oneOf"]);
    if (choices.length > 0) return this.value(oneOf(choices, random), depth + 1);
    const { type } = schema;
    return this.#ofType(Array.isArray(type) ? oneOf(type, random) : type, schema, depth);
  }

  #ofType(type: unknown, schema: JsonSchema, depth: number): unknown {
    switch (type) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#array(schema, depth);
      case "integer":
      case "number":
        return this.#number(schema);
      case "boolean":
        return this.#source.random.below(2) === 0;
      case "null":
        return null;
      default:
        return isShape(schema["properties"]) ? this.#object(schema, depth) : this.#text(schema);
    }
  }

  #object({ properties, required }: JsonSchema, depth: number): Record<string, unknown> {
    const needed = new Set(listOf(required));
    const members = Object.entries(shapeOf(properties)).filter(
      ([name]) => needed.has(name) || (depth < DEEPEST && this.#source.random.below(2) === 0),
    );
    return Object.fromEntries(members.map(([name, schema]) => [name, this.value(schema, depth + 1)]));
  }

  #array({ items, minItems, maxItems }: JsonSchema, depth: number): unknown[] {
    const least = numberOr(minItems, 0);
    const most = Math.min(numberOr(maxItems, least + 2), least + (depth < DEEPEST ? 2 : 0));
    const count = least + this.#source.random.below(Math.max(0, most - least) + 1);
    return Array.from({ length: count }, () => this.value(items, depth + 1));
  }

  #number(schema: JsonSchema): number {
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
    const step = numberOr(multipleOf, 1);
    const least = Math.max(numberOr(minimum, 0), numberOr(exclusiveMinimum, -step) + step);
    const most = Math.min(numberOr(maximum, least + 3 * step), numberOr(exclusiveMaximum, Infinity) - step);
    const steps = Math.max(0, Math.floor((most - least) / step));
    return Math.ceil(least / step) * step + this.#source.random.below(Math.min(steps, 3) + 1) * step;
  }

  #text({ format, minLength, maxLength }: JsonSchema): string {
    const known = FORMATS[String(format)];
    if (known !== undefined) return known;
    const { random, words } = this.#source;
    return oneOf(words, random).padEnd(numberOr(minLength, 0), "x").slice(0, numberOr(maxLength, Infinity));
  }

  /** The schema that a reference names. Parts of `allOf` are joined. */
  #resolved(schema: JsonSchema): JsonSchema {
    const { $ref: address, allOf } = schema;
    if (typeof address === "string") return this.#resolved(this.#at(address));
    if (!Array.isArray(allOf)) return schema;
    return allOf.map((part) => this.#resolved(shapeOf(part))).reduce(joined, { ...schema, allOf: undefined });
  }

  #at(address: string): JsonSchema {
    const names = address.replace(/^#\/?/, "").split("/").filter(Boolean);
    const found = names.reduce<unknown>(
      (at, name) => shapeOf(at)[decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")],
      this.#root,
    );
    const { $ref: _again, ...rest } = shapeOf(found);
    return rest;
  }
}

function joined(one: JsonSchema, other: JsonSchema): JsonSchema {
  return {
    ...one,
    ...other,
    properties: { ...shapeOf(one["properties"]), ...shapeOf(other["properties"]) },
    required: [...listOf(one["required"]), ...listOf(other["required"])],
  };
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : otherwise;
}
