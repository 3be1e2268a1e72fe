/** What an SDK's message says, in the words of our events; with the corrections where the SDK is wrong. */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import type { Expected } from "./compare.ts";
import { plainItem } from "./normal.ts";
import { type RawChat, rawChat } from "./raw-chat.ts";
import { rawMessage } from "./raw-messages.ts";
import { parsed, rawEvents } from "./raw.ts";
import type { Accumulated } from "./sdk.ts";

/** Undefined if the SDK rightly reports an error. */
type Expecting = (sdk: Accumulated, bytes: Uint8Array) => Expected | undefined;

/** The Messages API: our events have its form. */
export const expectedMessages: Expecting = (sdk, bytes) => {
  if (sdk.type === "refused") return refusedMessage(sdk.why, bytes);
  const { message } = sdk;
  const content = listOf(message["content"]).map(shapeOf);
  const usage = shapeOf(message["usage"]);
  const hasCutCall = message["stop_reason"] === "max_tokens" && endsInCutCall(content, bytes);
  const whole = hasCutCall ? content.slice(0, -1) : content;
  const calls = whole.filter(({ type }) => type === "tool_use");
  return {
    text: texts(content, "text"),
    thinking: texts(content, "thinking"),
    calls: calls.map(({ id, name, input }) => ({ id, name, input })),
    stop: stringOf(message["stop_reason"]),
    tokens: {
      input: count(usage["input_tokens"]),
      output: count(usage["output_tokens"]),
      cacheRead: count(usage["cache_read_input_tokens"]),
      cacheWrite: count(usage["cache_creation_input_tokens"]),
    },
    sentBack: whole.filter((block) => !isEmptyText(block)).map(withoutNoCitations),
    exceptions: hasCutCall ? ["it completes an input that was cut off; such a call must not run"] : [],
  };
};

const MESSAGE_REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/got message_start before/, "it refuses a message_start that is repeated before any content"],
  [/without sending any chunks/, "it ignores events without a name"],
];

function refusedMessage(why: string, bytes: Uint8Array): Expected | undefined {
  const message = rawMessage(bytes);
  const expected = message && expectedMessages({ type: "message", message }, bytes);
  return expected && { ...expected, exceptions: [refusal(why, MESSAGE_REFUSALS), ...expected.exceptions] };
}

function refusal(why: string, known: typeof MESSAGE_REFUSALS): string {
  return known.find(([words]) => words.test(why))?.[1] ?? `it refuses the response: ${why}`;
}

function endsInCutCall(content: readonly Shape[], bytes: Uint8Array): boolean {
  const index = content.length - 1;
  if (content[index]?.["type"] !== "tool_use") return false;
  const pieces = rawEvents(bytes).filter((event) => event["index"] === index);
  return !isShape(parsed(pieces.map((event) => stringOf(shapeOf(event["delta"])["partial_json"])).join("")));
}

/** The API rejects blocks of text that are empty. */
function isEmptyText(block: Shape): boolean {
  return block["type"] === "text" && stringOf(block["text"]).trim() === "";
}

function withoutNoCitations(block: Shape): Shape {
  if (block["type"] !== "text" || listOf(block["citations"]).length > 0) return block;
  const { citations: _none, ...rest } = block;
  return rest;
}

function texts(content: readonly Shape[], member: string): string {
  return content
    .filter(({ type }) => type === member)
    .map((block) => stringOf(block[member]))
    .join("");
}

const STOPS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};

/** Chat Completions. */
export const expectedChat: Expecting = (sdk, bytes) => {
  const raw = rawChat(bytes);
  if (raw.hasError) return undefined;
  const exceptions = chatExceptions(sdk, raw);
  const isWrong = sdk.type === "refused" || raw.hasList || raw.hasMessage || raw.hasOddCalls || !raw.hasUsage;
  const choice = isWrong ? raw.choice : sdk.message;
  const message = shapeOf(choice["message"]);
  const calls = listOf(message["tool_calls"]).map(shapeOf);
  const text = stringOf(message["content"]) + stringOf(message["refusal"]);
  return {
    text,
    thinking: raw.thinking,
    calls: calls.map(({ id, function: called }) => ({
      id,
      name: shapeOf(called)["name"],
      input: parsed(shapeOf(called)["arguments"]),
    })),
    stop: STOPS[stringOf(choice["finish_reason"])] ?? "end_turn",
    tokens: chatTokens(shapeOf(choice["usage"])),
    sentBack: chatSentBack(text, calls, raw.reasoning),
    exceptions,
  };
};

const CHAT_REFUSALS: typeof MESSAGE_REFUSALS = [
  [/missing role/, "it refuses a message without a role"],
  [/missing finish_reason/, "it refuses a response that ends with [DONE] and without a finish reason"],
  [/no tool call snapshot/, "it copies a message beside the delta over its own"],
];

function chatExceptions(sdk: Accumulated, raw: RawChat): string[] {
  const found: string[] = [];
  if (sdk.type === "refused") found.push(refusal(sdk.why, CHAT_REFUSALS));
  if (raw.hasList) found.push('it joins lists of content as "[object Object]"');
  else if (raw.thinking !== "") found.push("it keeps only the last piece of the reasoning");
  if (raw.hasMessage) found.push("it copies a message beside the delta over its own");
  if (raw.hasOddCalls) found.push("it reads calls only if their indexes count from 0");
  if (!raw.hasUsage && raw.choice["usage"] !== undefined)
    found.push("it knows usage only as a member of the chunk");
  return found;
}

function chatSentBack(text: string, calls: readonly Shape[], reasoning: Shape): unknown {
  if (text.trim() === "" && calls.length === 0) return undefined;
  return {
    text: text.trim() === "" ? "" : text,
    reasoning,
    calls: calls.map(({ id, function: called }) => ({
      id,
      ...shapeOf(called),
      arguments: parsed(shapeOf(called)["arguments"]),
    })),
  };
}

function chatTokens(usage: Shape): Shape {
  const details = shapeOf(usage["prompt_tokens_details"]);
  const cacheRead =
    count(details["cached_tokens"]) ||
    firstCount(usage, [
      "prompt_cache_hit_tokens",
      "cached_tokens",
      "num_cached_tokens",
      "cache_read_input_tokens",
    ]);
  const cacheWrite =
    firstCount(details, ["cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens"]) ||
    count(usage["cache_creation_input_tokens"]);
  // One server counts more tokens in the cache than in the prompt.
  const input = Math.max(0, count(usage["prompt_tokens"]) - cacheRead - cacheWrite);
  // One server counts its reasoning only in the total, and charges for it as output.
  const counted = count(usage["total_tokens"]) - count(usage["prompt_tokens"]);
  const output = Math.max(count(usage["completion_tokens"]), counted);
  return { input, output, cacheRead, cacheWrite };
}

/** The Responses API. Its last event holds the whole response, also where the SDK gives up. */
export const expectedResponses: Expecting = (sdk, bytes) => {
  const last = rawEvents(bytes).findLast(({ type }) =>
    /^response\.(?:completed|incomplete)$/.test(stringOf(type)),
  );
  if (sdk.type === "refused" && last === undefined) return undefined;
  const response = sdk.type === "refused" ? shapeOf(last?.["response"]) : sdk.message;
  if (response["status"] === "failed") return undefined;
  const given = listOf(response["output"]).map(shapeOf);
  const ended = endedItems(bytes);
  const isShort = given.length === 0 && ended.length > 0;
  const all = isShort ? ended : given;
  const output = all.filter((item) => !isCutCall(item, response));
  const calls = output.filter(({ type }) => type === "function_call");
  const usage = shapeOf(response["usage"]);
  const cacheRead = count(shapeOf(usage["input_tokens_details"])["cached_tokens"]);
  const input = count(usage["input_tokens"]) - cacheRead;
  const whole = output.filter(({ type }) => type === "message").map(textOfItem);
  const streamed = streamedTexts(bytes);
  // Some recordings were shortened by hand.
  const isOther = whole.map((text, at) => !text.startsWith(streamed[at] ?? ""));
  return {
    text: whole.map((text, at) => (isOther[at] ? streamed[at] : text)).join(""),
    thinking: output
      .filter(({ type }) => type === "reasoning")
      .map(thinkingOfItem)
      .join(""),
    calls: calls.map((item) => ({
      id: item["call_id"],
      name: item["name"],
      input: parsed(item["arguments"]),
    })),
    stop: stopOf(response, calls.length > 0),
    tokens: { input, output: count(usage["output_tokens"]), cacheRead, cacheWrite: 0 },
    sentBack: output.map(withoutParsed).map(plainItem),
    exceptions: [
      ...(sdk.type === "refused" ? ["it refuses events that it does not know or expect"] : []),
      ...(output.length < all.length ? ["it keeps a call that was cut off; such a call must not run"] : []),
      ...(isShort ? ["it keeps only the items of the last event, which has none"] : []),
      ...(isOther.includes(true) ? ["the recording has another text in its pieces than at its end"] : []),
    ],
  };
};

function isCutCall({ type, status, arguments: text }: Shape, response: Shape): boolean {
  if (type !== "function_call" || response["status"] !== "incomplete") return false;
  return status === "incomplete" || !isShape(parsed(text));
}

/** The items as their own ends give them, in the order of the response. */
function endedItems(bytes: Uint8Array): Shape[] {
  return rawEvents(bytes)
    .filter(({ type }) => type === "response.output_item.done")
    .toSorted((one, other) => Number(one["output_index"]) - Number(other["output_index"]))
    .map(({ item }) => shapeOf(item));
}

/** The text of each message in its pieces, in the order of the messages. */
function streamedTexts(bytes: Uint8Array): string[] {
  const found = new Map<unknown, string>();
  for (const { type, delta, output_index: index, item_id: id } of rawEvents(bytes))
    if (/^response\.(?:output_text|refusal)\.delta$/.test(stringOf(type)))
      found.set(index ?? id, (found.get(index ?? id) ?? "") + stringOf(delta));
  return [...found].toSorted(([one], [other]) => Number(one) - Number(other)).map(([, text]) => text);
}

function textOfItem(item: Shape): string {
  return listOf(item["content"])
    .map(shapeOf)
    .map((part) => stringOf(part["text"]) + stringOf(part["refusal"]))
    .join("");
}

function thinkingOfItem(item: Shape): string {
  return [...listOf(item["summary"]), ...listOf(item["content"])]
    .map((part) => stringOf(shapeOf(part)["text"]))
    .join("");
}

function stopOf(response: Shape, hasCalls: boolean): string {
  if (response["status"] === "incomplete")
    return shapeOf(response["incomplete_details"])["reason"] === "content_filter" ? "refusal" : "max_tokens";
  return hasCalls ? "tool_use" : "end_turn";
}

/** The SDK adds these members; the API does not know them. */
function withoutParsed(item: Shape): Shape {
  const { parsed: _parsed, parsed_arguments: _arguments, ...rest } = item;
  if (!Array.isArray(rest["content"])) return rest;
  const parts = rest["content"].map((part) => {
    const { parsed: _own, ...own } = shapeOf(part);
    return own;
  });
  return { ...rest, content: parts };
}

/** Servers have different names for the same count. */
function firstCount(counts: Shape, names: readonly string[]): number {
  return names.map((name) => count(counts[name])).find((each) => each > 0) ?? 0;
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
