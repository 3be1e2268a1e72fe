/** Turns flags into settings. */

import { anObject, required } from "@runahead/base";
import { permissionMode as modeOf } from "@runahead/permissions";
import { checkSurroundings } from "../home.ts";
import type { Instructions } from "../instructions/instructions.ts";
import { isRefusedRoot } from "../settings/forbidden-modes.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { ScopedMcpServers } from "../settings/mcp-scopes.ts";
import {
  type Environment,
  SETTING_SOURCES,
  type SettingSource,
  type SettingsOptions,
} from "../settings/place.ts";
import { UsageError } from "./error.ts";
import { isOnlyPlugins } from "./agents/only-plugins.ts";
import type { Surroundings } from "../surroundings.ts";
import type { HarnessOptions } from "./options.ts";

/**
 * Turns the options of a coding agent into options of `loadSettings`, as `codingAgent` does.
 *
 * @throws {UsageError} if `settingSources` names an unknown source, or if root asks for `bypassPermissions`.
 * @example
 * ```ts
 * const settings = await loadSettings(settingsOptions({ cwd, home, env }, { permissionMode: "plan" }));
 * ```
 */
export function settingsOptions(world: Surroundings, flags: HarnessOptions): SettingsOptions {
  checkSurroundings(world, "settingsOptions");
  required(anObject)(flags, 'settingsOptions: "flags"');
  const { cwd, home, env } = world;
  const { settingSources, trust, bare, managedSettings } = flags;
  const isChosen = settingSources !== undefined || bare === true;
  return {
    cwd,
    home,
    env,
    flags: settingsOf(flags, env),
    ...(managedSettings === undefined ? {} : { managed: managedSettings }),
    ...(isChosen ? { sources: sourcesOf(bare === true ? "" : (settingSources ?? "")) } : {}),
    ...(trust === true ? { isTrusted: true } : {}),
  };
}

/**
 * Hooks that can run: none of an untrusted folder. With `--bare`, and if only plugins and managed settings define hooks,
 * those of managed settings.
 */
export function hookConfigs(settings: LoadedSettings, { bare }: HarnessOptions) {
  const isManagedOnly = bare === true || isOnlyPlugins(settings, "hooks");
  return settings.hooks
    .filter(({ level, trusted }) => trusted && (!isManagedOnly || level === "managed"))
    .map(({ name: source, root, trusted, hooks: found }) => ({ source, root, trusted, hooks: found }));
}

/** Whether the files of this source are read. */
function readsSource({ settingSources }: HarnessOptions, source: SettingSource): boolean {
  return settingSources === undefined || sourcesOf(settingSources).includes(source);
}

export const NO_SERVERS: ScopedMcpServers = { servers: [], problems: [] };

/** The MCP servers of the sources that are read. */
export function ofScopes(flags: HarnessOptions, { servers, problems }: ScopedMcpServers): ScopedMcpServers {
  return { servers: servers.filter(({ scope }) => readsSource(flags, scope)), problems };
}

/** The instruction files of the sources that are read. */
export function ofSources(flags: HarnessOptions, { files, ...others }: Instructions): Instructions {
  return { ...others, files: files.filter(({ scope }) => readsSource(flags, scope)) };
}

/** Treated like a settings file, so that managed settings restrict flags too. */
function settingsOf(flags: HarnessOptions, env: Environment): (string | Record<string, unknown>)[] {
  const { permissionMode, dangerouslySkipPermissions, allowedTools, disallowedTools, addDir, settings } =
    flags;
  const named = permissionMode === undefined ? undefined : modeOf(permissionMode);
  const mode = dangerouslySkipPermissions === true ? "bypassPermissions" : named;
  if (mode === "bypassPermissions" && isRefusedRoot(env))
    throw new UsageError(
      "bypassPermissions is not allowed as root; run as another user or choose another permission mode",
    );
  const permissions = {
    ...(mode === undefined ? {} : { defaultMode: mode }),
    ...(allowedTools === undefined ? {} : { allow: allowedTools }),
    ...(disallowedTools === undefined ? {} : { deny: disallowedTools }),
    ...(addDir === undefined ? {} : { additionalDirectories: addDir }),
  };
  return [{ permissions }, ...(settings === undefined ? [] : [settings])];
}

/** Returns no sources for an empty text. */
function sourcesOf(text: string): SettingSource[] {
  if (text.trim() === "") return [];
  return text.split(",").map((name) => {
    const source = SETTING_SOURCES.find((one) => one === name.trim());
    if (source === undefined)
      throw new UsageError(`--setting-sources must be a list of ${SETTING_SOURCES.join(", ")}, got ${name}`);
    return source;
  });
}
