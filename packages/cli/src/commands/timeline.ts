/** `runahead timeline`: shows what ran when in a session. */

import { resolve } from "node:path";
import type { SessionSummary } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import {
  type Timeline,
  allSavings,
  summarise,
  readTimeline,
  timelinePath,
  textTimeline,
  count,
  oneLine,
  writeTimeline,
} from "@runahead/harness/timeline";
import { outputColumns } from "../shared/terminal-output.ts";
import type { World } from "../shared/world.ts";
import { findSession } from "./find-session.ts";
import { asJson } from "./load.ts";

export interface TimelineFlags {
  readonly html?: string;
  readonly trace?: string;
  readonly json?: boolean;
  /** False with `--no-content`. */
  readonly content?: boolean;
}

const TITLE_CHARS = 120;
const PIPE_COLUMNS = 120;

export async function showTimeline(
  world: World,
  wanted: string | undefined,
  flags: TimelineFlags,
): Promise<number> {
  const session = await findSession(world, wanted);
  const read = await readTimeline(timelinePath(session.path));
  if (read.type === "failed") {
    world.complain(`runahead: session ${session.id}: ${read.message}`);
    return EXIT.error;
  }
  if (read.brokenLines > 0)
    world.complain(
      `Skipped ${count(read.brokenLines, "unreadable line")} in the recording of session ${session.id}.`,
    );
  return show(world, titled(read.timeline, session, flags), flags);
}

/** Adds the title. The prompt is content too, so `--no-content` leaves it out. */
function titled(timeline: Timeline, session: SessionSummary, { content }: TimelineFlags): Timeline {
  const name = `Session ${session.id.slice(0, 8)}`;
  if (content === false)
    return {
      ...timeline,
      title: name,
      calls: timeline.calls.map((call) => ({ ...call, content: undefined })),
    };
  return { ...timeline, title: oneLine(session.firstPrompt, TITLE_CHARS) || name };
}

async function show(world: World, timeline: Timeline, { html, trace, json }: TimelineFlags): Promise<number> {
  const files = [
    ...(html === undefined ? [] : [[html, "page"] as const]),
    ...(trace === undefined ? [] : [[trace, "trace"] as const]),
  ];
  for (const [file, form] of files) {
    const path = resolve(world.cwd, file);
    const end = await writeTimeline(path, timeline, form);
    if (end.type === "failed") {
      world.complain(`runahead: ${end.message}`);
      return EXIT.error;
    }
    world.print(path);
  }
  if (json === true) world.print(asJson({ ...timeline, summary: summarise(timeline, allSavings(timeline)) }));
  else if (files.length === 0) world.print(textTimeline(timeline, outputColumns() ?? PIPE_COLUMNS));
  return EXIT.done;
}
