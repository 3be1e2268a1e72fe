/** FileChanged: watches the files that hooks name, and reports what happened to them. */

import { type StatsListener, unwatchFile, watchFile } from "node:fs";
import { resolve } from "node:path";
import type { HookRunner } from "@runahead/agent";

const EVERY_MS = 500;
/** Each file is looked at twice a second. */
const MOST_FILES = 200;

/** A matcher names files: `.envrc|.env`. Other patterns name no file that could be watched. */
function namesIn(matcher: string): string[] {
  return matcher
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => /^[\w.@ -][\w.@ /-]*$/.test(name));
}

/** Watches until `close`. Files are looked at by polling, which also works for files that do not exist yet. */
export class FileWatch {
  readonly #cwd: string;
  readonly #hooks: () => HookRunner | undefined;
  readonly #watched = new Map<string, StatsListener>();

  constructor(cwd: string, hooks: () => HookRunner | undefined) {
    this.#cwd = cwd;
    this.#hooks = hooks;
  }

  /** Watches the files that the matchers of FileChanged hooks name, in the working directory. */
  start(): void {
    const matchers =
      this.#hooks()
        ?.list()
        .filter(({ event, runs }) => event === "FileChanged" && runs) ?? [];
    this.add(matchers.flatMap(({ matcher }) => namesIn(matcher)));
  }

  /** Watches more files; relative paths are in the working directory. */
  add(paths: readonly string[]): void {
    if (this.#hooks()?.has("FileChanged") !== true) return;
    for (const path of paths.map((one) => resolve(this.#cwd, one))) {
      if (this.#watched.has(path) || this.#watched.size >= MOST_FILES) continue;
      const listener: StatsListener = (now, before) =>
        this.#changed(path, kindOf(now.mtimeMs, before.mtimeMs));
      this.#watched.set(path, listener);
      watchFile(path, { interval: EVERY_MS, persistent: false }, listener);
    }
  }

  close(): void {
    for (const [path, listener] of this.#watched) unwatchFile(path, listener);
    this.#watched.clear();
  }

  #changed(path: string, kind: Kind): void {
    const facts = { file_path: path, event: EVENTS[kind], file_event_type: kind };
    void this.#hooks()
      ?.happen("FileChanged", facts)
      .catch(() => {});
  }
}

type Kind = "created" | "modified" | "deleted";

/** The older names of the kinds. */
const EVENTS: Readonly<Record<Kind, string>> = { created: "add", modified: "change", deleted: "unlink" };

/** A file that does not exist has the time 0. */
function kindOf(nowMs: number, beforeMs: number): Kind {
  if (nowMs === 0) return "deleted";
  return beforeMs === 0 ? "created" : "modified";
}
