/** Whether the model must call a tool, in the words of each API. */

import { type Check, isShape, wrong } from "@runahead/base";
import { ModelError } from "./error.ts";
import type { ModelRequest } from "./message.ts";

/**
 * Whether the model calls tools: `auto` lets it decide, `none` forbids calls, `required` asks for at least one call, and a
 * name asks for a call of that tool.
 */
export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | {
      /** The name of the tool that the model must call. */
      readonly tool: string;
    };

export const aToolChoice: Check = (value, what) => {
  if (value === undefined || value === "auto" || value === "none" || value === "required") return;
  if (value === "any") throw new TypeError(`${what} must be "required" instead of "any".`);
  if (!isShape(value) || typeof value["tool"] !== "string" || Object.keys(value).length !== 1)
    throw wrong(what, '"auto", "none", "required" or { tool: "Name" }', value);
};

type Body = Readonly<Record<string, unknown>>;
type Asked = Pick<ModelRequest, "tools" | "toolChoice">;

/** Whether the choice leaves the model no other way than a call. */
export function isForced(choice: ToolChoice | undefined): choice is "required" | { readonly tool: string } {
  return choice === "required" || typeof choice === "object";
}

/** Returns the choice that must be sent; undefined if the API does the same without one. */
function choiceOf({ tools, toolChoice }: Asked): Exclude<ToolChoice, "auto"> | undefined {
  if (toolChoice === undefined || toolChoice === "auto") return undefined;
  if (toolChoice === "none") return tools.length === 0 ? undefined : toolChoice;
  const names = tools.map(({ name }) => name);
  if (toolChoice === "required" && names.length > 0) return toolChoice;
  if (toolChoice === "required")
    throw new ModelError("bad-request", 'toolChoice is "required", but the request has no tools. Add one.');
  if (names.includes(toolChoice.tool)) return toolChoice;
  const known = names.length === 0 ? "The request has no tools." : `Tools: ${names.join(", ")}.`;
  throw new ModelError(
    "bad-request",
    `toolChoice names the tool ${JSON.stringify(toolChoice.tool)}, which the request does not have. ${known}`,
  );
}

/** @throws ModelError if the request does not have the tool that the model must call. */
export function checkToolChoice(request: Asked): void {
  choiceOf(request);
}

/** Returns the member of a request to the Messages API. `thinking` are the members about thinking. */
export function anthropicChoice(request: Asked, { model, thinking }: Thinks): Body {
  const choice = choiceOf(request);
  if (choice === undefined) return {};
  if (isForced(choice)) throwIfThinking(choice, { model, thinking });
  if (choice === "none") return { tool_choice: { type: "none" } };
  return {
    tool_choice: choice === "required" ? { type: "any" } : { type: "tool", name: choice.tool },
  };
}

/** A model, and what a request to it says about thinking: `{ type: "enabled" }`. */
interface Thinks {
  readonly model: string;
  readonly thinking: unknown;
}

/** The API would refuse the request with words that do not say what to change. */
export function throwIfThinking(choice: ToolChoice, { model, thinking }: Thinks): void {
  const type = isShape(thinking) ? thinking["type"] : undefined;
  if (type !== "enabled" && type !== "adaptive") return;
  throw new ModelError(
    "bad-request",
    `toolChoice ${shown(choice)} cannot be combined with thinking: ${model} refuses a forced call while it thinks. ` +
      'Set thinking to "off" and leave effort out for this model, or use "auto" or "none".',
  );
}

/** Returns the member of a request to Chat Completions. */
export function chatChoice(request: Asked): Body {
  const choice = choiceOf(request);
  if (choice === undefined) return {};
  if (typeof choice === "string") return { tool_choice: choice };
  return { tool_choice: { type: "function", function: { name: choice.tool } } };
}

/** Returns the member of a request to the Responses API. */
export function responsesChoice(request: Asked): Body {
  const choice = choiceOf(request);
  if (choice === undefined) return {};
  return {
    tool_choice: typeof choice === "string" ? choice : { type: "function", name: choice.tool },
  };
}

/** Returns the member of a call of an AI SDK model. */
export function aiSdkChoice(request: Asked): { readonly toolChoice?: object } {
  const choice = choiceOf(request);
  if (request.tools.length === 0) return {};
  if (choice === undefined) return { toolChoice: { type: "auto" } };
  if (typeof choice === "string") return { toolChoice: { type: choice } };
  return { toolChoice: { type: "tool", toolName: choice.tool } };
}

function shown(choice: ToolChoice): string {
  return JSON.stringify(choice);
}
