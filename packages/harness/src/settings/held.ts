/**
 * Project settings that change while a sandboxed command runs may have been changed by the command, so they grant
 * nothing: new restrictions apply, and the rest waits until Runahead is restarted. The sandbox protects these files from
 * writes; this is the second line of defence.
 */

import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { ReadFile } from "./file.ts";
import { type Setting, isGuard } from "./setting.ts";

/** Returns whether a sandboxed command was running at this time, in milliseconds since 1970. */
export type WasSandboxed = (atMs: number) => boolean;

export class HeldChanges {
  readonly #wasSandboxed: WasSandboxed;
  /** The settings that apply, by path. */
  readonly #accepted = new Map<string, readonly Setting[]>();
  readonly #held = new Set<string>();

  constructor(wasSandboxed: WasSandboxed) {
    this.#wasSandboxed = wasSandboxed;
  }

  /** Returns the settings of a file that apply; on the first call, all of them. */
  async check(read: ReadFile): Promise<ReadFile> {
    const { level, path, settings } = read.file;
    if (level !== "project" && level !== "local") return read;
    const accepted = this.#accepted.get(path);
    if (accepted === undefined || !(await this.#isHeld(path, settings, accepted))) {
      this.#accepted.set(path, settings);
      return read;
    }
    this.#held.add(path);
    return heldBack(read, accepted);
  }

  async #isHeld(path: string, now: readonly Setting[], accepted: readonly Setting[]): Promise<boolean> {
    if (this.#held.has(path)) return true;
    if (textOf(now) === textOf(accepted)) return false;
    const times = await Promise.all(
      [path, dirname(path)].flatMap((one) => [changedAt(one, lstat), changedAt(one, stat)]),
    );
    return times.some((atMs) => atMs !== undefined && this.#wasSandboxed(atMs));
  }
}

/** Unlike the modification time, the change time cannot be set. */
async function changedAt(path: string, look: typeof stat): Promise<number | undefined> {
  return (await look(path).catch(() => undefined))?.ctimeMs;
}

function heldBack({ file, problems }: ReadFile, accepted: readonly Setting[]): ReadFile {
  const known = new Set(accepted.map(textOf));
  const now = new Set(file.settings.map(textOf));
  const forbids = (setting: Setting): boolean => isGuard(setting) && setting.type !== "hook";
  const settings = [
    ...file.settings.filter((setting) => forbids(setting) || known.has(textOf(setting))),
    ...accepted.filter((setting) => isGuard(setting) && !now.has(textOf(setting))),
  ];
  const message =
    `${file.path}: it changed while a sandboxed command was running. New allow rules, hooks and values are ignored ` +
    "until you have checked the file and restarted Runahead.";
  const problem = { severity: "warning", path: file.path, key: "", message } as const;
  return { file: { ...file, settings }, problems: [...problems, problem] };
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}
