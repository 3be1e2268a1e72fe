/** Puts the blocks of a message together from the Messages API's events, for the history. */

import type { CallRequest } from "@runahead/engine";
import type { Block } from "./message.ts";
import { stringOf } from "./shape.ts";

/** A block that is coming in: what it began with, and the pieces of each of its texts. */
interface Slot {
  readonly begun: Block;
  readonly pieces: Map<string, string[]>;
  whole: Block | undefined;
}

/** Which member of a block each kind of delta goes on with. */
const GROWS: Readonly<Record<string, readonly [member: string, delta: string]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  signature_delta: ["signature", "signature"],
  input_json_delta: ["input", "partial_json"],
};

export class BlockBuilder {
  readonly #slots = new Map<number, Slot>();
  readonly #indexOfCall = new Map<string, number>();
  #next = 0;

  begin(index: number, begun: Block): void {
    this.#slots.set(index, { begun, pieces: new Map(), whole: undefined });
    if (begun.type === "tool_use") this.#indexOfCall.set(stringOf(begun["id"]), index);
  }

  grow(index: number, delta: Block): void {
    const slot = this.#slots.get(index);
    if (slot === undefined) return;
    if (delta.type === "citations_delta") return addCitation(slot, delta["citation"]);
    const [member, from] = GROWS[delta.type] ?? [];
    if (member === undefined || from === undefined) return;
    const pieces = slot.pieces.get(member) ?? [];
    pieces.push(stringOf(delta[from]));
    slot.pieces.set(member, pieces);
  }

  /** A call is whole when the adapter says so, since a cut one ends as well. */
  end(index: number): void {
    const slot = this.#slots.get(index);
    if (slot !== undefined && slot.begun.type !== "tool_use") slot.whole = wholeBlock(slot);
  }

  called(call: CallRequest): void {
    const slot = this.#slots.get(this.#indexOfCall.get(call.id) ?? -1);
    if (slot === undefined) return;
    const input = "input" in call ? call.input : { INVALID_JSON: call.inputText };
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    slot.whole = { ...slot.begun, input: isObject ? input : { INVALID_JSON: JSON.stringify(input) } };
  }

  /** The blocks that are whole and have only whole ones before them; each is given once. */
  take(): Block[] {
    const blocks: Block[] = [];
    for (
      let slot = this.#slots.get(this.#next);
      slot?.whole !== undefined;
      slot = this.#slots.get(++this.#next)
    ) {
      blocks.push(slot.whole);
      this.#slots.delete(this.#next);
    }
    return blocks;
  }

  /** At the end of the response: what is whole, without what was cut off. */
  takeRest(): Block[] {
    const rest = [...this.#slots].sort(([one], [other]) => one - other);
    this.#slots.clear();
    return rest.flatMap(([, { whole }]) => (whole === undefined ? [] : [whole]));
  }
}

function addCitation(slot: Slot, citation: unknown): void {
  const before = (slot.begun["citations"] ?? []) as unknown[];
  Object.assign(slot.begun, { citations: [...before, citation] });
}

function wholeBlock({ begun, pieces }: Slot): Block {
  const whole: Record<string, unknown> = { ...begun };
  for (const [member, texts] of pieces) {
    const text = texts.join("");
    if (member === "input") whole[member] = parsed(text);
    else whole[member] = typeof begun[member] === "string" ? `${begun[member]}${text}` : text;
  }
  return whole as Block;
}

/** Of a tool that the server runs: what does not parse is the server's business. */
function parsed(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return { INVALID_JSON: text };
  }
}
