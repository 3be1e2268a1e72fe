/** Keeps data of the AI SDK in a history that has the Messages API's form. */

import type { Block } from "./message.ts";
import { type Shape, isShape, shapeOf, stringOf } from "@runahead/base";

/** A block that holds a part of an AI SDK prompt; other models leave it out. */
export const AI_SDK_PART = "ai_sdk_part";

/** A member of any block: metadata that goes back to the provider with it. Other models leave it out. */
export const PROVIDER_OPTIONS = "providerOptions";

/** Signed or redacted thinking of Anthropic must keep the exact form of its API. */
export function thinkingBlock(text: string, metadata: Shape): Block | undefined {
  const { signature, redactedData } = shapeOf(metadata["anthropic"]);
  if (typeof signature === "string") return { type: "thinking", thinking: text, signature };
  return typeof redactedData === "string" ? { type: "redacted_thinking", data: redactedData } : undefined;
}

/** Returns the form that a part of the stream has in the next prompt, or undefined if it does not belong there. */
export function partToKeep(part: Shape): Shape | undefined {
  const { type, toolCallId, toolName, providerMetadata } = part;
  const options = isShape(providerMetadata) ? { [PROVIDER_OPTIONS]: providerMetadata } : {};
  switch (type) {
    case "tool-call":
      return { type, toolCallId, toolName, input: inputOf(part), providerExecuted: true, ...options };
    case "tool-result":
      // The final result follows.
      if (part["preliminary"] === true) return undefined;
      return { type, toolCallId, toolName, output: outputOf(part), ...options };
    case "file":
    case "reasoning-file":
      return { type, mediaType: part["mediaType"], data: dataOf(part["data"]), ...options };
    case "custom":
      // Anthropic's provider marks the start of a message with this part; it must not be sent back.
      if (stringOf(part["kind"]).endsWith(".message_start")) return undefined;
      return { type, kind: part["kind"], ...options };
    default:
      return undefined;
  }
}

function inputOf({ input }: Shape): unknown {
  try {
    return JSON.parse(stringOf(input, "{}"));
  } catch {
    return {};
  }
}

function outputOf({ isError, result }: Shape): Shape {
  return { type: isError === true ? "error-json" : "json", value: result ?? null };
}

/** Histories are stored as JSON, so bytes become base64. */
function dataOf(data: unknown): unknown {
  if (data instanceof Uint8Array) return Buffer.from(data).toString("base64");
  return isShape(data) && data["data"] instanceof Uint8Array ? { ...data, data: dataOf(data["data"]) } : data;
}
