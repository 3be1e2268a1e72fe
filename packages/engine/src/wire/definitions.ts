/** Tools as a model is told of them. */

import type { AnyTool } from "../runtime/tool.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { ToolDefinition } from "./message.ts";

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
