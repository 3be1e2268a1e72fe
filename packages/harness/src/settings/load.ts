/** Reads all settings files and merges them. */

import { resolve } from "node:path";
import { type Memory, type ReadFile, readSettings } from "./file.ts";
import type { HeldChanges } from "./held.ts";
import { inForce } from "./in-force.ts";
import type { LoadedSettings } from "./loaded.ts";
import { entriesOf, problemsOf } from "./merge.ts";
import { type Place, type SettingsOptions, placesOf, projectRoot, checkSettingsOptions } from "./place.ts";
import type { Problem } from "./setting.ts";
import { isOwnFile } from "../trust/own-files.ts";
import { readTrust, trustPath } from "../trust/trust.ts";

/**
 * Reads and merges all settings files of a folder. Never throws because of what is in a file: problems are in the
 * result, and while a file cannot be read, allow rules are suspended.
 *
 * @example
 * ```ts
 * const settings = await loadSettings({ cwd: "/repo", home: homedir(), env: process.env });
 * console.log(settings.mode, settings.problems);
 * ```
 */
export async function loadSettings(options: SettingsOptions): Promise<LoadedSettings> {
  checkSettingsOptions(options, "loadSettings");
  return loadAgain(options, await projectRoot(options.cwd), { memory: new Map() });
}

/** State from earlier loads. */
export interface Earlier {
  /** Keeps the last valid content of files that can no longer be read. */
  readonly memory: Memory;
  readonly held?: HeldChanges;
}

export async function loadAgain(
  options: SettingsOptions,
  root: string,
  { memory, held }: Earlier,
): Promise<LoadedSettings> {
  const trust = await trustOf(options, root);
  const places = await placesOf(options, root);
  const isOwn = ({ level }: Place): boolean => level !== "project" && level !== "local";
  const read = await Promise.all(
    places.map(async (place) => {
      const one = await readSettings(place, trust.isTrusted || isOwn(place), memory);
      const found = (await isVouched(options, one, memory)) ? trusting(one) : one;
      return held === undefined ? found : held.check(found);
    }),
  );
  const files = read.map(({ file }) => file);
  const entries = entriesOf(files, { accepted: trust.accepted, env: options.env });
  return {
    cwd: resolve(options.cwd),
    root,
    isTrusted: trust.isTrusted,
    ...inForce(files, entries, options.env),
    problems: [...trust.problems, ...read.flatMap(({ problems }) => problems), ...problemsOf(entries)],
    files,
    entries,
  };
}

/** Whether Runahead wrote exactly the text that was read. */
async function isVouched(options: SettingsOptions, { file }: ReadFile, memory: Memory): Promise<boolean> {
  const { level, path, state, trusted } = file;
  const text = memory.get(path)?.text;
  if (trusted || level !== "local" || state !== "read" || text === undefined) return false;
  return isOwnFile(options, path, text);
}

function trusting({ file, problems }: ReadFile): ReadFile {
  return { file: { ...file, trusted: true }, problems };
}

async function trustOf(options: SettingsOptions, root: string) {
  const path = trustPath(options);
  const trusted = await readTrust(path);
  const problems: Problem[] =
    trusted.type === "known"
      ? []
      : [
          {
            severity: "error",
            path,
            key: "",
            message: `${path}: no folder is trusted: ${trusted.why}`,
          },
        ];
  const isKnown = trusted.type === "known" && trusted.roots.has(root);
  return {
    isTrusted: options.isTrusted ?? isKnown,
    accepted: new Set(isKnown ? trusted.accepted.get(root) : []),
    problems,
  };
}
