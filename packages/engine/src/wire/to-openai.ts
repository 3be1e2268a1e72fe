/** Results in the formats of OpenAI's two APIs. */

import type { ToolResult } from "../core/outcome.ts";
import type { ResultBlock } from "../runtime/tool.ts";
import { type Shape, stringOf } from "./shape.ts";
import { checkArray, shown } from "../runtime/shapes.ts";

/** Holds a result for Chat Completions. Assignable to `OpenAI.ChatCompletionToolMessageParam`. */
export interface OpenAiChatResult {
  /** Always `tool`. */
  readonly role: "tool";
  /** The id of the call. */
  readonly tool_call_id: string;
  /** What the model reads. This API accepts only text: images and documents are named, not shown. */
  readonly content: string;
}

/** Holds a part of a result for the Responses API. */
export type OpenAiPart =
  | {
      readonly type: "input_text";
      /** What the model reads. */
      readonly text: string;
    }
  | {
      readonly type: "input_image";
      /** A URL, or the image as a `data:` URL. */
      readonly image_url: string;
    }
  | {
      readonly type: "input_file";
      /** A name for the data, which the API requires. */
      readonly filename: string;
      /** The file as a `data:` URL. */
      readonly file_data: string;
    }
  | {
      readonly type: "input_file";
      /** A URL that the API can load. */
      readonly file_url: string;
    };

/** Holds a result for the Responses API. Assignable to `OpenAI.Responses.ResponseInputItem.FunctionCallOutput`. */
export interface OpenAiResponsesResult {
  /** Always `function_call_output`. */
  readonly type: "function_call_output";
  /** The id of the call. */
  readonly call_id: string;
  /** What the model reads: a text, or parts if there are images or documents. */
  readonly output: string | OpenAiPart[];
}

/** Holds the same results for both of OpenAI's APIs. */
export interface OpenAiResults {
  /** For `messages` of Chat Completions. */
  readonly chat: OpenAiChatResult[];
  /** For `input` of the Responses API. */
  readonly responses: OpenAiResponsesResult[];
}

/** Neither API has a field that marks an error, so its text must begin with a word that does. */
const SAYS_ERROR = /^\s*(?:Error\b|Not run\b|Stopped\b|Outcome unknown\b|<tool_use_error>)/;

/**
 * Converts results to the forms of OpenAI's two APIs. The text of an error begins with a word that marks it as one,
 * because neither API has a field for it.
 *
 * @example
 * ```ts
 * import { type ToolResult, toOpenAi } from "@runahead/engine";
 *
 * const result: ToolResult = { type: "tool_result", tool_use_id: "call_1", content: "sunny", is_error: false };
 * console.log(toOpenAi([result]).chat); // [{ role: "tool", tool_call_id: "call_1", content: "sunny" }]
 * ```
 */
export function toOpenAi(results: readonly ToolResult[]): OpenAiResults {
  checkArray(results, "toOpenAi: results", "tool results");
  for (const [at, result] of results.entries()) {
    const content: unknown = result?.content;
    if (typeof content !== "string" && !Array.isArray(content))
      throw new TypeError(
        `toOpenAi: results[${at}] must be a tool result with content, not ${shown(result)}. ` +
          "Pass the `result` of each update.",
      );
  }
  return { chat: results.map(toChat), responses: results.map(toResponses) };
}

function toChat(result: ToolResult): OpenAiChatResult {
  const content = blocksOf(result).map(textFor).join("\n");
  return { role: "tool", tool_call_id: result.tool_use_id, content };
}

function toResponses(result: ToolResult): OpenAiResponsesResult {
  const parts = blocksOf(result).map(partFor);
  const texts = parts.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
  const output = texts.length === parts.length ? texts.join("\n") : parts;
  return { type: "function_call_output", call_id: result.tool_use_id, output };
}

function blocksOf({ content, is_error }: ToolResult): readonly ResultBlock[] {
  const blocks: readonly ResultBlock[] = typeof content === "string" ? [textBlock(content)] : content;
  if (!is_error) return blocks;
  const first = blocks[0];
  if (first?.type !== "text") return [textBlock("Error: the call failed."), ...blocks];
  if (SAYS_ERROR.test(first.text)) return blocks;
  return [textBlock(`Error: ${first.text}`), ...blocks.slice(1)];
}

function textBlock(text: string): ResultBlock {
  return { type: "text", text };
}

function textFor(block: ResultBlock): string {
  if (block.type === "text") return block.text;
  const { source } = block;
  if (source["type"] === "text") return stringOf(source["data"]);
  return `[${block.type}: ${describe(source)}, not shown: this API accepts only text results]`;
}

/** Returns its URL, its format, or what else is known about it. */
function describe(source: Shape): string {
  return stringOf(source["url"]) || stringOf(source["media_type"]) || `source ${String(source["type"])}`;
}

function partFor(block: ResultBlock): OpenAiPart {
  if (block.type === "text") return { type: "input_text", text: block.text };
  const address = addressOf(block.source);
  if (address === undefined) return { type: "input_text", text: textFor(block) };
  if (block.type === "image") return { type: "input_image", image_url: address };
  if (block.source["type"] === "url") return { type: "input_file", file_url: address };
  return { type: "input_file", filename: fileName(block.source), file_data: address };
}

function addressOf(source: Shape): string | undefined {
  if (source["type"] === "url") return stringOf(source["url"]);
  if (source["type"] !== "base64") return undefined;
  return `data:${stringOf(source["media_type"])};base64,${stringOf(source["data"])}`;
}

/** The API requires a file name for inline data; only its extension matters. */
function fileName(source: Shape): string {
  return `document.${stringOf(source["media_type"]).split("/")[1] ?? "bin"}`;
}
