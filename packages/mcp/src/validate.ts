/**
 * Validates input against JSON Schema of draft 2020-12 and of drafts up to 07. The validators are loaded with the first
 * schema. A schema that cannot be compiled checks nothing here; the server still validates the input.
 */

import { createRequire } from "node:module";
import type { JsonSchema, ValidateJsonSchema } from "@runahead/engine";
import type { Ajv, ErrorObject, ValidateFunction } from "ajv";

type Issue = NonNullable<ReturnType<ValidateJsonSchema>>[number];

/** Resolving this package takes time that a start without schemas does not need. */
const load = (name: string): unknown => createRequire(import.meta.url)(name);
const OPTIONS = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  // Two tools can use the same `$id`.
  addUsedSchema: false,
  logger: false,
} as const;
const OLDER_DRAFT = /draft-0[3-7]/;

const instances = new Map<string, Ajv>();
const compiled = new WeakMap<JsonSchema, ValidateFunction | "unusable">();

/**
 * Validates input against a JSON Schema of draft 2020-12 or of drafts 3 to 7. Returns undefined if the input is valid or
 * the schema cannot be compiled, else what is wrong and where. Never throws.
 *
 * @example
 * ```ts
 * validateJsonSchema({ type: "object", required: ["a"] }, {}); // [{ message: …, path: … }]
 * ```
 */
export const validateJsonSchema: ValidateJsonSchema = (schema, input) => {
  const check = compiledOf(schema);
  if (check === "unusable" || check(input)) return undefined;
  return (check.errors ?? []).map(issueOf);
};

/** Returns what is wrong with a schema, or undefined if it is valid. */
export function schemaFault(schema: JsonSchema): string | undefined {
  try {
    const ajv = instanceFor(schema);
    return ajv.validateSchema(bare(schema)) === true ? undefined : ajv.errorsText(ajv.errors);
  } catch (error) {
    return String(error);
  }
}

function compiledOf(schema: JsonSchema): ValidateFunction | "unusable" {
  let check = compiled.get(schema);
  if (check !== undefined) return check;
  try {
    check = instanceFor(schema).compile(bare(schema));
  } catch {
    check = "unusable";
  }
  compiled.set(schema, check);
  return check;
}

function instanceFor({ $schema }: JsonSchema): Ajv {
  const name = typeof $schema === "string" && OLDER_DRAFT.test($schema) ? "ajv" : "ajv/dist/2020.js";
  let instance = instances.get(name);
  if (instance === undefined) {
    const { default: Validator } = load(name) as { default: new (options: object) => Ajv };
    instance = new Validator(OPTIONS);
    instances.set(name, instance);
  }
  return instance;
}

/** The draft is already chosen, and the validator does not know every name of one. */
function bare({ $schema: _draft, ...rest }: JsonSchema): object {
  return rest;
}

function issueOf({ instancePath, keyword, params, message }: ErrorObject): Issue {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const named = params as Readonly<Record<string, unknown>>;
  if (keyword === "required")
    return { path: [...path, String(named["missingProperty"])], message: "is required" };
  if (keyword === "additionalProperties")
    return { path: [...path, String(named["additionalProperty"])], message: "is not a known field" };
  if (keyword === "enum")
    return { path, message: `must be one of ${JSON.stringify(named["allowedValues"])}` };
  return { path, message: message ?? `does not fit "${keyword}"` };
}
