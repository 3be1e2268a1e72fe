/** The tools of an executor: found by name or alias, their input validated, their declarations read with care. */

import { type Claim, READS_EVERYTHING, WRITES_EVERYTHING } from "../core/access.ts";
import type { Access } from "../core/call.ts";
import { toolUseError } from "../core/outcome.ts";
import type { ValidateJsonSchema } from "./ports.ts";
import { type Asked, declared } from "./declared.ts";
import { nearNames } from "./names.ts";
import { unknownParameters, withDeclaredTypes } from "./near-input.ts";
import { messageOf, toText } from "./serialise.ts";
import { checkRetry } from "./retry.ts";
import { checkTool } from "./shapes.ts";
import { isThenable } from "./thenable.ts";
import type { AnyTool, SchemaIssue, SchemaResult, SharedContext, StandardSchema } from "./tool.ts";

export type Validated =
  | { readonly ok: true; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly message: string };

export class Toolbox {
  readonly #byName = new Map<string, AnyTool>();
  readonly #validateJsonSchema: ValidateJsonSchema | undefined;

  constructor(tools: readonly AnyTool[], validateJsonSchema: ValidateJsonSchema | undefined) {
    this.#validateJsonSchema = validateJsonSchema;
    for (const tool of tools) {
      checkTool(tool);
      checkRetry(tool.retry, `Tool "${tool.name}"`);
      this.#checkSchema(tool);
      for (const name of [tool.name, ...(tool.aliases ?? [])]) {
        if (this.#byName.has(name)) throw new TypeError(`Two tools are called "${name}".`);
        this.#byName.set(name, tool);
      }
    }
  }

  find(name: string): AnyTool | undefined {
    return this.#byName.get(name);
  }

  unknownTool(asked: unknown): string {
    const name = (typeof asked === "string" ? asked : toText(asked) || "undefined").slice(
      0,
      SHOWN_NAME_CHARS,
    );
    const names = [...this.#byName.keys()];
    const nearest = nearNames(name, names, true).slice(0, 3);
    const own = [...new Set([...this.#byName.values()].map((tool) => tool.name))];
    const available = own.length === 0 ? "There are no tools." : `Available: ${listOf(own)}.`;
    const hint = nearest.length === 0 ? ` ${available}` : ` Did you mean ${nearest.join(", ")}?`;
    return toolUseError(`Error: No such tool available: ${name}.${hint}`);
  }

  validate(tool: AnyTool, input: unknown): Validated | Promise<Validated> {
    try {
      const result = this.#run(tool.inputSchema, input);
      if (!isThenable(result)) return this.#judge(tool, input, result);
      return Promise.resolve(result)
        .then((later) => judge(tool, input, later))
        .catch((error: unknown) => schemaFailed(tool, error));
    } catch (error) {
      return schemaFailed(tool, error);
    }
  }

  /** Invalid input is validated again with values converted to the declared types. */
  #judge(tool: AnyTool, input: unknown, result: SchemaResult<unknown>): Validated {
    const meant = result.issues === undefined ? undefined : withDeclaredTypes(tool, input);
    if (meant === undefined) return judge(tool, input, result);
    const again = this.#run(tool.inputSchema, meant);
    return isThenable(again) || again.issues !== undefined
      ? judge(tool, input, result)
      : judge(tool, meant, again);
  }

  #run(schema: unknown, input: unknown): SchemaResult<unknown> | Promise<SchemaResult<unknown>> {
    if (isStandardSchema(schema)) return schema["~standard"].validate(input);
    const issues = this.#validateJsonSchema?.(schema as Record<string, unknown>, input) ?? [];
    return issues.length === 0 ? { value: input } : { issues };
  }

  #checkSchema(tool: AnyTool): void {
    const { inputSchema, name } = tool;
    if ((typeof inputSchema !== "object" && typeof inputSchema !== "function") || inputSchema === null) {
      throw new TypeError(`Tool "${name}" has no input schema. Set inputSchema.`);
    }
    if (!isStandardSchema(inputSchema) && this.#validateJsonSchema === undefined) {
      throw new TypeError(
        `Tool "${name}" has a plain JSON Schema. Pass the option validateJsonSchema to validate its input.`,
      );
    }
  }
}

const SHOWN_TOOLS = 40;

function listOf(names: readonly string[]): string {
  const more = names.length - SHOWN_TOOLS;
  return `${names.slice(0, SHOWN_TOOLS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** How many problems an error lists. */
const SHOWN_NAME_CHARS = 100;
const SHOWN_ISSUES = 20;

function isStandardSchema(schema: unknown): schema is StandardSchema {
  return typeof (schema as StandardSchema | null)?.["~standard"]?.validate === "function";
}

function judge(tool: AnyTool, input: unknown, result: SchemaResult<unknown>): Validated {
  if (result.issues === undefined) return { ok: true, input: result.value as Record<string, unknown> };
  return { ok: false, message: invalidInput(tool, input, result.issues) };
}

function schemaFailed(tool: AnyTool, error: unknown): Validated {
  const text = `InputValidationError: the schema of ${tool.name} failed: ${messageOf(error)}`;
  return { ok: false, message: toolUseError(text) };
}

function invalidInput(tool: AnyTool, input: unknown, issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, SHOWN_ISSUES).map((issue) => `- ${inWords(input, issue)}`);
  if (issues.length > SHOWN_ISSUES) lines.push(`- and ${issues.length - SHOWN_ISSUES} more`);
  // A strict schema names them itself. Issues of Standard Schema have no code.
  if (!issues.some(({ message }) => /\bunrecognized\b/i.test(message)))
    lines.push(...unknownParameters(tool, input).map((line) => `- ${line}`));
  return toolUseError(`InputValidationError: ${tool.name} cannot take this input:\n${lines.join("\n")}`);
}

function inWords(input: unknown, { path = [], message }: SchemaIssue): string {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  const name = keys.map(String).join(".");
  if (name === "") return message;
  let value = input;
  for (const key of keys) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  // If the message says something else, it is better. Issues of Standard Schema have no code.
  const isMissing = value === undefined && /\b(undefined|required|missing|expected)\b/i.test(message);
  return isMissing ? `the required parameter \`${name}\` is missing` : `\`${name}\`: ${message}`;
}

/** Returns what the core needs to know about a call. A declaration that throws counts as writing everything. */
export function accessOf(tool: AnyTool, input: Record<string, unknown>, context: SharedContext): Access {
  const asked: Asked = { tool, input, context };
  const readOnly = declared(asked, "isReadOnly") === true;
  const safe =
    tool.isConcurrencySafe === undefined ? readOnly : declared(asked, "isConcurrencySafe") === true;
  const byDefault = safe ? READS_EVERYTHING : WRITES_EVERYTHING;
  const access: Access = {
    claims:
      tool.access === undefined
        ? byDefault
        : ((declared(asked, "access") as Claim[] | undefined) ?? WRITES_EVERYTHING),
    readOnly,
    interrupt:
      tool.interruptBehavior !== undefined && declared(asked, "interruptBehavior") === "cancel"
        ? "cancel"
        : "block",
    onError:
      tool.onError !== undefined && declared(asked, "onError") === "cancel-later"
        ? "cancel-later"
        : "isolate",
  };
  return tool.delegates === true ? delegating(access) : access;
}

/** What a call touches that only waits for others: nothing. */
export function delegating(access: Access): Access {
  return { ...access, claims: [], delegates: true };
}
