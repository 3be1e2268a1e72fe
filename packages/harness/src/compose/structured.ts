/** `--json-schema`: an answer that programs can read. The model is asked again if it does not fit. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Agent, Prompt, QueryResult } from "@runahead/agent";
import { addUsage } from "@runahead/agent/internal";
import { validateJsonSchema } from "@runahead/mcp";
import { UsageError } from "./error.ts";

/** A JSON Schema, as an object. */
export type Schema = Readonly<Record<string, unknown>>;

/** The answer as data, or why it is not valid. */
export type Structured =
  | {
      readonly type: "valid";
      /** The parsed answer, which fits the schema. */
      readonly value: unknown;
    }
  | {
      readonly type: "invalid";
      /** What does not fit, as text for the user. */
      readonly message: string;
    };

/** Attempts after the first answer. */
const MOST_RETRIES = 2;
const MOST_ISSUES = 10;

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

/** Returns the text for the system prompt. */
export function askForSchema(schema: Schema): string {
  return [
    "A program reads your last message. It must be only JSON, without other text or a code fence, and must fit this JSON Schema:",
    JSON.stringify(schema),
  ].join("\n");
}

/**
 * Sends a prompt and checks the answer against a JSON Schema. If it does not fit, the model gets the reason and is
 * asked again, at most twice. The usage of all attempts is added up.
 *
 * @example
 * ```ts
 * const { structured } = await structuredAnswer(agent, { prompt: "List the TODOs." }, schema);
 * if (structured.type === "valid") console.log(structured.value);
 * ```
 */
export async function structuredAnswer(
  agent: Agent,
  { prompt, said }: { readonly prompt: Prompt; readonly said?: string },
  schema: Schema,
): Promise<{ readonly result: QueryResult; readonly structured: Structured }> {
  let result = await agent.send(prompt, said === undefined ? {} : { said });
  for (let retries = 0; ; retries++) {
    const structured = checked(result.text, schema);
    if (structured.type === "valid" || result.reason !== "completed" || retries === MOST_RETRIES)
      return { result, structured };
    const again = `Your answer does not fit the JSON Schema: ${structured.message} Answer again with only the JSON.`;
    result = both(result, await agent.send(again, { said: "" }));
  }
}

function checked(text: string, schema: Schema): Structured {
  let value: unknown;
  try {
    value = JSON.parse(unfenced(text));
  } catch (error) {
    return { type: "invalid", message: `It is not JSON: ${(error as Error).message}.` };
  }
  const issues = validateJsonSchema(schema, value);
  if (issues === undefined || issues.length === 0) return { type: "valid", value };
  const words = issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join(".")} ${message}`));
  return { type: "invalid", message: `${words.join("; ")}.` };
}

/** Models often put JSON into a code fence, although they are asked not to. */
function unfenced(text: string): string {
  const [, inside] = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text) ?? [];
  return inside ?? text;
}

/** The last result, with the usage and cost of both. */
function both(first: QueryResult, last: QueryResult): QueryResult {
  const usage = addUsage(first.usage, last.usage);
  const isKnown = first.costUsd !== undefined && last.costUsd !== undefined;
  const costUsd = isKnown ? first.costUsd + last.costUsd : undefined;
  return { ...last, turns: first.turns + last.turns, usage, costUsd };
}
