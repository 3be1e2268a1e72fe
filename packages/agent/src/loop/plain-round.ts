/** Recognises the usual round of a history at a glance: calls with flat inputs, and one text result for each. */

import type { Block, Message } from "../model/message.ts";

/**
 * Returns the ids of the calls if the messages are one plain round, in which there is nothing to repair. Undefined
 * means unknown.
 */
export function idsInPlainRound([assistant, user, ...others]: readonly Message[]): string[] | undefined {
  if (assistant?.role !== "assistant" || user?.role !== "user" || others.length > 0) return undefined;
  const calls = blocksIn(assistant);
  const results = blocksIn(user);
  const ids: string[] = [];
  for (const block of calls) {
    const { id } = block;
    if (block.type === "text" && isWords(block["text"]) && isPlain(block)) continue;
    if (block.type !== "tool_use" || !isWords(id) || !isPlainCall(block)) return undefined;
    if (results[ids.length]?.["tool_use_id"] !== id) return undefined;
    ids.push(id);
  }
  if (ids.length === 0 || ids.length !== results.length) return undefined;
  for (const block of results) if (block.type !== "tool_result" || !isPlainResult(block)) return undefined;
  return ids;
}

function blocksIn({ content }: Message): readonly Block[] {
  return typeof content === "string" || !Array.isArray(content) ? [] : content;
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Most calls have only these members, whose names need no check. */
function isPlainCall(block: Block): boolean {
  const { id, name, input } = block;
  if (typeof input !== "object") return false;
  for (const member in block)
    if (member !== "type" && member !== "id" && member !== "name" && member !== "input")
      return isPlain(block);
  return isScalar(id) && isScalar(name) && isFlat(input);
}

function isPlainResult(block: Block): boolean {
  const { tool_use_id: id, content, is_error: isError = false } = block;
  for (const member in block)
    if (member !== "type" && member !== "tool_use_id" && member !== "content" && member !== "is_error")
      return isPlain(block);
  return isScalar(id) && isScalar(content) && isScalar(isError);
}

/** Whether a block has only well-formed text and scalars, and these at most one level deep. */
function isPlain(block: Block): boolean {
  for (const name in block) {
    const member = block[name];
    if (!name.isWellFormed() || !(isScalar(member) || isFlat(member))) return false;
  }
  return true;
}

function isFlat(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const name in value)
    if (!name.isWellFormed() || !isScalar((value as Readonly<Record<string, unknown>>)[name])) return false;
  return true;
}

function isScalar(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  return typeof value === "number" || typeof value === "boolean";
}
