/** What an SDK's message says, in the words of our events; with the corrections where the SDK is wrong. */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import type { Expected } from "./compare.ts";
import { parsed, plainItem } from "./normal.ts";
import { type RawChat, rawChat } from "./raw-chat.ts";
import { rawEvents } from "./raw.ts";
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

/** A repeated start before any content says nothing new. */
function refusedMessage(why: string, bytes: Uint8Array): Expected | undefined {
  const starts = rawEvents(bytes).filter(({ type }) => type === "message_start");
  const ids = new Set(starts.map(({ message }) => shapeOf(message)["id"]));
  if (!why.includes("got message_start before") || ids.size > 1) return undefined;
  const events = rawEvents(bytes).filter(
    ({ type }, at, all) => type !== "message_start" || all[at + 1]?.["type"] !== type,
  );
  const content = events.map(({ delta }) => stringOf(shapeOf(delta)["text"])).join("");
  const last = events.findLast(({ type }) => type === "message_delta") ?? {};
  const message = {
    content: [{ type: "text", text: content }],
    stop_reason: shapeOf(last["delta"])["stop_reason"],
    usage: { ...shapeOf(shapeOf(events[0]?.["message"])["usage"]), ...shapeOf(last["usage"]) },
  };
  const expected = expectedMessages({ type: "message", message }, bytes);
  return (
    expected && {
      ...expected,
      exceptions: ["it refuses a message_start that is repeated before any content"],
    }
  );
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
  const isWrong = sdk.type === "refused" || raw.hasList || raw.hasMessage || !raw.hasUsage;
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

const CHAT_REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/missing role/, "it refuses a message without a role"],
  [/missing finish_reason/, "it refuses a response that ends with [DONE] and without a finish reason"],
  [/no tool call snapshot/, "it copies a message beside the delta over its own"],
];

function chatExceptions(sdk: Accumulated, raw: RawChat): string[] {
  const found: string[] = [];
  if (sdk.type === "refused")
    found.push(
      CHAT_REFUSALS.find(([words]) => words.test(sdk.why))?.[1] ?? `it refuses the response: ${sdk.why}`,
    );
  if (raw.hasList) found.push('it joins lists of content as "[object Object]"');
  else if (raw.thinking !== "") found.push("it keeps only the last piece of the reasoning");
  if (raw.hasMessage) found.push("it copies a message beside the delta over its own");
  if (!raw.hasUsage && raw.choice["usage"] !== undefined) found.push("it does not know x_groq.usage");
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
  const cacheRead = count(details["cached_tokens"]) || count(usage["prompt_cache_hit_tokens"]);
  const cacheWrite = count(details["cache_write_tokens"]);
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
  const output = isShort ? ended : given;
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
      ...(isShort ? ["it keeps only the items of the last event, which has none"] : []),
      ...(isOther.includes(true) ? ["the recording has another text in its pieces than at its end"] : []),
    ],
  };
};

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

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
