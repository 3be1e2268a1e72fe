/** The parts of a history, and how they are read. Loaded histories can be broken in any way. */

/// <reference lib="es2024.string" />

import { isObject, type Shape, stringOf } from "../wire/shape.ts";
import { checkArray, wrongType } from "../runtime/shapes.ts";

/** Holds one block of a message. The second form accepts the types of SDKs, which have no index signature. */
export type HistoryBlock =
  | {
      /** `text`, `tool_use`, `tool_result`, and so on. */
      readonly type: string;
      readonly [member: string]: unknown;
    }
  | { readonly type: string };

/** Holds one message of a history. Any message of the Anthropic SDK is one. */
export interface HistoryMessage {
  /** Who sent it. */
  readonly role: "user" | "assistant";
  /** A text, or a list of blocks. */
  readonly content: string | readonly HistoryBlock[];
}

/** A block as it is read: its type is known, its members are not. */
export type Block = Shape & { readonly type: string };

/** Returns the blocks of a message. Plain text is one block, as in the API. */
export function blocksOf(message: HistoryMessage): readonly unknown[] {
  const content: unknown = message.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

export function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value["type"] === "string";
}

export function isEmptyMessage(message: HistoryMessage): boolean {
  const { content } = message;
  return typeof content === "string" ? content.trim() === "" : blocksOf(message).length === 0;
}

export function isCall(block: unknown): block is Block {
  return isBlock(block) && block.type === "tool_use";
}

export function isResult(block: unknown): block is Block {
  return isBlock(block) && block.type === "tool_result";
}

/** The API treats whitespace as empty. */
export function isEmptyText(block: unknown): boolean {
  return isBlock(block) && block.type === "text" && stringOf(block["text"]).trim() === "";
}

/** These blocks are signed and are sent back unchanged. */
export function isThinking(block: Block): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

export function isInput(value: unknown): value is Shape {
  return isObject(value) && !Array.isArray(value);
}

/**
 * A server tool that has not finished, or a call that a script on the server makes. The next user message can only
 * contain results (B10).
 */
export function hasUnfinishedServerCall(message: HistoryMessage): boolean {
  const finished = new Set<unknown>();
  const started: unknown[] = [];
  for (const block of blocksOf(message)) {
    if (!isBlock(block)) continue;
    if (isCall(block) && isObject(block["caller"]) && "tool_id" in block["caller"]) return true;
    if (block.type === "server_tool_use") started.push(block["id"]);
    else if (block.type.endsWith("_tool_result")) finished.add(block["tool_use_id"]);
  }
  return started.some((id) => !finished.has(id));
}

/** Throws a `TypeError` if this is not an array of messages. What the messages contain is checked later. */
export function checkMessages(messages: unknown, where: string): void {
  checkArray(messages, `${where}: messages`, "messages");
  for (const [at, message] of (messages as unknown[]).entries())
    if (typeof message !== "object" || message === null)
      throw wrongType(
        `${where}: messages[${at}]`,
        'a message such as { role: "user", content: "…" }',
        message,
      );
}
