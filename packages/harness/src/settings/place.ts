/** Where settings are: the project's root, the files of each level, and the files that only the user should change. */

import { runaheadHome, checkSurroundings } from "../home.ts";
import { lstat, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  type Shape,
  isShape,
  aBoolean,
  aString,
  anArray,
  checkMembers,
  codeOf,
  strings,
} from "@runahead/base";
import type { SettingsLevel as Level } from "@runahead/permissions";

export type { SettingsLevel as Level } from "@runahead/permissions";

/** The settings files that `--setting-sources` selects from. */
export const SETTING_SOURCES = ["user", "project", "local"] as const;
export type SettingSource = (typeof SETTING_SOURCES)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Where {
  /** The working directory. */
  readonly cwd: string;
  /** The user's home directory. */
  readonly home: string;
  /** `RUNAHEAD_HOME` moves `~/.runahead`. */
  readonly env: Environment;
}

/** Options of `loadSettings` and `watchSettings`. */
export interface SettingsOptions extends Where {
  /** Settings of the command line, highest precedence first: an object, JSON text that begins with `{`, or a path. */
  readonly flags?: readonly (string | Shape)[];
  /**
   * Managed settings of the program that embeds the agent: JSON text that begins with `{`, or a path. They count as flags
   * if the machine has managed settings, whose restrictions hold for them too.
   */
  readonly managed?: string;
  /** Which of these files are read. Managed settings and flags are always read. Default: all. */
  readonly sources?: readonly SettingSource[];
  /** Paths of managed settings. Default: those of the system. */
  readonly managedPaths?: readonly string[];
  /** Overrides the saved trust for this run, as `--trust` does. */
  readonly isTrusted?: boolean;
}

/** Throws a TypeError that names the wrong option. */
export function checkSettingsOptions(options: unknown, of: string): void {
  checkSurroundings(options, of);
  checkMembers(options, SETTINGS_OPTIONS, of);
}

const SETTINGS_OPTIONS = {
  flags: anArray,
  managed: aString,
  sources: strings,
  managedPaths: strings,
  isTrusted: aBoolean,
};

/** One place that can contain settings. */
export interface Place {
  readonly level: Level;
  /** Display name. */
  readonly name: string;
  /** Unique; the name, for settings that are not in a file. */
  readonly path: string;
  /** What `/x` in a path rule means. */
  readonly root: string;
  readonly content: { readonly type: "file"; readonly isExpected: boolean } | Inline;
}

type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "value"; readonly value: Shape };

export const LOCAL_SETTINGS = join(".runahead", "settings.local.json");

const FOLDERS = [".runahead", ".claude"];
const MANAGED = "managed-settings.json";

export async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/**
 * Returns the real path of the nearest folder with a `.git`, or of `cwd`. A worktree is its own root: its `.git` file can
 * name any repository, so nothing is inherited from there.
 */
export async function projectRoot(cwd: string): Promise<string> {
  const start = await realPathOf(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    const git = await lstat(join(folder, ".git")).catch(() => undefined);
    if (git !== undefined) return folder;
    if (dirname(folder) === folder) return start;
  }
}

/** The folders from the working directory up to the root of the project, the nearest first. */
export async function projectFolders(cwd: string): Promise<readonly string[]> {
  const root = await projectRoot(cwd);
  const folders = [await realPathOf(cwd)];
  for (let last = folders[0] ?? root; last !== root && dirname(last) !== last; ) {
    last = dirname(last);
    folders.push(last);
  }
  return folders;
}

export function managedPaths(platform: NodeJS.Platform = process.platform): string[] {
  if (platform === "darwin")
    return ["Runahead", "ClaudeCode"].map((name) => `/Library/Application Support/${name}/${MANAGED}`);
  if (platform === "win32")
    return ["Runahead", "ClaudeCode"].map((name) => `C:\\Program Files\\${name}\\${MANAGED}`);
  return [`/etc/runahead/${MANAGED}`, `/etc/claude-code/${MANAGED}`];
}

/** All places, highest precedence first. */
export async function placesOf(options: SettingsOptions, root: string): Promise<Place[]> {
  const chosen = options.sources ?? SETTING_SOURCES;
  const user = chosen.includes("user") ? userPlaces(options) : [];
  const taken = await Promise.all(user.map(({ path }) => realPathOf(path)));
  const own = [
    ...(chosen.includes("local") ? projectPlaces("local", root, resolve(options.cwd)) : []),
    ...(chosen.includes("project") ? projectPlaces("project", root, root) : []),
  ];
  const real = await Promise.all(own.map(({ path }) => realPathOf(path)));
  const managed = (options.managedPaths ?? managedPaths()).map((path) => filePlace("managed", path, root));
  return [
    ...managed,
    ...(await embeddedPlaces(options, managed)),
    ...flagPlaces(options.flags ?? [], options.cwd),
    // If the home folder is the project, its file belongs to the user.
    ...own.filter((_, index) => !taken.includes(real[index] as string)),
    ...user,
  ];
}

/**
 * Returns the files and folders whose change would change what the agent is allowed to do: settings, trust,
 * approvals. No tool writes to them without approval.
 *
 * @example
 * ```ts
 * const { files, folders } = await protectedPaths({ cwd, home, env });
 * ```
 */
export async function protectedPaths(where: Where): Promise<{ files: string[]; folders: string[] }> {
  checkSurroundings(where, "protectedPaths");
  const root = await projectRoot(where.cwd);
  const places = await placesOf(where, root);
  const project = [...projectPlaces("local", root, root), ...projectPlaces("project", root, root)];
  const files = [
    ...new Set([...places, ...project].map(({ path }) => path)),
    join(runaheadHome(where), "trust.json"),
    join(runaheadHome(where), "mcp-approvals.json"),
    join(root, ".mcp.json"),
    join(where.home, ".claude.json"),
  ];
  const folders = [
    ...FOLDERS.map((folder) => join(root, folder)),
    runaheadHome(where),
    join(where.home, ".claude"),
    ...managedPaths().map((path) => dirname(path)),
  ];
  return { files, folders: [...new Set(folders)] };
}

function userPlaces(where: Where): Place[] {
  const own = runaheadHome(where);
  const name = own === join(where.home, ".runahead") ? "~/.runahead" : own;
  return [
    { ...filePlace("user", join(own, "settings.json"), own), name: `${name}/settings.json` },
    {
      ...filePlace("user", join(where.home, ".claude", "settings.json"), join(where.home, ".claude")),
      name: "~/.claude/settings.json",
    },
  ];
}

function projectPlaces(level: "local" | "project", folder: string, root: string): Place[] {
  const file = level === "local" ? "settings.local.json" : "settings.json";
  return FOLDERS.map((name) => ({
    ...filePlace(level, join(folder, name, file), root),
    name: `${name}/${file}`,
  }));
}

/** Managed settings of a program could allow what those of the machine forbid, so they are managed only without these. */
async function embeddedPlaces(
  { managed, cwd }: SettingsOptions,
  ofMachine: readonly Place[],
): Promise<Place[]> {
  if (managed === undefined) return [];
  const missing = await Promise.all(ofMachine.map(async ({ path }) => isMissing(path)));
  const isAlone = missing.every(Boolean);
  return [{ ...flagPlace(managed, "--managed-settings", cwd), ...(isAlone ? { level: "managed" } : {}) }];
}

async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: unknown) => ["ENOENT", "ENOTDIR"].includes(codeOf(error)),
  );
}

/** Objects come from other flags, such as --allowedTools; texts come from --settings. */
function flagPlaces(flags: readonly (string | Shape)[], cwd: string): Place[] {
  const texts = flags.filter((flag) => !isShape(flag));
  return flags.map((flag) => {
    const at = texts.indexOf(flag);
    const name = at <= 0 ? "--settings" : `--settings (${at + 1})`;
    return flagPlace(flag, isShape(flag) ? "command line" : name, cwd);
  });
}

function flagPlace(flag: string | Shape, name: string, cwd: string): Place {
  const root = resolve(cwd);
  if (isShape(flag))
    return { level: "flags", name, path: name, root, content: { type: "value", value: flag } };
  if (flag.trimStart().startsWith("{"))
    return { level: "flags", name, path: name, root, content: { type: "text", text: flag } };
  const path = resolve(cwd, flag);
  return { level: "flags", name: path, path, root, content: { type: "file", isExpected: true } };
}

function filePlace(level: Level, path: string, root: string): Place {
  return { level, name: path, path, root, content: { type: "file", isExpected: false } };
}
