/** The list of sessions in this folder, for `/resume`. */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type SessionLocked, type SessionSummary, sessions, runaheadHome } from "@runahead/harness";
import type { World } from "../../shared/world.ts";
import type { Choice, Choosing } from "../panels/chooser.ts";
import { localMinute, oneLine, plural } from "../../shared/words.ts";

const MOST_LISTED = 50;
/** The turns of a larger session are not counted. */
const MOST_COUNTED_BYTES = 20_000_000;

export const WHICH_SESSION = "Which session do you want to resume?";

/** The answer to `copyQuestion` that opens the copy. */
export const COPY = "copy";

/** Asks whether to work on a copy of a session that is open elsewhere. */
export function copyQuestion({ id, pid }: SessionLocked): Choosing {
  return {
    title: "This session is open in another process. Open a copy?",
    lines: [`Session ${oneLine(id)} is in use by process ${pid}. A copy starts with what is saved so far.`],
    choices: [
      { value: COPY, label: "Open a copy" },
      { value: "no", label: "Cancel" },
    ],
  };
}

/** Newest first, without sessions that have no answer yet and without the current one. */
export async function sessionChoices(world: World, ownId: string | undefined): Promise<Choice[]> {
  const all = await sessions({ home: runaheadHome(world), cwd: world.cwd }).list();
  const others = all.filter(({ id, firstPrompt }) => id !== ownId && firstPrompt !== "");
  const choices: Choice[] = [];
  for (const summary of others) {
    if (choices.length === MOST_LISTED) break;
    const turns = await turnsOf(summary);
    if (turns !== NO_TURNS) choices.push(choiceOf(summary, turns));
  }
  return choices;
}

function choiceOf({ id, updatedAt, firstPrompt, isLocked }: SessionSummary, turns: string): Choice {
  const when = localMinute(updatedAt);
  const parts = [turns, ...(isLocked ? ["in use: opens a copy"] : [])];
  return { value: id, label: `${when}  ${oneLine(firstPrompt)}`, description: parts.join(", ") };
}

const NO_TURNS = plural(0, "turn");

async function turnsOf({ path, sizeBytes }: SessionSummary): Promise<string> {
  if (sizeBytes > MOST_COUNTED_BYTES) return `${Math.round(sizeBytes / 1e6)} MB`;
  let turns = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity }))
      if (line.startsWith('{"type":"turn-ended"')) turns++;
  } catch {
    return "unreadable";
  }
  return plural(turns, "turn");
}
