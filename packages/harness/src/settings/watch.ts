/**
 * Settings that follow their files. Changes are seen through `fs.watch` where that works, and every few seconds by
 * looking, so nothing depends on it: not a network file system, not a folder that comes later, not a link's target.
 */

import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, messageOf } from "@runahead/base";
import { changedKeys } from "./changed.ts";
import { HeldChanges, type WasSandboxed } from "./held.ts";
import { type Earlier, loadAgain } from "./load.ts";
import type { LoadedSettings } from "./loaded.ts";
import { type SettingsOptions, placesOf, projectRoot } from "./place.ts";
import { trustPath } from "../trust/trust.ts";

export interface WatchOptions extends SettingsOptions {
  /** How often to look without being told; 2000 unless told. */
  readonly pollMs?: number;
  /** Changes in so short a time are one; 50 unless told. */
  readonly debounceMs?: number;
  /** Throws where it cannot; `fs.watch` unless told. */
  readonly watchFolder?: WatchFolder;
  /** Changes of the project's files that were made at such a time grant nothing. Default: there is no such time. */
  readonly wasSandboxed?: WasSandboxed;
  /** Told once where folders cannot be watched, so that changes are seen later. */
  readonly onNotice?: (message: string) => void;
}

/** `onError`: it no longer watches. */
type WatchFolder = (path: string, onEvent: () => void, onError: (error: Error) => void) => { close(): void };

const POLL_MS = 2000;

/** `changed` names keys as `explain` does, or `trust`, `isIncomplete`, `problems`. */
export type OnChange = (settings: LoadedSettings, changed: readonly string[]) => void;

/** Settings that follow their files. */
export interface SettingsWatch {
  /** The settings as they are now. */
  readonly current: LoadedSettings;
  /** Reads the files now. Resolves after `onChange` has been called with what changed. */
  reload(): Promise<void>;
  /** Stops watching. `onChange` is not called afterwards. */
  close(): void;
}

/**
 * Loads settings and calls `onChange` when their files change. The root of the project stays the one that was found
 * first.
 *
 * @example
 * ```ts
 * const watch = await watchSettings({ cwd, home, env }, (settings, changed) => console.log(changed));
 * watch.close();
 * ```
 */
export async function watchSettings(options: WatchOptions, onChange: OnChange): Promise<SettingsWatch> {
  const root = await projectRoot(options.cwd);
  const { wasSandboxed } = options;
  const earlier: Earlier = {
    memory: new Map(),
    ...(wasSandboxed === undefined ? {} : { held: new HeldChanges(wasSandboxed) }),
  };
  const first = await loadAgain(options, root, earlier);
  const watcher = new Watcher({ options, root, earlier, onChange }, first);
  await watcher.reload();
  return watcher;
}

interface Watched {
  readonly options: WatchOptions;
  readonly root: string;
  readonly earlier: Earlier;
  readonly onChange: OnChange;
}

class Watcher implements SettingsWatch {
  current: LoadedSettings;
  readonly #watched: Watched;
  readonly #folders = new Map<string, { readonly id: string; close(): void }>();
  readonly #poll: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;
  #isTold = false;

  constructor(watched: Watched, first: LoadedSettings) {
    this.#watched = watched;
    this.current = first;
    const { pollMs = POLL_MS } = watched.options;
    this.#poll = setInterval(() => this.#look(), pollMs).unref();
  }

  reload(): Promise<void> {
    this.#isAskedAgain = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#soon);
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
  }

  async #run(): Promise<void> {
    while (this.#isAskedAgain && !this.#isClosed) {
      this.#isAskedAgain = false;
      // Watched before it is read, so that what comes in between is seen.
      await this.#follow();
      const { options, root, earlier, onChange } = this.#watched;
      const next = await loadAgain(options, root, earlier);
      const changed = changedKeys(this.current, next);
      if (this.#isClosed || changed.length === 0) continue;
      this.current = next;
      onChange(next, changed);
    }
  }

  /** Folders come, go and are replaced by others of the same name. */
  async #follow(): Promise<void> {
    const { options, root } = this.#watched;
    const places = await placesOf(options, root);
    const files = places.filter(({ content }) => content.type === "file").map(({ path }) => path);
    for (const folder of new Set([...files, trustPath(options)].map((path) => dirname(path)))) {
      const found = await stat(folder).catch(() => undefined);
      const id = found === undefined ? "" : `${found.dev}:${found.ino}`;
      const known = this.#folders.get(folder);
      if (known?.id === id || this.#isClosed) continue;
      known?.close();
      this.#folders.delete(folder);
      if (found !== undefined) this.#watch(folder, id);
    }
  }

  #watch(folder: string, id: string): void {
    const start = this.#watched.options.watchFolder ?? watchFolder;
    try {
      const watcher = start(
        folder,
        () => this.#hear(),
        (error) => this.#unwatched(folder, error),
      );
      this.#folders.set(folder, { id, close: () => watcher.close() });
    } catch (error) {
      this.#folders.set(folder, { id, close: () => {} });
      this.#unwatched(folder, error as Error);
    }
  }

  /** Too many watches, or a file system without them: looking every few seconds must do (F12). */
  #unwatched(folder: string, error: Error): void {
    // A folder that was deleted is not watched either, and there is nothing to tell of it.
    if (this.#isTold || this.#isClosed || codeOf(error) === "ENOENT") return;
    this.#isTold = true;
    const { pollMs = POLL_MS, onNotice } = this.#watched.options;
    onNotice?.(
      `${folder} cannot be watched (${messageOf(error)}): settings are looked at every ${pollMs} ms instead.`,
    );
  }

  /** Where files are slow, looks do not pile up. */
  #look(): void {
    if (this.#running === undefined) void this.reload();
  }

  #hear(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#soon);
    const { debounceMs = 50 } = this.#watched.options;
    this.#soon = setTimeout(() => void this.reload(), debounceMs).unref();
  }
}

const watchFolder: WatchFolder = (path, onEvent, onError) => {
  const watcher: FSWatcher = watch(path, { persistent: false }, onEvent);
  watcher.on("error", (error) => {
    watcher.close();
    onError(error);
  });
  return { close: () => watcher.close() };
};
