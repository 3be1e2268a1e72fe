/** Compares what our reader made of a recorded response with what the SDK of its API accumulates. */

import { isDeepStrictEqual } from "node:util";
import { type Shape, listOf, shapeOf } from "@runahead/base";
import { plainItem, plainMessage } from "./normal.ts";
import { expectedChat, expectedMessages, expectedResponses } from "./expected.ts";
import { type Heard, nextRequest, replay } from "./replay.ts";
import { type Kind, accumulate } from "./sdk.ts";

export interface Difference {
  /** What differs: `text`, `calls`, `usage`, … */
  readonly part: string;
  readonly ours: unknown;
  readonly sdk: unknown;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Where the SDK is wrong, and why. Such a difference does not count. */
  readonly exceptions: readonly string[];
}

/** What a response says. Members that are undefined are not compared. */
export interface Expected {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly unknown[];
  readonly stop: string;
  readonly tokens: Shape;
  /** What the next request must contain. */
  readonly sentBack: unknown;
  /** Where the SDK is wrong, and why. */
  readonly exceptions: readonly string[];
}

const PIECES = [7, 1];
const EXPECTED = { anthropic: expectedMessages, chat: expectedChat, responses: expectedResponses } as const;

export async function compare(kind: Kind, bytes: Uint8Array): Promise<Comparison> {
  const whole = await replay(kind, bytes, bytes.length);
  const differences: Difference[] = [];
  for (const size of PIECES) {
    const cut = await replay(kind, bytes, size);
    if (!isDeepStrictEqual(cut, whole))
      differences.push({ part: `${size}-byte pieces`, ours: cut, sdk: whole });
  }
  const sdk = await accumulate(kind, bytes);
  const expected = EXPECTED[kind](sdk, bytes);
  if (expected === undefined) {
    if (whole.error !== undefined) return { differences, exceptions: [] };
    const why = sdk.type === "refused" ? sdk.why : "an error event";
    const error = { part: "error", ours: `no error, stop reason ${whole.stop}`, sdk: why };
    return { differences: [...differences, error], exceptions: [] };
  }
  return {
    differences: [...differences, ...differencesOf(kind, whole, expected)],
    exceptions: expected.exceptions,
  };
}

function differencesOf(kind: Kind, heard: Heard, expected: Expected): Difference[] {
  if (heard.error !== undefined) return [{ part: "error", ours: heard.error, sdk: "no error" }];
  const ours: Record<string, unknown> = {
    text: heard.text,
    thinking: heard.thinking,
    calls: heard.calls,
    stop: heard.stop,
    tokens: tokensOf(heard),
    sentBack: sentBack(kind, heard),
  };
  return Object.entries(ours).flatMap(([part, value]) => {
    const sdk = expected[part as keyof Expected];
    return isDeepStrictEqual(value, sdk) ? [] : [{ part, ours: value, sdk }];
  });
}

function tokensOf({ usage }: Heard): Shape {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    input: inputTokens,
    output: outputTokens,
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
  };
}

/** The assistant's part of the next request, without what only marks the cache. */
function sentBack(kind: Kind, heard: Heard): unknown {
  const body = nextRequest(kind, heard);
  const items = listOf(body[kind === "responses" ? "input" : "messages"]).map(shapeOf);
  if (kind === "responses") return items.filter((item) => isOfAssistant(item)).map(plainItem);
  const message = items.find(({ role }) => role === "assistant");
  return kind === "anthropic" ? listOf(message?.["content"]) : message && plainMessage(message);
}

function isOfAssistant(item: Shape): boolean {
  return item["role"] !== "user" && item["type"] !== "function_call_output";
}
