/** Tools as a model is told of them. */

import type { AnyTool } from "../runtime/tool.ts";
import type { ToolDefinition } from "./message.ts";

/** What schema libraries that can say themselves as JSON Schema have beside Standard Schema. */
interface StandardJsonSchema {
  readonly "~standard": {
    readonly jsonSchema?: { input(options: { target: string }): Readonly<Record<string, unknown>> };
  };
}

const TARGET = "draft-2020-12";

/** Made once for each tool: what the model is told stays the same to the letter, and its cache holds. */
const made = new WeakMap<AnyTool, ToolDefinition>();

export function toolDefinitions(tools: readonly AnyTool[]): ToolDefinition[] {
  return tools.map((tool) => {
    const definition = made.get(tool) ?? definitionOf(tool);
    made.set(tool, definition);
    return definition;
  });
}

function definitionOf(tool: AnyTool): ToolDefinition {
  return { name: tool.name, description: tool.description, input_schema: jsonSchemaOf(tool) };
}

function jsonSchemaOf({ name, inputSchema }: AnyTool): Readonly<Record<string, unknown>> {
  const schema = inputSchema as StandardJsonSchema | Readonly<Record<string, unknown>>;
  if (!("~standard" in schema)) return schema;
  const { jsonSchema } = (schema as StandardJsonSchema)["~standard"];
  if (jsonSchema === undefined)
    throw new TypeError(`The schema of tool "${name}" cannot be written as JSON Schema.`);
  const { $schema: _address, ...rest } = jsonSchema.input({ target: TARGET });
  return rest;
}
