/** Shortens a command that has a problem: drops parts as long as the problem remains. */

import type { Permissions } from "../../src/verdict/permissions.ts";
import { isAllowed, problemsOf } from "./check.ts";
import type { Made } from "./grammar.ts";
import type { Jail } from "./jail.ts";

export interface Shrunk {
  readonly shrunk: string;
  readonly problems: readonly string[];
}

interface Shrinking {
  readonly jail: Jail;
  readonly permissions: Permissions;
  readonly problems: readonly string[];
}

const MAX_ROUNDS = 8;
const MAX_TRIES = 80;

export async function shrink(made: Made, { jail, permissions, problems }: Shrinking): Promise<Shrunk> {
  let best: Shrunk = { shrunk: made.command, problems };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const smaller = candidates(best.shrunk)
      .filter((text) => text.trim() !== "" && isAllowed({ command: text }, permissions))
      .slice(0, MAX_TRIES);
    const deeds = await jail.run(smaller);
    const found = deeds
      .map(
        (deed, at): Shrunk => ({
          shrunk: smaller[at] as string,
          problems: problemsOf(deed, { ...made, command: smaller[at] as string }, permissions),
        }),
      )
      .find((one) => one.problems.length > 0);
    if (found === undefined) return best;
    best = found;
  }
  return best;
}

/** Returns the text without some range of its tokens, shortest first. */
function candidates(text: string): string[] {
  const tokens = text.match(/\s+|[\w./-]+|[^]/g) ?? [];
  const found = new Set<string>();
  for (let start = 0; start < tokens.length; start++)
    for (let end = start + 1; end <= tokens.length; end++)
      found.add([...tokens.slice(0, start), ...tokens.slice(end)].join(""));
  return [...found].toSorted((one, other) => one.length - other.length).slice(0, 2_000);
}
