/**
 * Checks an entry before it is written: one with a misspelt type would be ignored when the session is loaded. Types that
 * resemble none are kept, because a newer version can have added them.
 */

import { didYouMean, wrong } from "@runahead/base";
import type { SessionEntry } from "./entry.ts";

/** A missing type does not compile. */
const TYPES: Readonly<Record<SessionEntry["type"], true>> = {
  "agent-ended": true,
  answered: true,
  block: true,
  call: true,
  compacted: true,
  event: true,
  message: true,
  nested: true,
  "permission-judged": true,
  prompt: true,
  reconciled: true,
  rewound: true,
  spent: true,
  state: true,
  "turn-begun": true,
  "turn-ended": true,
  "turn-parked": true,
};

export function checkEntry(entry: SessionEntry): void {
  const type: unknown = entry?.type;
  if (typeof type !== "string") throw wrong("append: the entry", 'an object with a "type"', entry);
  if (Object.hasOwn(TYPES, type)) return;
  const hint = didYouMean(type, Object.keys(TYPES));
  if (hint !== "") throw new TypeError(`append: unknown type of entry ${JSON.stringify(type)}.${hint}`);
}
