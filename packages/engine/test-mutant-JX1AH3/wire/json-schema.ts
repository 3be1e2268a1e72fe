/** The input of a tool as JSON Schema. Validation only needs Standard Schema; the model needs JSON Schema. */

import type { AnyTool, JsonSchema } from "../runtime/tool.ts";
import { messageOf } from "../runtime/serialise.ts";

/** Standard JSON Schema: Zod 4.2 and ArkType 2.1.28 have it, and later versions. */
interface StandardJsonSchema {
  readonly "~standard": {
    readonly vendor?: unknown;
    readonly jsonSchema?: { input(options: { target: string }): JsonSchema };
  };
}

const TARGET = "draft-2020-12";

/** Throws a TypeError that names the tool and says how to add what is missing. */
export function jsonSchemaOf(tool: AnyTool): JsonSchema {
  const { name, inputSchema, jsonSchema } = tool;
  if (jsonSchema !== undefined) return withoutAddress(jsonSchema);
  const schema = inputSchema as StandardJsonSchema | JsonSchema;
  if (!("~standard" in schema)) {
    if (typeof schema["safeParse"] === "function")
      throw new TypeError(
        `The input schema of tool "${name}" was made with an old version of Zod. Update Zod to 3.25 or later.`,
      );
    return schema;
  }
  const standard = (schema as StandardJsonSchema)["~standard"];
  if (standard.jsonSchema === undefined)
    throw new TypeError(
      `The input schema of tool "${name}" cannot be converted to JSON Schema, which the model needs. ${remedyFor(schema)}`,
    );
  try {
    return withoutAddress(standard.jsonSchema.input({ target: TARGET }));
  } catch (error) {
    throw new TypeError(
      `The input schema of tool "${name}" cannot be converted to JSON Schema: ${messageOf(error)}. ` +
        'Change it, or give the tool a "jsonSchema" beside "inputSchema".',
      { cause: error },
    );
  }
}

function remedyFor(schema: object): string {
  const { vendor } = (schema as StandardJsonSchema)["~standard"];
  if (vendor === "zod" && "_zod" in schema)
    return 'Update Zod to 4.2 or later, or give the tool "jsonSchema: z.toJSONSchema(schema)" beside "inputSchema".';
  if (vendor === "zod")
    return 'Zod 3 needs the package zod-to-json-schema: give the tool "jsonSchema: zodToJsonSchema(schema)" beside "inputSchema". Zod 4.2 and later need nothing.';
  if (vendor === "valibot")
    return 'Valibot needs the package @valibot/to-json-schema: give the tool "jsonSchema: toJsonSchema(schema)" beside "inputSchema".';
  return 'Give the tool a "jsonSchema" beside "inputSchema".';
}

function withoutAddress({ $schema: _address, ...rest }: JsonSchema): JsonSchema {
  return rest;
}
