/** ConfigChange and DirectoryAdded: hooks that run when settings files change while the agent works. */

import type { HookRunner } from "@runahead/agent";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { inForce } from "../../settings/in-force.ts";
import type { Environment } from "../../settings/place.ts";
import { type SettingsFile, acceptances, entriesOf } from "../../settings/merge.ts";

const SOURCES: Readonly<Record<SettingsFile["level"], string>> = {
  managed: "policy_settings",
  flags: "user_settings",
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
};

interface Ports {
  readonly env: Environment;
  readonly hooks: () => HookRunner | undefined;
  readonly onNotice: (message: string) => void;
}

/** Passes changes on after the hooks ran. A file whose change a hook blocks keeps its earlier settings. */
export class ConfigChanges {
  readonly #ports: Ports;
  #before: LoadedSettings;
  #last: Promise<void> = Promise.resolve();
  /** By path: the text of the settings that a hook blocked, and the file as it was before. */
  readonly #blocked = new Map<string, { readonly text: string; readonly file: SettingsFile }>();

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
      await this.#ask(hooks, before, settings);
      apply(this.#withoutBlocked(settings));
      this.#report(before, settings, hooks);
    });
  }

  async #ask(hooks: HookRunner, before: LoadedSettings, settings: LoadedSettings): Promise<void> {
    for (const file of changedFiles(before, settings)) {
      const { level, path } = file;
      const { blocked, messages } = await hooks.happen("ConfigChange", {
        source: SOURCES[level],
        file_path: path,
      });
      for (const message of messages) this.#ports.onNotice(message);
      if (blocked === undefined || level === "managed") continue;
      const earlier = this.#blocked.get(path)?.file ?? before.files.find((one) => one.path === path);
      if (earlier === undefined) continue;
      this.#blocked.set(path, { text: textOf(file), file: earlier });
      this.#ports.onNotice(
        `${path}: the change is not applied: a ConfigChange hook blocks it: ${blocked.reason}`,
      );
    }
  }

  /** The settings with the earlier content of each file whose content is still the blocked one. */
  #withoutBlocked(settings: LoadedSettings): LoadedSettings {
    const files = settings.files.map((file) => {
      const held = this.#blocked.get(file.path);
      return held?.text === textOf(file) ? held.file : file;
    });
    if (files.every((file, at) => file === settings.files[at])) return settings;
    const inForceNow = settings.entries.filter(({ status }) => status.type === "in-force");
    const { env } = this.#ports;
    const entries = entriesOf(files, { accepted: new Set(acceptances(inForceNow)), env });
    return { ...settings, ...inForce(files, entries, env), files, entries };
  }

  #report(before: LoadedSettings, after: LoadedSettings, hooks: HookRunner | undefined): void {
    if (hooks?.has("DirectoryAdded") !== true) return;
    const known = directoriesOf(before);
    for (const directory of directoriesOf(after))
      if (!known.includes(directory))
        void hooks.happen("DirectoryAdded", { directory, source: "settings" }).catch(() => {});
  }
}

function textOf(file: SettingsFile | undefined): string {
  return JSON.stringify([file?.state, file?.settings ?? []]);
}

/** The files whose settings or state differ. */
function changedFiles(before: LoadedSettings, after: LoadedSettings): SettingsFile[] {
  const old = new Map(before.files.map((file) => [file.path, textOf(file)]));
  return after.files.filter((file) => (old.get(file.path) ?? textOf(undefined)) !== textOf(file));
}

function directoriesOf({ sources }: LoadedSettings): string[] {
  return sources.flatMap(({ trusted, additionalDirectories }) => (trusted ? additionalDirectories : []));
}
