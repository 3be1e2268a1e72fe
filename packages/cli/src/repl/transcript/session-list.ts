/** The list of sessions in this folder, for `/resume`. */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type SessionSummary, sessions, runaheadHome } from "@runahead/harness";
import type { World } from "../../shared/world.ts";
import type { Choice } from "../panels/chooser.ts";
import { oneLine, plural } from "../../shared/words.ts";

const MOST_LISTED = 50;
/** The turns of a larger session are not counted. */
const MOST_COUNTED_BYTES = 20_000_000;

export const WHICH_SESSION = "Which session do you want to resume?";

/** Newest first, without empty sessions and without the current one. */
export async function sessionChoices(world: World, ownId: string | undefined): Promise<Choice[]> {
  const all = await sessions({ home: runaheadHome(world), cwd: world.cwd }).list();
  const others = all.filter(({ id, firstPrompt }) => id !== ownId && firstPrompt !== "");
  return Promise.all(others.slice(0, MOST_LISTED).map(choiceOf));
}

async function choiceOf(summary: SessionSummary): Promise<Choice> {
  const { id, updatedAt, firstPrompt, isLocked } = summary;
  const when = updatedAt.slice(0, 16).replace("T", " ");
  const parts = [await turnsOf(summary), ...(isLocked ? ["in use by another process"] : [])];
  return { value: id, label: `${when}  ${oneLine(firstPrompt)}`, description: parts.join(", ") };
}

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
