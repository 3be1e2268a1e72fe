/** `/timeline`: the picture of what ran when, as text on the screen and as a page in a file. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Timeline, textTimeline, writeTimeline } from "@runahead/harness/timeline";
import type { World } from "../../shared/world.ts";
import { wordsOf } from "../../shared/failure.ts";
import { runaheadHome } from "@runahead/harness";
import { strip } from "../../shared/safe-text.ts";
import { oneLine } from "../../shared/words.ts";

interface Wanted {
  readonly timeline: Timeline;
  /** The name that the person gave; empty for one of ours, which is replaced when it is there. */
  readonly file: string;
  readonly sessionId: string | undefined;
  readonly columns: number;
}

export async function pictureLines(world: World, wanted: Wanted): Promise<string[]> {
  const { timeline, file, columns } = wanted;
  if (timeline.turns.length === 0) return ["There is nothing to draw yet."];
  const picture = textTimeline(timeline, columns).split("\n").map(strip);
  const path = await pathOf(world, wanted);
  if (path === undefined)
    return [...picture, `${oneLine(resolve(world.cwd, file))} is there already, and was not changed.`];
  const written = await writeTimeline(path, timeline);
  return [...picture, oneLine(written.type === "written" ? `The page: ${path}` : written.message)];
}

/** Undefined where a file of that name is there that is not ours. */
async function pathOf(world: World, { file, sessionId }: Wanted): Promise<string | undefined> {
  if (file !== "") return existsSync(resolve(world.cwd, file)) ? undefined : resolve(world.cwd, file);
  const folder = join(runaheadHome(world), "timelines");
  // Where it cannot be made, writing tells why.
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(wordsOf);
  return join(folder, `${sessionId ?? "unnamed"}.html`);
}
