/** The input schemas of the tools for sub-agents. Written by hand, so that the package needs no schema library. */

import type { SchemaIssue, StandardSchema } from "@runahead/engine";

/** A member of an input. */
interface Field {
  readonly type: "string" | "boolean" | "number";
  readonly description: string;
  readonly enum?: readonly string[];
}

type Fields<Input> = Readonly<Record<keyof Input, Field>>;

interface WithJsonSchema<Input> {
  readonly "~standard": StandardSchema<Input>["~standard"] & {
    readonly jsonSchema: { input(): Readonly<Record<string, unknown>> };
  };
}

export type InputSchema<Input> = StandardSchema<Input> & WithJsonSchema<Input>;

/** Makes a schema of an object with these members. Unknown members are ignored. */
function inputOf<Input extends object>(
  fields: Fields<Required<Input>>,
  required: readonly (keyof Input & string)[],
): InputSchema<Input> {
  const all = Object.entries<Field>(fields);
  const jsonSchema = {
    type: "object",
    properties: Object.fromEntries(all),
    required,
    additionalProperties: false,
  };
  return {
    "~standard": {
      version: 1,
      vendor: "runahead",
      validate: (value) => {
        const given = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
        const issues = all.flatMap(([name, field]) =>
          issuesOf({ name, field, given: given[name], isRequired: required.some((one) => one === name) }),
        );
        if (issues.length > 0) return { issues };
        const known = Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
        return { value: Object.fromEntries(known) as unknown as Input };
      },
      jsonSchema: { input: () => jsonSchema },
    },
  };
}

interface Given {
  readonly name: string;
  readonly field: Field;
  readonly given: unknown;
  readonly isRequired: boolean;
}

function issuesOf({ name, field, given, isRequired }: Given): SchemaIssue[] {
  if (given === undefined) return isRequired ? [{ message: "is required", path: [name] }] : [];
  if (typeof given !== field.type) return [{ message: `must be a ${field.type}`, path: [name] }];
  if (field.enum !== undefined && (typeof given !== "string" || !field.enum.includes(given)))
    return [{ message: `must be one of: ${field.enum.join(", ")}`, path: [name] }];
  return [];
}

export interface AgentInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
  readonly run_in_background?: boolean;
  readonly resume?: string;
  readonly isolation?: "worktree";
}

export const agentInput = inputOf<AgentInput>(
  {
    description: { type: "string", description: "Short summary of the task (3 to 5 words)" },
    prompt: {
      type: "string",
      description:
        "The complete task: goal, context, paths, what to return. The sub-agent sees nothing else of this conversation.",
    },
    subagent_type: { type: "string", description: "Type of sub-agent (default: general-purpose)" },
    model: {
      type: "string",
      description: "Name of a model that this tool's description lists (default: your own model)",
    },
    run_in_background: {
      type: "boolean",
      description: "Return at once with the sub-agent's id; you are notified when it ends (default: false)",
    },
    resume: {
      type: "string",
      description: "Id of a sub-agent, when it should go on with its context",
    },
    isolation: {
      type: "string",
      enum: ["worktree"],
      description: "worktree: work in a new git worktree on a branch of its own (default: your folder)",
    },
  },
  ["description", "prompt"],
);

export interface SendMessageInput {
  readonly to: string;
  readonly message: string;
}

export const sendMessageInput = inputOf<SendMessageInput>(
  {
    to: { type: "string", description: "Id of the sub-agent, such as agent-1" },
    message: { type: "string", description: "The message" },
  },
  ["to", "message"],
);

export interface TaskOutputInput {
  readonly task_id: string;
  readonly block?: boolean;
  readonly timeout?: number;
}

export const taskOutputInput = inputOf<TaskOutputInput>(
  {
    task_id: { type: "string", description: "Id of a background sub-agent or command" },
    block: { type: "boolean", description: "Wait until it ends (default: true)" },
    timeout: { type: "number", description: "Longest wait in milliseconds (default: 30000, at most 600000)" },
  },
  ["task_id"],
);

export interface TaskStopInput {
  readonly task_id: string;
}

export const taskStopInput = inputOf<TaskStopInput>(
  { task_id: { type: "string", description: "Id of a background sub-agent or command" } },
  ["task_id"],
);
