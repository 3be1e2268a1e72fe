/** Turns events of the Responses API into a model's events. */

import { type Shape, listOf, shapeOf, stringOf } from "@runahead/base";
import { createOutputIndexes, type WholeCall, isTooDeep, wellFormed } from "@runahead/engine/wire";
import { errorOfEvent } from "./error.ts";
import type { Block } from "./message.ts";
import { openAiItem, withOwn } from "./openai-item.ts";
import { OpenAiReader } from "./openai-reader.ts";
import { messageBlock } from "./responses-message.ts";
import type { Target } from "./target.ts";

/** An output item that is coming in. */
interface Slot {
  item: Shape;
  /** Whether its text was already passed on in pieces. */
  readonly said: string[];
  hasThought: boolean;
  hasEnded: boolean;
  /** Its call. The block follows when the item has ended, because only then all of its members are known. */
  call: Block | undefined;
  /** Its block in the history; `dropped` if it has none. */
  block: Block | "dropped" | undefined;
}

export class ResponsesReader extends OpenAiReader {
  readonly #target: Target;
  readonly #indexes = createOutputIndexes();
  readonly #slots = new Map<number, Slot>();
  /** By the id of a call, the slot of its item. */
  readonly #slotOfCall = new Map<string, number>();
  #next = 0;

  constructor(target: Target) {
    super();
    this.#target = target;
  }

  /** Items must be known before their calls are added. */
  look(event: Shape): void {
    const { type } = event;
    if (type === "response.output_item.added" && !this.#indexes.isRepeated(event)) this.#begin(event);
    if (type === "response.output_item.done") this.#slotOf(event, true);
    if (type === "response.completed" || type === "response.done")
      for (const item of this.#indexes.missing(shapeOf(event["response"]))) this.#begin({ item });
  }

  /** The server has sent `[DONE]`. Without an item that is open, nothing was cut off. */
  ended(): void {
    const isOpen = [...this.#slots.values()].some(
      (slot) => slot.block === undefined && slot.call === undefined,
    );
    if (!isOpen) this.stop ??= this.hasCalls ? "tool_use" : "end_turn";
  }

  protected read(event: Shape): void {
    const response = shapeOf(event["response"]);
    switch (event["type"]) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        return this.start(response);
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#addText(event);
      case "response.output_text.done":
      case "response.refusal.done":
        return this.#textDone(event);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#addThinking(event);
      case "response.output_item.done":
        return this.#itemDone(event);
      case "response.completed":
      case "response.done":
        return this.#completed(response);
      case "response.incomplete":
        return this.#incomplete(response);
      case "response.failed":
        throw errorOfEvent(response["error"], this.#target);
    }
  }

  protected called({ call, block }: WholeCall): void {
    this.ready.push({ type: "call-complete", call });
    const slot = this.#slots.get(this.#slotOfCall.get(call.id) ?? -1);
    if (slot === undefined) return void this.ready.push({ type: "block", block });
    slot.call = block;
    if (slot.hasEnded) this.#closeCall(slot);
  }

  protected callComes(): void {}

  /** At the end, text counts even if its item was never finished. */
  protected flush(): void {
    for (const slot of this.#slots.values())
      if (slot.call === undefined) slot.block ??= textBlock(slot.said.join(""));
    this.giveRest();
  }

  giveRest(): void {
    const rest = [...this.#slots].toSorted(([one], [other]) => one - other);
    this.#slots.clear();
    for (const [, slot] of rest) this.#give(slot.block ?? blockOfCall(slot));
  }

  #begin(event: Shape): number {
    const index = this.#indexes.added(event);
    const item = shapeOf(event["item"]);
    if (index < this.#next || this.#slots.has(index)) return index;
    this.#slots.set(index, {
      item,
      said: [],
      hasThought: false,
      call: undefined,
      hasEnded: false,
      block: undefined,
    });
    const id = (stringOf(item["call_id"]) || stringOf(item["id"]) || `call_${index}`).toWellFormed();
    if (item["type"] === "function_call") this.#slotOfCall.set(id, index);
    return index;
  }

  /** Text without an item, which some servers send, gets an item. */
  #slotOf(event: Shape, isDone = false): Slot | undefined {
    const known = this.#indexes.of(event);
    if (known !== undefined && (known < this.#next || this.#slots.has(known))) return this.#slots.get(known);
    const item = isDone ? event["item"] : { type: "message" };
    return this.#slots.get(this.#begin({ ...event, item }));
  }

  #addText(event: Shape): void {
    this.say(event["delta"]);
    this.#slotOf(event)?.said.push(stringOf(event["delta"]));
  }

  /** Some servers send a text only when it is whole. */
  #textDone(event: Shape): void {
    const slot = this.#slotOf(event);
    const text = stringOf(event["text"]) || stringOf(event["refusal"]);
    if (slot === undefined || slot.block !== undefined || slot.said.length > 0) return;
    this.say(text);
    slot.said.push(text);
  }

  #addThinking(event: Shape): void {
    this.think(event["delta"]);
    const slot = this.#slotOf(event);
    if (slot !== undefined) slot.hasThought = true;
  }

  #itemDone(event: Shape): void {
    const slot = this.#slotOf(event, true);
    if (slot !== undefined) this.#close(slot, shapeOf(event["item"]));
  }

  #close(slot: Slot, item: Shape): void {
    if (slot.block !== undefined) return;
    const { type, action } = item;
    // A call that has run belongs into the history, whatever its end looks like.
    if (slot.call !== undefined) return this.#closeCall(slot, type === "function_call" ? item : {});
    if (type === "message") this.#closeMessage(slot, item);
    else if (type === "function_call") return this.#closeCall(slot, item);
    else slot.block = isTooDeep(item) ? "dropped" : openAiItem(wellFormed(item));
    if (type === "reasoning" && !slot.hasThought) this.think(thoughtIn(item));
    // Only searches are billed, not opening a page.
    if (type === "web_search_call" && shapeOf(action)["type"] === "search") this.searches++;
    this.#giveBlocks();
  }

  /** The item can end before its call is known to be complete. */
  #closeCall(slot: Slot, item: Shape = {}): void {
    slot.item = { ...slot.item, ...item };
    slot.hasEnded = true;
    slot.block = blockOfCall(slot);
    this.#giveBlocks();
  }

  #closeMessage(slot: Slot, item: Shape): void {
    const said = slot.said.join("");
    const block = isTooDeep(item) ? undefined : messageBlock(wellFormed(item), said.toWellFormed());
    const whole = stringOf(block?.["text"]);
    // Some servers send a text in one piece with its end, or do not send all of its pieces.
    if (whole.startsWith(said)) this.say(whole.slice(said.length));
    // Without text it is not a block that other providers take, but this one has sent it.
    slot.block = block ?? textBlock(said) ?? (isTooDeep(item) ? "dropped" : openAiItem(wellFormed(item)));
  }

  /** The whole response comes once more: it has the items whose end was not reported. */
  #closeRest(response: Shape): void {
    this.start(response);
    const output = listOf(response["output"]).map(shapeOf);
    for (const [index, slot] of this.#slots) {
      const { id, type } = slot.item;
      const same = output.find((item) => id !== undefined && item["id"] === id) ?? output[index];
      if (same !== undefined && same["type"] === type) this.#close(slot, same);
    }
    this.count(response["usage"]);
  }

  /** Some servers report every end by the same event, and only its status says how the response ended. */
  #completed(response: Shape): void {
    if (response["status"] === "failed") throw errorOfEvent(response["error"], this.#target);
    if (response["status"] === "incomplete") return this.#incomplete(response);
    this.#closeRest(response);
    this.stop = this.hasCalls ? "tool_use" : "end_turn";
  }

  #incomplete(response: Shape): void {
    this.#closeRest(response);
    const { reason } = shapeOf(response["incomplete_details"]);
    this.stop = reason === "content_filter" ? "refusal" : "max_tokens";
  }

  /** In the order of the response: a block waits for those before it. */
  #giveBlocks(): void {
    for (
      let slot = this.#slots.get(this.#next);
      slot?.block !== undefined;
      slot = this.#slots.get(this.#next)
    ) {
      this.#give(slot.block);
      this.#slots.delete(this.#next++);
    }
  }

  #give(block: Slot["block"]): void {
    if (block !== undefined && block !== "dropped") this.ready.push({ type: "block", block });
  }
}

/** The APIs reject blocks that are only white space. */
function textBlock(said: string): Block | undefined {
  const text = said.toWellFormed();
  return text.trim() === "" ? undefined : { type: "text", text };
}

function blockOfCall({ call, item }: Slot): Block | undefined {
  return call === undefined ? undefined : withOwn(call, "item", membersOfCall(item));
}

/** What the API needs back with a call beside its own members: `namespace`, `caller`, its id. */
function membersOfCall(item: Shape): Shape {
  const { type: _type, call_id: _id, name: _name, arguments: _arguments, status: _status, ...own } = item;
  return isTooDeep(own) ? {} : wellFormed(own);
}

function thoughtIn({ summary, content }: Shape): string {
  return [...listOf(summary), ...listOf(content)].map((part) => stringOf(shapeOf(part)["text"])).join("");
}
