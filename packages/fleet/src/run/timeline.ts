/** The timeline of a session on a store: a journal for each run, beside that of the session. */

import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, SessionStore } from "@runahead/agent";
import { type OpenStoredSession, linesFrom } from "@runahead/agent/internal";
import { createTimelineRecorder, htmlTimeline, readTimeline } from "@runahead/agent/timeline";

const PREFIX = ".timeline-";
const VERSION = 1;
const TURNS_AT_ONCE = 20;

export class RunTimeline {
  readonly #recorder = createTimelineRecorder({ hasContent: true });
  readonly #journal: ReturnType<OpenStoredSession["beside"]>;
  #hasBegun = false;
  #turns = 0;

  constructor(session: OpenStoredSession) {
    this.#journal = session.beside(`${PREFIX}${session.fence}`);
  }

  hear(event: AgentEvent): void {
    this.#recorder.hear(event);
    if (event.type === "turn-ended") this.#turns++;
    // Not after every turn: the timeline is not worth a commit of its own each time.
    if (event.type !== "ended" && (event.type !== "turn-ended" || this.#turns % TURNS_AT_ONCE > 0)) return;
    const first = { type: "run", version: VERSION, date: new Date().toISOString() };
    if (!this.#hasBegun) this.#journal.append(JSON.stringify(first));
    this.#hasBegun = true;
    this.#journal.append(JSON.stringify({ type: "part", ...this.#recorder.take() }));
    this.#recorder.dropTaken();
  }
}

/** Returns the page with what ran when in a session; undefined if nothing was recorded. */
export async function timelinePage(store: SessionStore, id: string): Promise<string | undefined> {
  const runs = (await store.journals(id)).filter((name) => name.startsWith(PREFIX));
  const order = (name: string): number => Number(name.slice(PREFIX.length));
  const lines: string[] = [];
  for (const journal of runs.toSorted((one, other) => order(one) - order(other)))
    for await (const { line } of linesFrom({ store, id, journal }, 0)) lines.push(line);
  if (lines.length === 0) return undefined;
  const path = join(tmpdir(), `runahead-timeline-${randomUUID()}.jsonl`);
  try {
    await writeFile(path, `${lines.join("\n")}\n`, { flag: "wx", mode: 0o600 });
    const read = await readTimeline(path);
    return read.type === "read" ? htmlTimeline({ ...read.timeline, title: `Session ${id}` }) : undefined;
  } finally {
    await rm(path, { force: true });
  }
}
