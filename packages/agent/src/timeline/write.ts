/** Puts a timeline into a file that only its owner may read: whole, or not at all. */

import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { htmlTimeline } from "./html.ts";
import type { Timeline } from "./model.ts";
import { traceEvents } from "./trace.ts";

/** Reports whether a timeline was written. */
export type Written =
  | {
      readonly type: "written";
      /** The size of the file. */
      readonly bytes: number;
    }
  | {
      readonly type: "failed";
      /** Why, with the path. */
      readonly message: string;
    };

/**
 * Writes a timeline to a file that only its owner can read, completely or not at all. A file or a link of that name
 * is replaced.
 *
 * `form`: by default trace events if the name ends in `.json`, else an HTML page. Does not throw: see the result.
 *
 * @example
 * ```ts
 * import { createAgent, scripted } from "@runahead/agent";
 * import { TimelineRecorder, writeTimeline } from "@runahead/agent/timeline";
 *
 * const recorder = new TimelineRecorder();
 * const agent = createAgent({ model: scripted([]), tools: [], onEvent: (event) => recorder.hear(event) });
 * await agent.send("Go.");
 * console.log(await writeTimeline("timeline.html", recorder.timeline()));
 * ```
 */
export async function writeTimeline(
  path: string,
  timeline: Timeline,
  form: "page" | "trace" = path.endsWith(".json") ? "trace" : "page",
): Promise<Written> {
  const text = form === "trace" ? JSON.stringify(traceEvents(timeline)) : htmlTimeline(timeline);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    await writeNew(draft, text);
    await rename(draft, path);
    return { type: "written", bytes: Buffer.byteLength(text) };
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    return { type: "failed", message: `${path} was not written: ${(error as Error).message}` };
  }
}

/** Never through a link that somebody has put there. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
