/** `--json-schema`: an answer that programs can read. */

import { aString, required } from "@runahead/base";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { validateJsonSchema } from "@runahead/mcp";
import { UsageError } from "./error.ts";

/** A JSON Schema, as an object. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON Schema from a JSON text, or from a file if the text does not begin with `{`.
 *
 * @throws {UsageError} if the file cannot be read, or the text is not a valid JSON Schema.
 * @example
 * ```ts
 * const schema = schemaOf('{"type":"object","required":["answer"]}', process.cwd());
 * ```
 */
export function schemaOf(given: string, cwd: string): Schema {
  required(aString)(given, 'schemaOf: "given"');
  required(aString)(cwd, 'schemaOf: "cwd"');
  const text = given.trimStart().startsWith("{") ? given : textOf(resolve(cwd, given));
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--json-schema is not JSON: ${(error as Error).message}`);
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw new UsageError("--json-schema must be a JSON object");
  if (!isUsable(schema as Schema)) throw new UsageError("--json-schema is not a valid JSON Schema");
  return schema as Schema;
}

/** A schema that compiles rejects everything once `false` is added to it; one that does not compile rejects nothing. */
function isUsable(schema: Schema): boolean {
  const { allOf = [] } = schema;
  if (!Array.isArray(allOf)) return false;
  const refusing = { ...schema, allOf: [...(allOf as unknown[]), false] };
  return validateJsonSchema(refusing, {}) !== undefined;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--json-schema: ${(error as Error).message}`);
  }
}

/** Returns the agent's options for an answer that fits the schema of the flag. */
export function outputOptions(given: string | undefined, cwd: string): { readonly outputSchema?: Schema } {
  return given === undefined ? {} : { outputSchema: schemaOf(given, cwd) };
}
