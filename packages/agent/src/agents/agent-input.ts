/** The input schema of the Agent tool. Written by hand, so that the package needs no schema library. */

import type { SchemaIssue, StandardSchema } from "@runahead/engine";

export interface AgentInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
}

const FIELDS = {
  description: "Short summary of the task (3 to 5 words)",
  prompt:
    "The complete task: goal, context, paths, what to return. The sub-agent sees nothing else of this conversation.",
  subagent_type: "Type of sub-agent (default: general-purpose)",
  model: "Name of a model that this tool's description lists (default: your own model)",
} as const;
const REQUIRED: readonly string[] = ["description", "prompt"];

const JSON_SCHEMA = {
  type: "object",
  properties: Object.fromEntries(
    Object.entries(FIELDS).map(([name, description]) => [name, { type: "string", description }]),
  ),
  required: REQUIRED,
  additionalProperties: false,
};

interface WithJsonSchema {
  readonly "~standard": StandardSchema<AgentInput>["~standard"] & {
    readonly jsonSchema: { input(): Readonly<Record<string, unknown>> };
  };
}

export const agentInput: StandardSchema<AgentInput> & WithJsonSchema = {
  "~standard": {
    version: 1,
    vendor: "runahead",
    validate: (value) => {
      const given = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
      const issues = Object.keys(FIELDS).flatMap((name): SchemaIssue[] => {
        const isMissing = given[name] === undefined;
        if (isMissing ? !REQUIRED.includes(name) : typeof given[name] === "string") return [];
        return [{ message: isMissing ? "is required" : "must be a string", path: [name] }];
      });
      if (issues.length > 0) return { issues };
      const known = Object.entries(given).filter(([name]) => Object.hasOwn(FIELDS, name));
      return { value: Object.fromEntries(known) as unknown as AgentInput };
    },
    jsonSchema: { input: () => JSON_SCHEMA },
  },
};
