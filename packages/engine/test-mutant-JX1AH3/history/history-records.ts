/** The records of a history: results that wait for their calls, and ids that are in use. */

import { type Block, blocksOf, isCall, isResult } from "./history-block.ts";
import type { Entry } from "./history-clean.ts";
import { stringOf } from "../wire/shape.ts";

interface Recorded {
  readonly block: Block;
  /** The index of its message. */
  readonly index: number;
}

/** The results in a run of user messages. Each answers one call, in the order of recording. */
export class RecordedResults {
  readonly #byCall = new Map<string, { readonly found: Recorded[]; taken: number }>();

  constructor(users: readonly Entry[]) {
    for (const { message, index } of users) {
      for (const block of blocksOf(message)) if (isResult(block)) this.#record({ block, index });
    }
  }

  take(callId: string): Block | undefined {
    const results = this.#byCall.get(callId);
    if (results === undefined) return undefined;
    results.taken += 1;
    return results.found[results.taken - 1]?.block;
  }

  unused(): { readonly id: string; readonly index: number }[] {
    const all = [...this.#byCall];
    return all.flatMap(([id, { found, taken }]) => found.slice(taken).map(({ index }) => ({ id, index })));
  }

  #record(recorded: Recorded): void {
    const id = stringOf(recorded.block["tool_use_id"]);
    const results = this.#byCall.get(id);
    if (results === undefined) this.#byCall.set(id, { found: [recorded], taken: 0 });
    else results.found.push(recorded);
  }
}

/** Creates ids that do not occur in the history. Few histories need one, so the ids in use are collected then. */
export class FreshIds {
  readonly #entries: readonly Entry[];
  #used: Set<string> | undefined;
  readonly #counts = new Map<string, number>();

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** Continues counting for each id, so that many duplicates of one id stay cheap. */
  next(id: string): string {
    const used = (this.#used ??= idsIn(this.#entries));
    let count = this.#counts.get(id) ?? 1;
    do count += 1;
    while (used.has(`${id}_${count}`));
    this.#counts.set(id, count);
    used.add(`${id}_${count}`);
    return `${id}_${count}`;
  }
}

function idsIn(entries: readonly Entry[]): Set<string> {
  const used = new Set<string>();
  for (const { message } of entries) {
    for (const block of blocksOf(message)) {
      if (isCall(block)) used.add(stringOf(block["id"]));
      if (isResult(block)) used.add(stringOf(block["tool_use_id"]));
    }
  }
  return used;
}
