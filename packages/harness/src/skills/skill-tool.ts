/** The Skill tool: loads a skill into the conversation, or runs it in a sub-agent. */

import { type AnyTool, type StandardSchema, defineTool } from "@runahead/engine";
import { isCalled } from "../definitions/prompt-file.ts";
import type { PromptLibrary } from "./library.ts";

interface SkillInput {
  readonly skill: string;
  readonly args?: string;
}

const JSON_SCHEMA = {
  type: "object",
  properties: {
    skill: { type: "string", description: "Name of the skill, as listed" },
    args: {
      type: "string",
      description: "Arguments, as the user would type them after the name (default: none)",
    },
  },
  required: ["skill"],
  additionalProperties: false,
};

const schema: StandardSchema<SkillInput> & {
  readonly "~standard": { readonly jsonSchema: { input(): Readonly<Record<string, unknown>> } };
} = {
  "~standard": {
    version: 1,
    vendor: "runahead",
    validate: (value) => {
      const { skill, args } = (typeof value === "object" && value !== null ? value : {}) as Record<
        string,
        unknown
      >;
      if (typeof skill !== "string" || skill.trim() === "")
        return { issues: [{ message: "must be the name of a skill", path: ["skill"] }] };
      if (args !== undefined && args !== null && typeof args !== "string")
        return { issues: [{ message: "must be a string", path: ["args"] }] };
      const [name = "", ...rest] = skill.trim().split(/\s+/);
      const words = args ?? rest.join(" ");
      return { value: { skill: name, ...(words === "" ? {} : { args: words }) } };
    },
    jsonSchema: { input: () => JSON_SCHEMA },
  },
};

/** `agent` runs skills that ask for their own context; undefined if the agent has no sub-agents. */
export function skillTool(library: PromptLibrary, agent: () => AnyTool | undefined): AnyTool {
  const isPlain = (name: string): boolean => {
    const file = library.known.find((one) => isCalled(one, name.replace(/^\//, "")));
    return file !== undefined && !file.isForked && !/!`|^```!/m.test(file.body);
  };
  return defineTool({
    name: "Skill",
    description:
      "Loads a skill: instructions for a kind of task, written by the user or the project. The available skills are listed in a system reminder. If a skill fits the task, load it before you start, then follow it. Files that it mentions are in its folder: read them when you need them. Do not load a skill that is already loaded.",
    inputSchema: schema,
    isReadOnly: ({ skill }) => isPlain(skill),
    access: ({ skill }) => (isPlain(skill) ? [] : [{ mode: "write", place: "*" }]),
    timeoutMs: () => Number.POSITIVE_INFINITY,
    describe: ({ skill, args }) => `Skill ${skill}${args === undefined ? "" : ` ${args}`}`,
    async call({ skill, args = "" }, context) {
      const { file, text } = await library.load(skill, args, context.signal);
      const runner = file.isForked ? agent() : undefined;
      if (runner === undefined) {
        await library.begin(file);
        return `Folder of this skill: ${file.folder}\n\n${text}`;
      }
      const input = {
        description: `Skill ${file.name}`,
        prompt: `${text}\n\nThe files of this skill are in ${file.folder}.`,
        ...(file.agent === undefined ? {} : { subagent_type: agentType(file.agent) }),
      };
      const release = await library.apply(file);
      try {
        const output: unknown = await runner.call(input, context);
        return runner.toResult?.(output) ?? output;
      } finally {
        release();
      }
    },
  });
}

/** Built-in types are written in other ways elsewhere. */
function agentType(name: string): string {
  if (/^(?:explore|plan)$/i.test(name)) return name.toLowerCase();
  return /^general(?:-purpose)?$/i.test(name) ? "general-purpose" : name;
}
