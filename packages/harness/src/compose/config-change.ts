/** ConfigChange and DirectoryAdded: hooks that run when settings files change while the agent works. */

import type { HookRunner } from "@runahead/agent";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { SettingsFile } from "../settings/merge.ts";

const SOURCES: Readonly<Record<SettingsFile["level"], string>> = {
  managed: "policy_settings",
  flags: "user_settings",
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
};

interface Ports {
  readonly hooks: () => HookRunner | undefined;
  readonly onNotice: (message: string) => void;
}

/** Passes changes on after the hooks ran; one that a hook blocks is not passed on. */
export class ConfigChanges {
  readonly #ports: Ports;
  #before: LoadedSettings;
  #last: Promise<void> = Promise.resolve();

  constructor(first: LoadedSettings, ports: Ports) {
    this.#before = first;
    this.#ports = ports;
  }

  /** Without hooks, the change is passed on at once. */
  changed(settings: LoadedSettings, apply: (settings: LoadedSettings) => void): void {
    const hooks = this.#ports.hooks();
    const before = this.#before;
    this.#before = settings;
    if (hooks?.has("ConfigChange") !== true) {
      apply(settings);
      this.#report(before, settings, hooks);
      return;
    }
    this.#last = this.#last.then(async () => {
      if (await this.#isBlocked(hooks, before, settings)) return;
      apply(settings);
      this.#report(before, settings, hooks);
    });
  }

  async #isBlocked(hooks: HookRunner, before: LoadedSettings, settings: LoadedSettings): Promise<boolean> {
    let isBlocked = false;
    for (const { level, path } of changedFiles(before, settings)) {
      const facts = { source: SOURCES[level], file_path: path };
      const { blocked, messages } = await hooks.happen("ConfigChange", facts);
      for (const message of messages) this.#ports.onNotice(message);
      if (blocked === undefined || level === "managed") continue;
      isBlocked = true;
      this.#ports.onNotice(
        `${path}: the change is not applied: a ConfigChange hook blocks it: ${blocked.reason}`,
      );
    }
    return isBlocked;
  }

  #report(before: LoadedSettings, after: LoadedSettings, hooks: HookRunner | undefined): void {
    if (hooks?.has("DirectoryAdded") !== true) return;
    const known = directoriesOf(before);
    for (const directory of directoriesOf(after))
      if (!known.includes(directory))
        void hooks.happen("DirectoryAdded", { directory, source: "settings" }).catch(() => {});
  }
}

/** The files whose settings or state differ. */
function changedFiles(before: LoadedSettings, after: LoadedSettings): SettingsFile[] {
  const textOf = (file: SettingsFile | undefined): string =>
    JSON.stringify([file?.state, file?.settings ?? []]);
  const old = new Map(before.files.map((file) => [file.path, textOf(file)]));
  return after.files.filter((file) => (old.get(file.path) ?? textOf(undefined)) !== textOf(file));
}

function directoriesOf({ sources }: LoadedSettings): string[] {
  return sources.flatMap(({ trusted, additionalDirectories }) => (trusted ? additionalDirectories : []));
}
