/**
 * Settings that follow their files. Changes are seen through `fs.watch`, and by polling every two seconds, which also
 * works on network file systems, for folders that are created later and for the targets of links.
 */

import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, messageOf, aFunction, required } from "@runahead/base";
import { changedKeys } from "./changed.ts";
import { HeldChanges, type WasSandboxed } from "./held.ts";
import { type Earlier, loadAgain } from "./load.ts";
import type { LoadedSettings } from "./loaded.ts";
import { type SettingsOptions, placesOf, projectRoot, checkSettingsOptions } from "./place.ts";
import { trustPath } from "../trust/trust.ts";

export interface WatchOptions extends SettingsOptions {
  /** How often to poll, in milliseconds. Default: 2000. */
  readonly pollMs?: number;
  /** Changes within this time, in milliseconds, count as one. Default: 50. */
  readonly debounceMs?: number;
  /** Watches a folder, or throws. Default: `fs.watch`. */
  readonly watchFolder?: WatchFolder;
  /** Changes of project files at a time for which this returns true grant nothing. Default: never. */
  readonly wasSandboxed?: WasSandboxed;
  /** Called once if folders cannot be watched, so that changes are seen later. */
  readonly onNotice?: (message: string) => void;
}

/** `onError` is called when watching stops. */
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
  checkSettingsOptions(options, "watchSettings");
  required(aFunction)(onChange, 'watchSettings: "onChange"');
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
  #isRequested = false;
  #isClosed = false;
  #isReported = false;

  constructor(watched: Watched, first: LoadedSettings) {
    this.#watched = watched;
    this.current = first;
    const { pollMs = POLL_MS } = watched.options;
    this.#poll = setInterval(() => this.#look(), pollMs).unref();
  }

  reload(): Promise<void> {
    this.#isRequested = true;
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
    while (this.#isRequested && !this.#isClosed) {
      this.#isRequested = false;
      // Watched before it is read, so that no change is missed in between.
      await this.#follow();
      const { options, root, earlier, onChange } = this.#watched;
      const next = await loadAgain(options, root, earlier);
      const changed = changedKeys(this.current, next);
      if (this.#isClosed || changed.length === 0) continue;
      this.current = next;
      onChange(next, changed);
    }
  }

  /** Folders are created, deleted and replaced by others with the same name. */
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
        () => this.#schedule(),
        (error) => this.#unwatched(folder, error),
      );
      this.#folders.set(folder, { id, close: () => watcher.close() });
    } catch (error) {
      this.#folders.set(folder, { id, close: () => {} });
      this.#unwatched(folder, error as Error);
    }
  }

  /** With too many watches, or a file system without them, polling has to suffice (F12). */
  #unwatched(folder: string, error: Error): void {
    // A deleted folder needs no notice.
    if (this.#isReported || this.#isClosed || codeOf(error) === "ENOENT") return;
    this.#isReported = true;
    const { pollMs = POLL_MS, onNotice } = this.#watched.options;
    onNotice?.(
      `${folder} cannot be watched (${messageOf(error)}): settings are checked every ${pollMs} ms instead.`,
    );
  }

  /** Polls do not pile up on slow file systems. */
  #look(): void {
    if (this.#running === undefined) void this.reload();
  }

  #schedule(): void {
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
