/** Converts schemas of other libraries' tools to Standard Schema with JSON Schema output. */

import type { JsonSchema, StandardSchema } from "@runahead/engine";
import { z } from "zod";

/** The result of validation: the converted input, or issues. */
type Validated = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;

/** Standard Schema with Standard JSON Schema. */
export interface NamedSchema extends StandardSchema {
  readonly "~standard": StandardSchema["~standard"] & {
    readonly jsonSchema: { input(options: { readonly target: string }): JsonSchema };
  };
}

export function schemaOf(
  jsonSchema: JsonSchema,
  validate: (value: unknown) => Validated | Promise<Validated>,
): NamedSchema {
  return {
    "~standard": { version: 1, vendor: "runahead", validate, jsonSchema: { input: () => jsonSchema } },
  };
}

/**
 * Validates input by the JSON Schema and passes it on unchanged. A schema that cannot be compiled is returned as it is,
 * for the executor's `validateJsonSchema`.
 */
export function fromJsonSchema(jsonSchema: JsonSchema): NamedSchema | JsonSchema {
  const check = checkOf(jsonSchema);
  return check === undefined ? jsonSchema : schemaOf(jsonSchema, check);
}

export function checkOf(jsonSchema: JsonSchema): ((value: unknown) => Validated) | undefined {
  try {
    const schema = z.fromJSONSchema(jsonSchema);
    return (value) => {
      const { error } = schema.safeParse(value);
      return error === undefined ? { value } : { issues: error.issues };
    };
  } catch {
    return undefined;
  }
}

/** Converts an error of a library's own validation to issues, per field if possible. */
export function issuesOf(
  error: unknown,
): { readonly issues: z.core.$ZodIssue[] } | { issues: [{ message: string }] } {
  const { issues, cause, message } = (error ?? {}) as {
    issues?: unknown;
    cause?: unknown;
    message?: unknown;
  };
  if (Array.isArray(issues)) return { issues: issues as z.core.$ZodIssue[] };
  const inner = (cause as { issues?: unknown } | null | undefined)?.issues;
  if (Array.isArray(inner)) return { issues: inner as z.core.$ZodIssue[] };
  return { issues: [{ message: typeof message === "string" ? message : String(error) }] };
}
