/** What a history is made of, and what is looked for in it. Loaded histories may be broken in any way. */

/// <reference lib="es2024.string" />

import { isShape, type Shape, stringOf } from "./wire/shape.ts";

/** Any block; the second form lets SDK types without an index signature in. */
export type HistoryBlock =
  | { readonly type: string; readonly [member: string]: unknown }
  | { readonly type: string };

export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly HistoryBlock[];
}

/** A block as it is read: its type is known, its members are not. */
export type Block = Shape & { readonly type: string };

/** The blocks of a message; text alone is one block, as the API has it. */
export function blocksOf(message: HistoryMessage): readonly unknown[] {
  const content: unknown = message.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

export function isBlock(value: unknown): value is Block {
  return isShape(value) && typeof value["type"] === "string";
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

/** The API takes white space for nothing. */
export function isEmptyText(block: unknown): boolean {
  return isBlock(block) && block.type === "text" && stringOf(block["text"]).trim() === "";
}

/** These are signed: they go back as they came, whatever is in them. */
export function isThinking(block: Block): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

export function isInput(value: unknown): value is Shape {
  return isShape(value) && !Array.isArray(value);
}

/** A tool that the API's own server runs and has not finished, beside which a user may say nothing (B10). */
export function hasUnfinishedServerCall(message: HistoryMessage): boolean {
  const finished = new Set<unknown>();
  const started: unknown[] = [];
  for (const block of blocksOf(message)) {
    if (!isBlock(block)) continue;
    if (block.type === "server_tool_use") started.push(block["id"]);
    else if (block.type.endsWith("_tool_result")) finished.add(block["tool_use_id"]);
  }
  return started.some((id) => !finished.has(id));
}

/** Every string in it, names of members too. Not recursive: inputs may be nested deeply. */
export function isWellFormed(value: unknown): boolean {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" && !next.isWellFormed()) return false;
    if (!isShape(next)) continue;
    for (const [name, member] of Object.entries(next)) {
      if (!name.isWellFormed()) return false;
      rest.push(member);
    }
  }
  return true;
}

/** The same value where nothing is wrong with it, else a copy. */
export function toWellFormed(value: unknown): unknown {
  if (isWellFormed(value)) return value;
  const top: { copy?: unknown } = {};
  const jobs = [{ value, target: top as object, name: "copy" }];
  // The list grows while it is gone through: first come, first copied, so members keep their order.
  for (const job of jobs) {
    const copy = shallowCopy(job.value);
    Object.defineProperty(job.target, job.name, {
      value: copy,
      enumerable: true,
      writable: true,
      configurable: true,
    });
    if (!isShape(job.value) || !isShape(copy)) continue;
    for (const [name, member] of Object.entries(job.value)) {
      jobs.push({ value: member, target: copy, name: name.toWellFormed() });
    }
  }
  return top.copy;
}

/** Objects and lists without their members. */
function shallowCopy(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return [];
  return isShape(value) ? {} : value;
}
