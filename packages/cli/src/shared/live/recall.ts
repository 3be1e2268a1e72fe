/** The items of a conversation that is only known by its messages: prompts, answers, and calls with their results. */

import { type Block, type Message, isReminder } from "@runahead/harness";
import { strip } from "../safe-text.ts";
import { membersOf, recalledWords, summaryIn } from "../words.ts";
import { type ItemList, type LiveItem, contentText, detailOf } from "./item.ts";

/** Adds the items of a message. Returns those that it has added or changed. */
export function recallMessage(items: ItemList, message: Message): LiveItem[] {
  if (isReminder(message)) return [];
  const { role, content } = message;
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (role !== "user") return blocks.flatMap((block) => answered(items, block));
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? resulted(items, block) : []));
  const [text = ""] = blocks.flatMap((block) => (block.type === "text" ? [String(block["text"])] : []));
  const summary = summaryIn(text);
  if (summary !== undefined) return answered(items, { type: "text", text: summary });
  const isPrompt = text.trim() !== "" && results.length === 0;
  return isPrompt ? [addPrompt(items, text)] : results;
}

export function addPrompt(items: ItemList, text: string): LiveItem {
  return items.keep({ id: items.nextId("prompt"), kind: "prompt", agent: "", text: strip(text) });
}

function answered(items: ItemList, block: Block): LiveItem[] {
  if (block.type === "text") {
    const text = strip(String(block["text"])).trim();
    return text === "" ? [] : [items.keep({ id: items.nextId("text"), kind: "text", agent: "", text })];
  }
  return block.type === "tool_use" ? [recallCall(items, block, "done")] : [];
}

/** The ids of the model are unique enough here: a later call with the same id continues the transcript. */
export function recallCall(items: ItemList, block: object, state: string): LiveItem {
  const { id, name, input } = membersOf(block);
  const words = recalledWords(String(name), input);
  const key = recalledId(String(id));
  const known = items.get(key);
  const detail = known?.detail ?? detailOf(input, "");
  return items.keep({
    id: key,
    kind: "call",
    agent: "",
    text: strip(words),
    state: known?.state ?? state,
    detail,
  });
}

/** The id of the item of a call. */
export function recalledId(callId: string): string {
  return `recalled-${callId}`;
}

function resulted(items: ItemList, block: Block): LiveItem[] {
  const known = items.get(recalledId(String(block["tool_use_id"])));
  if (known === undefined) return [];
  const isError = block["is_error"] === true;
  const text = contentText(block["content"]);
  const isDiff = /^[+-] /m.test(known.detail ?? "") && !isError;
  const detail = isDiff || text === "" ? (known.detail ?? "") : detailOf(undefined, text);
  return [items.keep({ ...known, state: isError ? "failed" : "succeeded", detail })];
}
