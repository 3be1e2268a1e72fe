/** The registered tools of a worker. It runs nothing else, and validates every input. */
import type { AnyTool, StandardSchema, ValidateJsonSchema } from "@runahead/engine";
import { messageOf } from "@runahead/base";
import type { WireCall } from "./message.ts";
import { versionOf } from "./version.ts";

export type Admitted =
  | { readonly ok: true; readonly tool: AnyTool; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly message: string };

export interface ToolboxOptions {
  readonly tools: readonly AnyTool[];
  readonly release: string;
  readonly validateJsonSchema: ValidateJsonSchema | undefined;
}

export class WorkerTools {
  readonly #byName = new Map<string, { readonly tool: AnyTool; readonly version: string }>();
  readonly #validateJsonSchema: ValidateJsonSchema | undefined;

  constructor({ tools, release, validateJsonSchema }: ToolboxOptions) {
    this.#validateJsonSchema = validateJsonSchema;
    for (const tool of tools) {
      if (!isStandard(tool.inputSchema) && validateJsonSchema === undefined)
        throw new TypeError(
          `Tool "${tool.name}" has a plain JSON Schema: set the option "validateJsonSchema".`,
        );
      this.#byName.set(tool.name, { tool, version: versionOf(tool, release) });
    }
    if (this.#byName.size === 0) throw new TypeError("A worker needs at least one tool.");
  }

  /** The version of each tool, by name. */
  versions(): Record<string, string> {
    return Object.fromEntries([...this.#byName].map(([name, { version }]) => [name, version]));
  }

  async admit({ tool: name, version, input }: WireCall): Promise<Admitted> {
    const found = this.#byName.get(name);
    if (found === undefined) return { ok: false, message: `this worker has no tool ${name}` };
    if (found.version !== version) {
      const message = `the worker has another version of ${name} (${found.version}) than the caller (${version}); deploy the same tools on both`;
      return { ok: false, message };
    }
    try {
      return await this.#validate(found.tool, input);
    } catch (error) {
      return { ok: false, message: `the schema of ${name} failed: ${messageOf(error)}` };
    }
  }

  async #validate(tool: AnyTool, input: unknown): Promise<Admitted> {
    const schema: unknown = tool.inputSchema;
    const validated = isStandard(schema)
      ? schema["~standard"].validate(input)
      : { value: input, issues: this.#validateJsonSchema?.(schema as Record<string, unknown>, input) };
    const result = validated instanceof Promise ? await validated : validated;
    const [issue] = result.issues ?? [];
    if (issue === undefined && "value" in result)
      return { ok: true, tool, input: result.value as Record<string, unknown> };
    const path = (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
    const message = `the worker's schema of ${tool.name} rejects this input: ${path.join(".")} ${issue?.message ?? ""}`;
    return { ok: false, message: message.trimEnd() };
  }
}

function isStandard(schema: unknown): schema is StandardSchema {
  return typeof (schema as StandardSchema | null)?.["~standard"]?.validate === "function";
}
