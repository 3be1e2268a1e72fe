/** FileChanged: watches the files that hooks name, and reports what happened to them. */

import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
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
  /** By path, when each file was changed last; 0 if it does not exist. */
  readonly #times = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

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

  /** Watches more files from their state now; relative paths are in the working directory. */
  add(paths: readonly string[]): void {
    if (this.#hooks()?.has("FileChanged") !== true) return;
    for (const path of paths.map((one) => resolve(this.#cwd, one)))
      if (!this.#times.has(path) && this.#times.size < MOST_FILES)
        this.#times.set(path, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (this.#times.size > 0) this.#timer ??= setInterval(() => void this.#look(), EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#times.clear();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const [path, before] of this.#times) {
      const now = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
      if (now === before || !this.#times.has(path)) continue;
      this.#times.set(path, now);
      this.#changed(path, kindOf(now, before));
    }
    this.#isLooking = false;
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

function kindOf(nowMs: number, beforeMs: number): Kind {
  if (nowMs === 0) return "deleted";
  return beforeMs === 0 ? "created" : "modified";
}
