/** What is appended to a journal after a recovery. */

import { type Recovered, toLine } from "./entry.ts";
import type { Loaded, Recovery } from "./load.ts";

/** The lines to append after a recovery: the messages it made, then the `recovered` entry. */
export function recoveryLines({ recovery, header: _header, found: _found, ...history }: Loaded): string[] {
  if (recovery === undefined) return [];
  const { made, parked } = recovery;
  if (parked !== undefined) return [toLine({ type: "turn-parked", ...parked })];
  const lines =
    made === undefined
      ? [toLine({ type: "compacted", ...history })]
      : made.map((message) => toLine({ type: "message", message } as { type: string }));
  return [...lines, toLine(recoveredEntry(recovery))];
}

function recoveredEntry({ fates }: Recovery): Recovered {
  return {
    type: "recovered",
    fates: fates.map(({ outcome: _outcome, result: _result, idempotencyKey, changedInput, ...about }) =>
      about.fate === "unknown"
        ? {
            ...about,
            ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
            ...(changedInput === undefined ? {} : { changedInput }),
          }
        : about,
    ),
  };
}
