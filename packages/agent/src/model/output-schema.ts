/** A JSON Schema that the answer must fit, in the words of each API. */

import type { JsonSchema } from "@runahead/engine";
import { isShape, stringOf } from "@runahead/base";
import type { ModelRequest } from "./message.ts";

type Body = Readonly<Record<string, unknown>>;
type Asked = Pick<ModelRequest, "outputSchema">;

const NAME = "answer";

/** Returns the member of a request to the Messages API; `config` is what else it has in `output_config`. */
export function anthropicOutput({ outputSchema: schema }: Asked, config: unknown): Body {
  if (schema === undefined) return {};
  return { output_config: { ...(isShape(config) ? config : {}), format: { type: "json_schema", schema } } };
}

/** Returns the member of a request to Chat Completions. */
export function chatOutput({ outputSchema: schema }: Asked): Body {
  if (schema === undefined) return {};
  return { response_format: { type: "json_schema", json_schema: { name: NAME, strict: true, schema } } };
}

/** Returns the member of a request to the Responses API. */
export function responsesOutput({ outputSchema: schema }: Asked): Body {
  if (schema === undefined) return {};
  return { text: { format: { type: "json_schema", name: NAME, strict: true, schema } } };
}

/** Returns the member of a call of an AI SDK model. */
export function aiSdkFormat({ outputSchema: schema }: Asked): { readonly responseFormat?: object } {
  return schema === undefined ? {} : { responseFormat: { type: "json", name: NAME, schema } };
}

/** What the APIs understand in every place. */
const KEPT: ReadonlySet<string> = new Set(["type", "title", "description", "enum", "const"]);
/** What says nothing about the value. */
const DROPPED: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "default",
  "examples",
  "deprecated",
]);
/** What limits a value and is not understood everywhere: it becomes a part of the description. */
const DESCRIBED: ReadonlySet<string> = new Set([
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
]);

/**
 * Returns the schema in the form that all providers can enforce; undefined if it cannot be written so, such as with optional
 * members. The result can be looser in limits such as `maximum`, so the answer must be validated all the same.
 */
export function enforceable(schema: JsonSchema): JsonSchema | undefined {
  try {
    return strict(schema);
  } catch (error) {
    if (error instanceof NotEnforceable) return undefined;
    throw error;
  }
}

class NotEnforceable extends Error {}

function strict(schema: unknown): JsonSchema {
  if (!isShape(schema)) throw new NotEnforceable();
  const result: Record<string, unknown> = {};
  const limits: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (KEPT.has(name)) result[name] = value;
    else if (DESCRIBED.has(name)) Object.assign(limits, isSafeRange(value) ? {} : { [name]: value });
    else if (name === "properties") Object.assign(result, strictObject(schema));
    else if (name === "items") result[name] = strict(value);
    else if (name === "anyOf" && Array.isArray(value)) result[name] = value.map(strict);
    else if (!DROPPED.has(name) && name !== "required" && name !== "additionalProperties")
      throw new NotEnforceable();
  }
  if (schema["type"] === "object" && schema["properties"] === undefined) throw new NotEnforceable();
  if (schema["type"] === "array" && schema["items"] === undefined) throw new NotEnforceable();
  if (Object.keys(limits).length === 0) return result;
  const description = [stringOf(schema["description"]), JSON.stringify(limits)].filter((part) => part !== "");
  return { ...result, description: description.join(" ") };
}

/** Zod adds the range of safe integers to every integer. */
function isSafeRange(value: unknown): boolean {
  return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** The providers want every member to be required, and no others. */
function strictObject({ properties, required = [], additionalProperties = false }: JsonSchema): Body {
  if (!isShape(properties) || !Array.isArray(required) || additionalProperties !== false)
    throw new NotEnforceable();
  const names = Object.keys(properties);
  if (!names.every((name) => required.includes(name))) throw new NotEnforceable();
  const members = names.map((name) => [name, strict(properties[name])] as const);
  return { properties: Object.fromEntries(members), required: names, additionalProperties: false };
}
