/** Writes the types of tools as TypeScript, from the JSON Schemas of their inputs. */

import { checkTools } from "@runahead/base";
import { type AnyTool, toAnthropicTools } from "@runahead/engine";

type Schema = Readonly<Record<string, unknown>>;

const MOST_DEPTH = 12;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * Writes the types of tools as TypeScript, for a model that writes scripts: an object `tools` with a function for each.
 *
 * @throws TypeError if a schema cannot be converted to JSON Schema.
 *
 * @example
 * ```ts
 * import { toolTypes } from "@runahead/code";
 * import { defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const price = defineTool({
 *   name: "Price",
 *   description: "Looks up a price.",
 *   inputSchema: z.object({ sku: z.string() }),
 *   call: ({ sku }) => ({ sku, price: 12.5 }),
 * });
 * console.log(toolTypes([price]));
 * ```
 */
export function toolTypes(tools: readonly AnyTool[]): string {
  checkTools(tools, "toolTypes");
  const definitions = toAnthropicTools(tools);
  const members = definitions.map(({ name, description, input_schema: schema }, at) => {
    const isText = tools[at]?.toResult !== undefined;
    const input = new Types(schema).of(schema, "  ");
    const isOptional = !Array.isArray(schema["required"]) || schema["required"].length === 0;
    const output = isText ? "string" : "unknown";
    return `${comment(description, "  ")}  ${nameOf(name)}(input${isOptional ? "?" : ""}: ${input}): Promise<${output}>;`;
  });
  return `declare const tools: {\n${members.join("\n")}\n};`;
}

function nameOf(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

/** A description must not end the comment that it is in. */
function comment(text: unknown, indent: string): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  const words = text
    .trim()
    .replaceAll("*/", "* /")
    .replaceAll(/\s*\n\s*/g, " ");
  return `${indent}/** ${words} */\n`;
}

class Types {
  readonly #root: Schema;
  readonly #open = new Set<unknown>();

  constructor(root: Schema) {
    this.#root = root;
  }

  of(schema: unknown, indent: string): string {
    if (schema === true || schema === undefined) return "unknown";
    if (schema === false) return "never";
    if (typeof schema !== "object" || schema === null) return "unknown";
    // A schema that contains itself has no finite type.
    if (this.#open.has(schema) || this.#open.size > MOST_DEPTH) return "unknown";
    this.#open.add(schema);
    try {
      return this.#written(schema as Schema, indent);
    } finally {
      this.#open.delete(schema);
    }
  }

  #written(schema: Schema, indent: string): string {
    const { $ref: reference, enum: values, const: only, anyOf, oneOf, allOf, type } = schema;
    if (typeof reference === "string") return this.of(this.#find(reference), indent);
    if (Array.isArray(values)) return union(values.map(literal));
    if ("const" in schema) return literal(only);
    const choices = [anyOf, oneOf].find(Array.isArray);
    if (choices !== undefined) return union(choices.map((one) => this.of(one, indent)));
    if (Array.isArray(allOf)) return allOf.map((one) => inBrackets(this.of(one, indent))).join(" & ");
    if (Array.isArray(type))
      return union(type.map((one: unknown) => this.#ofType(schema, String(one), indent)));
    return this.#ofType(schema, typeof type === "string" ? type : guessed(schema), indent);
  }

  #ofType(schema: Schema, type: string, indent: string): string {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
        return type;
      case "number":
      case "integer":
        return "number";
      case "array":
        return this.#array(schema, indent);
      case "object":
        return this.#object(schema, indent);
      default:
        return "unknown";
    }
  }

  #array({ items, prefixItems }: Schema, indent: string): string {
    if (Array.isArray(prefixItems)) return `[${prefixItems.map((one) => this.of(one, indent)).join(", ")}]`;
    return `${inBrackets(this.of(items, indent))}[]`;
  }

  #object({ properties, required, additionalProperties }: Schema, indent: string): string {
    const inner = `${indent}  `;
    const needed = new Set(Array.isArray(required) ? required : []);
    const members = Object.entries((properties ?? {}) as Record<string, unknown>).map(([name, member]) => {
      const about = typeof member === "object" && member !== null ? (member as Schema)["description"] : "";
      return `${comment(about, inner)}${inner}${nameOf(name)}${needed.has(name) ? "" : "?"}: ${this.of(member, inner)};`;
    });
    if (members.length > 0) return `{\n${members.join("\n")}\n${indent}}`;
    if (additionalProperties === false) return "{}";
    const isTyped = typeof additionalProperties === "object" && additionalProperties !== null;
    return `Record<string, ${isTyped ? this.of(additionalProperties, indent) : "unknown"}>`;
  }

  #find(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    let found: unknown = this.#root;
    for (const part of reference
      .slice(1)
      .split("/")
      .filter((one) => one !== "")) {
      const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      found =
        typeof found === "object" && found !== null ? (found as Record<string, unknown>)[name] : undefined;
    }
    return found;
  }
}

function guessed({ properties, items, prefixItems }: Schema): string {
  if (properties !== undefined) return "object";
  return items !== undefined || prefixItems !== undefined ? "array" : "";
}

function literal(value: unknown): string {
  return value === null || ["string", "number", "boolean"].includes(typeof value)
    ? JSON.stringify(value)
    : "unknown";
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  if (different.includes("unknown")) return "unknown";
  return different.length === 0 ? "never" : different.join(" | ");
}

function inBrackets(type: string): string {
  return / [|&] /.test(type) && !type.startsWith("{") ? `(${type})` : type;
}
