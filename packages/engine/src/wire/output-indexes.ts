/** Finds the place of an output item of the Responses API, also for servers that leave the index out. */

import { isIndex, listOf, type Shape, shapeOf, stringOf } from "./shape.ts";

/**
 * Assigns an index to each output item of a response. Servers such as llama.cpp send no `output_index`; then items are
 * numbered as they come, and later events are matched by the ids of the item.
 */
export class OutputIndexes {
  readonly #byId = new Map<string, number>();
  /** The index that each index of the server stands for now: some servers use the same for every item. */
  readonly #byGiven = new Map<number, number>();
  readonly #taken = new Set<number>();
  #highest = -1;
  #last: number | undefined;

  /** Returns the index of an item that begins: its own, or the next free one. */
  added(event: Shape): number {
    const given = event["output_index"];
    const index = isIndex(given) && !this.#taken.has(given) ? given : this.#highest + 1;
    if (isIndex(given)) this.#byGiven.set(given, index);
    this.#taken.add(index);
    this.#highest = Math.max(this.#highest, index);
    this.#last = index;
    for (const id of idsOf(event)) this.#byId.set(id, index);
    return index;
  }

  /** Says whether the same item has begun before at the same index. */
  isRepeated(event: Shape): boolean {
    const known = this.of(event);
    return known !== undefined && idsOf(event).some((id) => this.#byId.get(id) === known);
  }

  /** Returns the items of a whole response that did not come before it. */
  missing(response: Shape): readonly Shape[] {
    const output = listOf(response["output"]).map(shapeOf);
    // Some servers give an item another id at the end, so that only an item too many is a missing one.
    const count = output.length - this.#taken.size;
    const unknown = output.filter((item) => !idsOf({ item }).some((id) => this.#byId.has(id)));
    return count <= 0 ? [] : unknown.slice(-count);
  }

  /** Returns the index of the item that an event belongs to, or undefined if no such item has begun. */
  of(event: Shape): number | undefined {
    const given = event["output_index"];
    if (isIndex(given)) return this.#byGiven.get(given) ?? given;
    const ids = idsOf(event);
    for (const id of ids) {
      const index = this.#byId.get(id);
      if (index !== undefined) return index;
    }
    // Without any id, it can only belong to the item that began last.
    return ids.length === 0 ? this.#last : undefined;
  }
}

function idsOf(event: Shape): string[] {
  const item = shapeOf(event["item"]);
  return [event["item_id"], item["id"], item["call_id"]].map(stringOf).filter((id) => id !== "");
}

/**
 * Creates the indexes of the output items of one response.
 *
 * @example
 * ```ts
 * import { createOutputIndexes } from "@runahead/engine/wire";
 *
 * const indexes = createOutputIndexes();
 * indexes.added({ type: "response.output_item.added", item: { type: "function_call", call_id: "fc_1" } }); // 0
 * indexes.of({ type: "response.function_call_arguments.delta", item_id: "fc_1", delta: "{}" }); // 0
 * ```
 */
export function createOutputIndexes(): OutputIndexes {
  return new OutputIndexes();
}
