/** What a history has recorded: results that wait for their calls, and ids that are taken. */

import { type Block, blocksOf, isCall, isResult } from "./history-block.ts";
import type { Entry } from "./history-clean.ts";
import { stringOf } from "./wire/shape.ts";

/** The results in a run of user messages; each answers one call, the first recorded first. */
export class RecordedResults {
  readonly #byCall = new Map<string, { readonly block: Block; readonly index: number }[]>();

  constructor(users: readonly Entry[]) {
    // From the end, so that the first recorded is the first to be popped.
    for (const { message, index } of users.toReversed()) {
      for (const block of blocksOf(message).filter(isResult).toReversed()) {
        const id = stringOf(block["tool_use_id"]);
        const waiting = this.#byCall.get(id);
        if (waiting === undefined) this.#byCall.set(id, [{ block, index }]);
        else waiting.push({ block, index });
      }
    }
  }

  take(callId: string): Block | undefined {
    return this.#byCall.get(callId)?.pop()?.block;
  }

  unused(): { readonly id: string; readonly index: number }[] {
    return [...this.#byCall].flatMap(([id, waiting]) => waiting.map(({ index }) => ({ id, index })));
  }
}

/** Ids that occur nowhere in the history. */
export class FreshIds {
  readonly #used = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(entries: readonly Entry[]) {
    for (const { message } of entries) {
      for (const block of blocksOf(message)) {
        if (isCall(block)) this.#used.add(stringOf(block["id"]));
        if (isResult(block)) this.#used.add(stringOf(block["tool_use_id"]));
      }
    }
  }

  /** Counts on from where it stopped for this id, so that many duplicates of one id stay cheap. */
  next(id: string): string {
    let count = this.#counts.get(id) ?? 1;
    do count += 1;
    while (this.#used.has(`${id}_${count}`));
    this.#counts.set(id, count);
    this.#used.add(`${id}_${count}`);
    return `${id}_${count}`;
  }
}
