/**
 * A model whose requests leave out tools that the model finds by a search. The provider's own search finds them where it
 * has one. Elsewhere, the model finds them with ToolSearch and calls them through CallTool. The tools of a request then
 * stay the same, so the provider's prompt cache is kept.
 */

import { isShape } from "@runahead/base";
import type { Model, ModelEvent } from "./event.ts";
import type { Block, Message, ModelRequest, ToolDefinition } from "./message.ts";
import {
  canSearchTools,
  refusesToolSearch,
  searchedRequest,
  withoutSearches,
} from "./provider-tool-search.ts";
import { passOn } from "./reading.ts";

export const SEARCH_TOOL = "ToolSearch";
export const CALL_TOOL = "CallTool";
/** APIs reject a history with other names. */
const A_NAME = /^[\w.:/-]{1,128}$/;

/** Whether a tool is left out of requests. */
type IsDeferred = (tool: { readonly name: string }) => boolean;

interface Deferring {
  readonly isDeferred: IsDeferred;
  /** The model that answers now. Default: the model itself. */
  readonly current?: () => Model;
}

export const CALL_DEFINITION: ToolDefinition = {
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
export function deferringModel(model: Model, { isDeferred, current = () => model }: Deferring): Model {
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
        passOn(() => model.stream(deferredRequest(request, isDeferred), signal), {
          each: ownEvents,
        });
      if (isRefused || !canSearchTools(current())) return own();
      const searched = searchedRequest(withoutCallTool(request), {
        searchTool: SEARCH_TOOL,
        isDeferrable: (tool) => isDeferred(tool) && !isForced(request, tool),
      });
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

/** The caller's own tool of this name only says how it is called. */
function withoutCallTool(request: ModelRequest): ModelRequest {
  return { ...request, tools: request.tools.filter(({ name }) => name !== CALL_TOOL) };
}

/** A model can only be made to call a tool that it gets. */
function isForced({ toolChoice }: ModelRequest, { name }: { readonly name: string }): boolean {
  return typeof toolChoice === "object" && toolChoice.tool === name;
}

function deferredRequest(request: ModelRequest, isDeferred: IsDeferred): ModelRequest {
  const others = withoutCallTool(request).tools.filter(
    (tool) => !isDeferred(tool) || isForced(request, tool),
  );
  return {
    ...request,
    tools: [...others, CALL_DEFINITION],
    messages: request.messages.map(withoutSearches).map((message) => wrappedCalls(message, isDeferred)),
  };
}

/** The model reads its own calls as it made them. */
function wrappedCalls(message: Message, isDeferred: IsDeferred): Message {
  const { role, content } = message;
  if (role !== "assistant" || typeof content === "string") return message;
  const isDeferredCall = ({ type, name }: Block): boolean =>
    type === "tool_use" && typeof name === "string" && isDeferred({ name });
  if (!content.some(isDeferredCall)) return message;
  return { role, content: content.map((block) => (isDeferredCall(block) ? wrapped(block) : block)) };
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

/** Returns nothing if the model did not name a tool. The call of a name that does not exist fails and says so. */
function calledBy(input: unknown): { readonly name?: string; readonly input?: unknown } {
  if (!isShape(input) || typeof input["tool"] !== "string" || !A_NAME.test(input["tool"])) return {};
  return { name: input["tool"], input: input["input"] ?? {} };
}
