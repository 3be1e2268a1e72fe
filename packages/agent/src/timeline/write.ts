/** Writes a timeline to a private file, completely or not at all. */

import { checkTimeline } from "./model.ts";
import { aString, oneOf, required } from "@runahead/base";
import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { htmlTimeline } from "./html.ts";
import type { Timeline } from "./model.ts";
import { traceEvents } from "./trace.ts";

/** Whether a file was written. */
export type Written =
  | {
      readonly type: "written";
      /** The size of the file. */
      readonly bytes: number;
    }
  | {
      readonly type: "failed";
      /** What went wrong. */
      readonly message: string;
    };

/**
 * Writes a timeline to a file: trace events if the name ends in `.json`, otherwise an HTML page. Replaces an existing
 * file or link. Only the owner can read the file. Rejects only for wrong arguments.
 *
 * @example
 * ```ts
 * await writeTimeline("run.html", recorder.timeline());
 * ```
 */
export async function writeTimeline(
  path: string,
  timeline: Timeline,
  form?: "page" | "trace",
): Promise<Written> {
  required(aString)(path, 'writeTimeline: "path"');
  checkTimeline(timeline, "writeTimeline");
  oneOf("page", "trace")(form, 'writeTimeline: "form"');
  const isTrace = form === undefined ? path.endsWith(".json") : form === "trace";
  const text = isTrace ? JSON.stringify(traceEvents(timeline)) : htmlTimeline(timeline);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    await writeNew(draft, text);
    await rename(draft, path);
    return { type: "written", bytes: Buffer.byteLength(text) };
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    return { type: "failed", message: `Cannot write ${path}: ${(error as Error).message}` };
  }
}

/** Does not follow symbolic links. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
