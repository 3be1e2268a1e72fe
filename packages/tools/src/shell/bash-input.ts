/** Input schemas of the shell tools: Standard Schema with JSON Schema output. */

import type { BashLimits } from "./bash-limits.ts";
import type { StandardSchema } from "@runahead/engine";

interface Field {
  readonly type: "string" | "number" | "boolean";
  readonly description: string;
  readonly isOptional: boolean;
  /** Returns what is wrong with a value of the right type. */
  readonly problem?: (value: unknown) => string | undefined;
}

type Fields<Input> = { readonly [Name in keyof Input]-?: Field };
type Schema<Input> = StandardSchema<Input> & {
  readonly "~standard": { readonly jsonSchema: { input(): Readonly<Record<string, unknown>> } };
};

export interface BashInput {
  readonly command: string;
  readonly timeout?: number;
  readonly description?: string;
  readonly run_in_background?: boolean;
}

export interface BashOutputInput {
  readonly bash_id: string;
  readonly filter?: string;
}

interface KillShellInput {
  readonly shell_id: string;
}

/** The system limits one argument to 128 KB. */
const MOST_COMMAND_BYTES = 120_000;

export function bashInput({ defaultMs, mostMs }: BashLimits) {
  return schema<BashInput>({
    command: {
      type: "string",
      description: "The bash command to run",
      isOptional: false,
      problem: commandProblem,
    },
    timeout: {
      type: "number",
      description: `Time limit in milliseconds (default ${defaultMs}, at most ${mostMs})`,
      isOptional: true,
      problem: (value) => (Number(value) > 0 ? undefined : "must be greater than 0 (milliseconds)"),
    },
    description: {
      type: "string",
      description: "What the command does, in five to ten words, for the user (default: the command)",
      isOptional: true,
    },
    run_in_background: {
      type: "boolean",
      description:
        "Return at once and keep it running; read it with BashOutput, end it with KillShell (default false)",
      isOptional: true,
    },
  });
}

export const bashOutputInput = schema<BashOutputInput>({
  bash_id: { type: "string", description: "The id of the background job", isOptional: false },
  filter: {
    type: "string",
    description: "Regular expression; only matching lines are returned (default: all lines)",
    isOptional: true,
    problem: regexProblem,
  },
});

export const killShellInput = schema<KillShellInput>({
  shell_id: { type: "string", description: "The id of the background job to end", isOptional: false },
});

function commandProblem(value: unknown): string | undefined {
  const command = String(value);
  if (command.trim() === "") return "must not be empty";
  if (command.includes("\0")) return "must not contain a NUL character";
  if (Buffer.byteLength(command) > MOST_COMMAND_BYTES)
    return `must be at most ${MOST_COMMAND_BYTES} bytes; write a longer script to a file and run the file`;
  return undefined;
}

function regexProblem(value: unknown): string | undefined {
  try {
    void new RegExp(String(value));
    return undefined;
  } catch (error) {
    return `is not a valid regular expression: ${(error as Error).message}`;
  }
}

function schema<Input>(fields: Fields<Input>): Schema<Input> {
  const names = Object.keys(fields) as (keyof Input & string)[];
  const validate: Schema<Input>["~standard"]["validate"] = (value) => {
    if (typeof value !== "object" || value === null) return { issues: [{ message: "must be an object" }] };
    const given = value as Record<string, unknown>;
    const issues = names.flatMap((name) => issueOf(name, fields[name], given[name]) ?? []);
    if (issues.length > 0) return { issues };
    const known = names.filter((name) => given[name] !== undefined && given[name] !== null);
    return { value: Object.fromEntries(known.map((name) => [name, given[name]])) as Input };
  };
  const jsonSchema = { input: () => toJsonSchema(fields) };
  return { "~standard": { version: 1, vendor: "runahead", validate, jsonSchema } };
}

function issueOf(
  name: string,
  field: Field,
  value: unknown,
): { message: string; path: string[] } | undefined {
  const path = [name];
  if (value === undefined || value === null)
    return field.isOptional ? undefined : { message: "required", path };
  if (typeof value !== field.type || Number.isNaN(value))
    return { message: `must be a ${field.type}, not ${typeof value}`, path };
  const message = field.problem?.(value);
  return message === undefined ? undefined : { message, path };
}

function toJsonSchema<Input>(fields: Fields<Input>): Readonly<Record<string, unknown>> {
  const entries = Object.entries<Field>(fields);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { type, description }]) => [name, { type, description }]),
    ),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: false,
  };
}
