/** Assembles the blocks of a message from events of the Messages API, for the history. */

import type { Block } from "./message.ts";
import { type Shape, isRecord, listOf, stringOf } from "./shape.ts";
import { isTooDeep, wellFormed } from "./sendable.ts";

/** A block that is arriving: its start event, and the pieces of each of its texts. */
interface Slot {
  readonly begun: Shape;
  /** Undefined until the first comes, because calls have none. */
  pieces: Map<string, string[]> | undefined;
  citations: unknown[] | undefined;
  /** Members that came whole in a delta. */
  others: Record<string, unknown> | undefined;
  /** Nothing of it may stand in the history where this is `dropped`. */
  whole: Block | "dropped" | undefined;
}

/** The member of a block that each kind of delta extends. */
const GROWS: Readonly<Record<string, readonly [member: string, delta: string]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  signature_delta: ["signature", "signature"],
  input_json_delta: ["input", "partial_json"],
};

/**
 * Assembles the blocks of an assistant message from the events of the Messages API, for the history.
 */
export class BlockBuilder {
  /** The block at `#next`, which is the only open one of most responses. */
  #first: Slot | undefined;
  readonly #slots = new Map<number, Slot>();
  /** The indices of the blocks of each call id, without the first one. */
  readonly #placesOfCall = new Map<string, number[]>();
  #next = 0;
  /** Text that came for a block that is not a text or has ended: some gateways do not begin a new block for it. */
  readonly #stray: string[] = [];
  /** The index of the block that began last, and the highest one. */
  #latest = -1;
  #highest = -1;

  /** Whether no block has begun. */
  get isEmpty(): boolean {
    return this.#first === undefined && this.#slots.size === 0 && this.#next === 0;
  }

  /**
   * Begins the block at an index, with the `content_block` of its start event. Some gateways leave the index out: then it
   * is the next one.
   */
  begin(given: number | undefined, begun: Shape): void {
    const index = given ?? this.#highest + 1;
    this.#latest = index;
    if (index > this.#highest) this.#highest = index;
    const slot: Slot = {
      begun,
      pieces: undefined,
      citations: begun["citations"] === undefined ? undefined : [...listOf(begun["citations"])],
      others: undefined,
      whole: undefined,
    };
    if (index === this.#next) return void (this.#first = slot);
    this.#slots.set(index, slot);
    if (begun["type"] !== "tool_use") return;
    const id = stringOf(begun["id"]);
    const places = this.#placesOfCall.get(id);
    if (places === undefined) this.#placesOfCall.set(id, [index]);
    else places.splice(places.findLastIndex((other) => other < index) + 1, 0, index);
  }

  /** Adds a delta to the block at an index, by default to the one that began last. */
  grow(index: number | undefined, delta: Shape): void {
    const slot = this.#at(index ?? this.#latest);
    const type = stringOf(delta["type"]);
    if (type === "text_delta" && !takesText(slot)) return void this.#stray.push(stringOf(delta["text"]));
    if (slot === undefined) return;
    // The input of a call comes with `called`.
    if (type === "input_json_delta" && slot.begun["type"] === "tool_use") return;
    if (type === "citations_delta") (slot.citations ??= []).push(delta["citation"]);
    else if (!Object.hasOwn(GROWS, type)) growOther(slot, delta);
    else {
      const [member, from] = GROWS[type] ?? ["", ""];
      addPiece(slot, member, stringOf(delta[from]));
    }
  }

  /** Ends the block at an index, by default the one that began last. A call is complete only after `called`, because a call that was cut off also ends. */
  end(index: number | undefined): void {
    const slot = this.#at(index ?? this.#latest);
    if (slot !== undefined && slot.begun["type"] !== "tool_use") slot.whole = wholeBlock(slot) ?? "dropped";
  }

  /** Ends all blocks that are open, except calls. */
  endAll(): void {
    if (this.#first?.whole === undefined) this.end(this.#next);
    for (const [index, { whole }] of this.#slots) if (whole === undefined) this.end(index);
  }

  /** Completes the first open call with this id; without a block, the call is left out of the history. */
  called(id: string, block: Block | undefined): void {
    const slot = this.#takeOpenCall(id);
    if (slot === undefined) return;
    if (block === undefined) slot.whole = "dropped";
    else slot.whole = hasOnlyOwn(slot) ? block : { ...wellFormedRest(slot), ...block };
  }

  #takeOpenCall(id: string): Slot | undefined {
    const { begun, whole } = this.#first ?? {};
    if (begun?.["type"] === "tool_use" && whole === undefined && stringOf(begun["id"]) === id)
      return this.#first;
    const places = this.#placesOfCall.get(id);
    const slot = this.#at(places?.shift() ?? -1);
    if (places?.length === 0) this.#placesOfCall.delete(id);
    return slot;
  }

  /** Returns the complete blocks that have only complete ones before them, each once. */
  take(): Block[] {
    const blocks: Block[] = [];
    for (let slot = this.#at(this.#next); slot?.whole !== undefined; slot = this.#at(this.#next)) {
      if (slot.whole !== "dropped") blocks.push(slot.whole);
      if (this.#first === undefined) this.#slots.delete(this.#next);
      this.#first = undefined;
      this.#next++;
    }
    return blocks;
  }

  #at(index: number): Slot | undefined {
    return index === this.#next && this.#first !== undefined ? this.#first : this.#slots.get(index);
  }

  /**
   * Returns the remaining complete blocks at the end of the response, without those that were cut off. Text that belongs
   * to no block of text comes last.
   */
  takeRest(): Block[] {
    if (this.#first !== undefined) this.#slots.set(this.#next, this.#first);
    const rest = [...this.#slots].sort(([one], [other]) => one - other);
    this.#first = undefined;
    this.#slots.clear();
    const blocks = rest.flatMap(([, { whole }]) =>
      whole === undefined || whole === "dropped" ? [] : [whole],
    );
    const text = this.#stray.splice(0).join("").toWellFormed();
    return text.trim() === "" ? blocks : [...blocks, { type: "text", text }];
  }
}

/** Whether text can go on with a block: calls and thinking have none. */
function takesText(slot: Slot | undefined): boolean {
  const type = slot?.begun["type"];
  return slot !== undefined && slot.whole === undefined && type !== "tool_use" && type !== "thinking";
}

function addPiece(slot: Slot, member: string, text: string): void {
  const pieces = (slot.pieces ??= new Map());
  const before = pieces.get(member);
  if (before === undefined) pieces.set(member, [text]);
  else before.push(text);
}

/** A kind of delta that is not known, such as that of a compaction: its texts go on with the members of their names. */
function growOther(slot: Slot, delta: Shape): void {
  for (const [member, value] of Object.entries(delta)) {
    if (member === "type" || member === "input" || value === null || value === undefined) continue;
    if (typeof value === "string") addPiece(slot, member, value);
    else (slot.others ??= {})[member] = value;
  }
}

/** Whether a call began with nothing that its block does not have. */
function hasOnlyOwn({ begun }: Slot): boolean {
  for (const name in begun)
    if (name !== "type" && name !== "id" && name !== "name" && name !== "input") return false;
  return true;
}

/** What a call began with beside its own members: `caller`, for one. */
function wellFormedRest({ begun }: Slot): Shape {
  return isTooDeep(begun) ? {} : wellFormed(begun);
}

/** Returns undefined if the API would reject it. */
function wholeBlock(slot: Slot): Block | undefined {
  const { begun, citations = [] } = slot;
  const type = stringOf(begun["type"]);
  if (type === "" || isTooDeep(begun)) return undefined;
  if (type === "thinking") return wholeThinking(slot);
  // Signed or encrypted: it is sent back unchanged.
  if (type === "redacted_thinking") return typeof begun["data"] === "string" ? { ...begun, type } : undefined;
  if (type !== "text") return wellFormed({ ...begun, ...grownMembers(slot), ...inputOf(slot), type });
  const text = wholeText(slot, "text").toWellFormed();
  if (text.trim() === "") return undefined;
  const kept = citations.length === 0 || isTooDeep(citations) ? {} : { citations: wellFormed(citations) };
  const { citations: _given, ...rest } = wellFormed(begun);
  return { ...rest, type, text, ...kept };
}

/** Some servers do not sign their thinking. */
function wholeThinking(slot: Slot): Block {
  const isSigned = "signature" in slot.begun || slot.pieces?.has("signature") === true;
  // A signature comes whole: if it comes again, the last one counts.
  const last = slot.pieces?.get("signature")?.at(-1) ?? stringOf(slot.begun["signature"]);
  const signature = isSigned ? { signature: last } : {};
  return { ...slot.begun, type: "thinking", thinking: wholeText(slot, "thinking"), ...signature };
}

function wholeText({ begun, pieces }: Slot, member: string): string {
  return stringOf(begun[member]) + (pieces?.get(member) ?? []).join("");
}

function grownMembers(slot: Slot): Shape {
  const texts = [...(slot.pieces?.keys() ?? [])].filter((member) => member !== "input");
  const grown = Object.fromEntries(texts.map((member) => [member, wholeText(slot, member)]));
  return isTooDeep(slot.others) ? grown : { ...slot.others, ...grown };
}

/** Of a tool that the server runs: what does not parse is the server's business. */
function inputOf({ pieces }: Slot): Shape {
  const texts = pieces?.get("input");
  if (texts === undefined) return {};
  const text = texts.join("");
  try {
    const input: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isTooDeep(input) ? { input: {} } : { input: isRecord(input) ? input : {} };
  } catch {
    return { input: { INVALID_JSON: text } };
  }
}

/**
 * Creates a builder for the blocks of one assistant message.
 *
 * @example
 * ```ts
 * import { createBlockBuilder } from "@runahead/engine/wire";
 *
 * const builder = createBlockBuilder();
 * builder.begin(0, { type: "text", text: "" });
 * builder.grow(0, { type: "text_delta", text: "Hello" });
 * builder.end(0);
 * console.log(builder.take()); // [{ type: "text", text: "Hello" }]
 * ```
 */
export function createBlockBuilder(): BlockBuilder {
  return new BlockBuilder();
}
