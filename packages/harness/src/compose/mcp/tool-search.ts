/**
 * Tool search: if the definitions of MCP tools would take more than a tenth of the context, they are left out of
 * requests. The provider's own search finds them where it has one. Elsewhere, the model finds them with ToolSearch and
 * calls them through CallTool. The tools of a request then stay the same, so the provider's prompt cache is kept.
 */

import { type AnyTool, defineTool, toAnthropicTools } from "@runahead/engine";
import type { Block, Message, Model, ModelEvent, ModelRequest, ToolDefinition } from "@runahead/agent";
import { passOn } from "@runahead/agent/internal";
import { isShape } from "@runahead/base";
import { z } from "zod";
import {
  canSearchTools,
  refusesToolSearch,
  searchedRequest,
  withoutSearches,
} from "./provider-tool-search.ts";

const SEARCH_TOOL = "ToolSearch";
const CALL_TOOL = "CallTool";
const CONTEXT_TOKENS = 200_000;
const CHARS_PER_TOKEN = 4;
const DEFAULT_PERCENT = 10;
const MOST_FOUND = 10;

/** Decides when tools are deferred. Once they are, they stay so: going back would invalidate the prompt cache. */
export class ToolSearch {
  readonly #share: number;
  readonly #isOff: boolean;
  readonly #tool: AnyTool;
  #deferred: readonly AnyTool[] = [];
  #isDeferring = false;

  /** `wish`: the value of `ENABLE_TOOL_SEARCH`: `true`, `false`, `auto` or `auto:PERCENT`. */
  constructor(wish: string | undefined) {
    const [, percent] = /^auto:(\d{1,3})$/.exec(wish ?? "") ?? [];
    this.#isOff = wish === "false" || wish === "0";
    const isAlways = wish === "true" || wish === "1";
    this.#share = isAlways ? 0 : Number(percent ?? DEFAULT_PERCENT) / 100;
    this.#tool = searchTool(() => this.#deferred);
  }

  /** Returns the tools of servers, and the tool that finds them if they are deferred. */
  with(tools: readonly AnyTool[]): readonly AnyTool[] {
    this.#deferred = tools.filter(isDeferrable);
    this.#isDeferring ||= !this.#isOff && this.#deferred.length > 0 && this.#isLarge();
    return this.#isDeferring ? [this.#tool, ...tools] : tools;
  }

  #isLarge(): boolean {
    const chars = JSON.stringify(toAnthropicTools(this.#deferred)).length;
    return chars / CHARS_PER_TOKEN > CONTEXT_TOKENS * this.#share;
  }
}

function isDeferrable({ name }: { readonly name: string }): boolean {
  return name.startsWith("mcp__");
}

function searchTool(deferred: () => readonly AnyTool[]): AnyTool {
  return defineTool({
    name: SEARCH_TOOL,
    description: `Finds tools of MCP servers, whose definitions are not listed here. Returns the name, description and input schema of up to ${MOST_FOUND} tools; call them with ${CALL_TOOL}. Search before you say that you have no tool for something.`,
    inputSchema: z.object({
      query: z
        .string()
        .min(1)
        .describe("Words that describe the tool, or select:NAME,NAME for tools whose names you know"),
    }),
    isReadOnly: () => true,
    access: () => [{ mode: "read", place: "tools:/" }],
    describe: ({ query }) => `Search for tools: ${query}`,
    call: ({ query }) => found(deferred(), query),
    toResult: (tools: readonly AnyTool[]) =>
      tools.length === 0
        ? `No tool matches. Servers: ${serversOf(deferred())}.`
        : toAnthropicTools(tools).map(definitionText).join("\n\n"),
  });
}

function definitionText({ name, description, input_schema: schema }: ToolDefinition): string {
  return `${name}\n${description}\nInput schema: ${JSON.stringify(schema)}`;
}

function serversOf(tools: readonly AnyTool[]): string {
  return [...new Set(tools.map(({ name }) => name.split("__")[1] ?? ""))].join(", ") || "none";
}

/** The tools with the most matching words, names before descriptions. */
function found(tools: readonly AnyTool[], query: string): readonly AnyTool[] {
  const [, names] = /^select:(.+)$/.exec(query) ?? [];
  if (names !== undefined) {
    const wanted = names.split(",").map((name) => name.trim());
    return tools.filter(({ name }) => wanted.includes(name));
  }
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
  const score = ({ name, description }: AnyTool): number => {
    const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
    return words.reduce(
      (sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0),
      0,
    );
  };
  return tools
    .map((tool) => ({ tool, points: score(tool) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .slice(0, MOST_FOUND)
    .map(({ tool }) => tool);
}

const CALL_DEFINITION: ToolDefinition = {
  name: CALL_TOOL,
  description: `Calls a tool that ${SEARCH_TOOL} found. Its input must fit the input schema of that tool.`,
  input_schema: {
    type: "object",
    properties: {
      tool: { type: "string", description: "Name of the tool" },
      input: { type: "object", description: "Input of the tool" },
    },
    required: ["tool", "input"],
  },
};

/** The model calls deferred tools through CallTool; the rest of the program sees calls of the tools themselves. */
export function deferringModel(model: Model, current: () => Model = () => model): Model {
  let isRefused = false;
  return {
    get name() {
      return model.name;
    },
    get facts() {
      return model.facts;
    },
    stream(request, signal) {
      if (!request.tools.some(({ name }) => name === SEARCH_TOOL)) return model.stream(request, signal);
      const own = (): AsyncIterable<ModelEvent> =>
        passOn(() => model.stream(deferredRequest(request), signal), { each: ownEvents });
      if (isRefused || !canSearchTools(current())) return own();
      const searched = searchedRequest(request, { searchTool: SEARCH_TOOL, isDeferrable });
      return (async function* () {
        try {
          return yield* model.stream(searched, signal);
        } catch (error) {
          if (!refusesToolSearch(error)) throw error;
          isRefused = true;
        }
        yield* own();
      })();
    },
  };
}

function deferredRequest(request: ModelRequest): ModelRequest {
  const others = request.tools.filter((tool) => !isDeferrable(tool));
  return {
    ...request,
    tools: [...others, CALL_DEFINITION],
    messages: request.messages.map(withoutSearches).map(wrappedCalls),
  };
}

/** The model reads its own calls as it made them. */
function wrappedCalls(message: Message): Message {
  const { role, content } = message;
  if (role !== "assistant" || typeof content === "string") return message;
  if (!content.some(isDeferredCall)) return message;
  return { role, content: content.map((block) => (isDeferredCall(block) ? wrapped(block) : block)) };
}

function isDeferredCall({ type, name }: Block): boolean {
  return type === "tool_use" && typeof name === "string" && isDeferrable({ name });
}

function wrapped(block: Block): Block {
  return { ...block, name: CALL_TOOL, input: { tool: block["name"], input: block["input"] } };
}

/** A call is reported when it is complete, because its tool is not known before. */
function* ownEvents(event: ModelEvent): Generator<ModelEvent> {
  if ((event.type === "call-begun" || event.type === "call-delta") && event.name === CALL_TOOL) return;
  if (event.type === "block" && event.block["name"] === CALL_TOOL)
    return yield { ...event, block: { ...event.block, ...calledBy(event.block["input"]) } };
  if (event.type !== "call-complete" || event.call.name !== CALL_TOOL) return yield event;
  const { id, message } = event.call;
  const { name = CALL_TOOL, input } = calledBy(inputOf(event.call));
  yield { type: "call-begun", id, name };
  if (input === undefined) return yield event;
  yield { ...event, call: { id, name, input, ...(message === undefined ? {} : { message }) } };
}

type Call = Extract<ModelEvent, { type: "call-complete" }>["call"];

function inputOf(call: Call): unknown {
  if ("input" in call) return call.input;
  try {
    return JSON.parse(call.inputText);
  } catch {
    return undefined;
  }
}

/** Returns nothing if the model did not name a tool: then the call fails as one of an unknown tool. */
function calledBy(input: unknown): { readonly name?: string; readonly input?: unknown } {
  if (!isShape(input) || typeof input["tool"] !== "string" || !isDeferrable({ name: input["tool"] }))
    return {};
  return { name: input["tool"], input: input["input"] ?? {} };
}
