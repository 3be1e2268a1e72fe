/** Schemas of tools that come from other libraries, as Standard Schemas that can say themselves as JSON Schema. */

import type { JsonSchema, StandardSchema } from "@runahead/engine";
import { z } from "zod";

/** What validation gives: the input as the tool wants it, or what is wrong with it. */
type Validated = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;

/** Standard Schema, and Standard JSON Schema beside it. */
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
 * Input is checked by the JSON Schema, and passed on as it came. A schema that cannot be checked here stays what it is:
 * then the executor's own `validateJsonSchema` does it.
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

/** What a library's own validation threw, as issues: field by field where it says so. */
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
