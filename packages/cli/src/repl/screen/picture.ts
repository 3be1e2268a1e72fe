/** `/timeline`: shows what ran when as text, and writes it as a page. */

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
  /** The name from the user. Empty for the default file, which is overwritten. */
  readonly file: string;
  readonly sessionId: string | undefined;
  readonly columns: number;
}

export async function pictureLines(world: World, wanted: Wanted): Promise<string[]> {
  const { timeline, file, columns } = wanted;
  if (timeline.turns.length === 0) return ["Nothing to show yet."];
  const picture = textTimeline(timeline, columns).split("\n").map(strip);
  const path = await pathOf(world, wanted);
  if (path === undefined)
    return [
      ...picture,
      `Page not written: ${oneLine(resolve(world.cwd, file))} already exists. Choose another name.`,
    ];
  const written = await writeTimeline(path, timeline);
  return [...picture, oneLine(written.type === "written" ? `Page written to ${path}` : written.message)];
}

/** Returns undefined if the file from the user already exists. */
async function pathOf(world: World, { file, sessionId }: Wanted): Promise<string | undefined> {
  if (file !== "") return existsSync(resolve(world.cwd, file)) ? undefined : resolve(world.cwd, file);
  const folder = join(runaheadHome(world), "timelines");
  // If the folder cannot be created, writing the page reports why.
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(wordsOf);
  return join(folder, `${sessionId ?? "unnamed"}.html`);
}
