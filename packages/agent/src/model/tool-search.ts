/** Finds tools by words, so that the definitions of hundreds of tools do not fill the context. */

import {
  aFunction,
  aPositiveNumber,
  anything,
  checkOptions,
  checkTools,
  required,
  aNumberFromZero,
  aString,
  anArray,
  checkMembers,
} from "@runahead/base";
import { type AnyTool, type JsonSchema, toAnthropicTools } from "@runahead/engine";
import { CALL_DEFINITION, CALL_TOOL, SEARCH_TOOL, deferringModel } from "./deferred-tools.ts";
import type { Model } from "./event.ts";
import type { ToolDefinition } from "./message.ts";

const MOST_FOUND = 10;

/** Options of {@link toolSearch}. */
export interface ToolSearchOptions {
  /** The model. */
  readonly model: Model;
  /** All tools. */
  readonly tools: readonly AnyTool[];
  /** Whether a tool is left out of requests until a search has found it. Default: all are. */
  readonly isDeferred?: (tool: AnyTool) => boolean;
  /** How many tools a search returns. Default: 10. */
  readonly maxFound?: number;
}

/** A model and tools to pass to an agent. */
export interface SearchedTools {
  /** The model, whose requests have no definitions of deferred tools. */
  readonly model: Model;
  /** All tools, and those that the model gets instead of the deferred ones. */
  readonly tools: readonly AnyTool[];
}

/**
 * Leaves the definitions of tools out of requests. The model finds them with the tool `ToolSearch` and calls them with
 * `CallTool`. Permissions, hooks, events and the history see calls of the tools themselves. The tools of a request never
 * change, so the provider's prompt cache is kept.
 *
 * @throws TypeError if an option is wrong.
 *
 * @example
 * ```ts
 * import { createAgent, scripted, toolSearch } from "@runahead/agent";
 * import { defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const tools = ["Invoice", "Refund", "Reminder"].map((name) =>
 *   defineTool({
 *     name,
 *     description: `Sends the customer a ${name.toLowerCase()}.`,
 *     inputSchema: z.object({ customer: z.string() }),
 *     call: ({ customer }) => `${name} for ${customer}`,
 *   }),
 * );
 * const model = scripted([
 *   [{ type: "tool_use", id: "call_1", name: "ToolSearch", input: { query: "refund" } }],
 *   [{ type: "tool_use", id: "call_2", name: "CallTool", input: { tool: "Refund", input: { customer: "Ada" } } }],
 *   [{ type: "text", text: "Done." }],
 * ]);
 * const agent = createAgent(toolSearch({ model, tools }));
 * console.log((await agent.send("Give Ada her money back.")).text); // Done.
 * ```
 */
export function toolSearch(options: ToolSearchOptions): SearchedTools {
  checkOptions(
    options,
    {
      model: required(anything),
      tools: required(anything),
      isDeferred: aFunction,
      maxFound: aPositiveNumber,
    },
    "toolSearch",
  );
  const { model, tools, isDeferred = () => true, maxFound } = options;
  checkTools(tools, "toolSearch");
  const deferred = tools.filter((tool) => isDeferred(tool));
  const names = new Set(deferred.map(({ name }) => name));
  if (names.size === 0) return { model, tools };
  const search = searchTool({ tools: () => deferred, ...(maxFound === undefined ? {} : { maxFound }) });
  return {
    model: deferringModel(model, { isDeferred: ({ name }) => names.has(name) }),
    tools: [search, WRONG_CALL, ...tools],
  };
}

/** Gets the calls that name no tool: all others become calls of the tools themselves. */
export const WRONG_CALL: AnyTool = {
  name: CALL_TOOL,
  description: CALL_DEFINITION.description,
  inputSchema: {
    "~standard": {
      version: 1,
      vendor: "runahead",
      validate: () => ({
        issues: [{ message: `must be the name of a tool that ${SEARCH_TOOL} found`, path: ["tool"] }],
      }),
    },
  },
  jsonSchema: CALL_DEFINITION.input_schema,
  isReadOnly: () => true,
  access: () => [],
  call: () => undefined,
};

/**
 * Returns the tools that fit a query best: those with the most of its words in their name, then in their description.
 * `select:NAME,NAME` returns the tools with these names.
 *
 * @param most - How many at most. Default: 10.
 *
 * @example
 * ```ts
 * import { searchTools } from "@runahead/agent";
 * import { defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const mail = defineTool({
 *   name: "SendMail",
 *   description: "Sends a message to a person.",
 *   inputSchema: z.object({ to: z.string() }),
 *   call: ({ to }) => `sent to ${to}`,
 * });
 * console.log(searchTools([mail], "message").length); // 1
 * ```
 */
export function searchTools(tools: readonly AnyTool[], query: string, most = MOST_FOUND): readonly AnyTool[] {
  required(anArray)(tools, 'searchTools: "tools"');
  required(aString)(query, 'searchTools: "query"');
  aNumberFromZero(most, 'searchTools: "most"');
  for (const [at, tool] of tools.entries())
    checkMembers(tool, { name: required(aString) }, `searchTools: tools[${at}]`);
  const [, names] = /^select:(.+)$/.exec(query) ?? [];
  if (names !== undefined) {
    const wanted = new Set(names.split(",").map((name) => name.trim()));
    return tools.filter(({ name }) => wanted.has(name));
  }
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
  return tools
    .map((tool) => ({ tool, points: pointsOf(tool, words) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .slice(0, most)
    .map(({ tool }) => tool);
}

function pointsOf({ name, description }: AnyTool, words: readonly string[]): number {
  const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
  return words.reduce(
    (sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0),
    0,
  );
}

const INPUT: JsonSchema = {
  type: "object",
  properties: {
    query: {
      type: "string",
      description: "Words that describe the tool, or select:NAME,NAME for tools whose names you know",
    },
  },
  required: ["query"],
  additionalProperties: false,
};

const SCHEMA = {
  "~standard": {
    version: 1,
    vendor: "runahead",
    validate: (value: unknown) => {
      const { query } = (value ?? {}) as { query?: unknown };
      if (typeof query === "string" && query.trim() !== "") return { value: { query } };
      return { issues: [{ message: "query must be a text that is not empty", path: ["query"] }] };
    },
  },
} as const;

interface Searching {
  /** The tools that can be found. */
  readonly tools: () => readonly AnyTool[];
  /** What kind of tools they are, for the description. Default: `tools`. */
  readonly kind?: string;
  /** Added if nothing was found. Default: nothing. */
  readonly hint?: () => string;
  readonly maxFound?: number;
}

export function searchTool({
  tools,
  kind = "tools",
  hint = () => "",
  maxFound = MOST_FOUND,
}: Searching): AnyTool {
  return {
    name: SEARCH_TOOL,
    description: `Finds ${kind}, whose definitions are not listed here. Returns the name, description and input schema of up to ${maxFound} tools; call them with ${CALL_TOOL}. Search before you say that you have no tool for something.`,
    inputSchema: SCHEMA,
    jsonSchema: INPUT,
    isReadOnly: () => true,
    access: () => [{ mode: "read", place: "tools:/" }],
    describe: ({ query }) => `Search for tools: ${String(query)}`,
    call: ({ query }) => searchTools(tools(), String(query), maxFound),
    toResult: (output) => {
      const found = output as readonly AnyTool[];
      if (found.length === 0) return `No tool matches.${hint()}`;
      return toAnthropicTools(found).map(definitionText).join("\n\n");
    },
  };
}

function definitionText({ name, description, input_schema: schema }: ToolDefinition): string {
  return `${name}\n${description}\nInput schema: ${JSON.stringify(schema)}`;
}
