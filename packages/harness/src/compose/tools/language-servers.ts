/** The language servers of a coding agent: those of the settings and plugins, and those that are installed. */

import { withoutOwnKeys } from "@runahead/base";
import { type LanguageServers, createLanguageServers } from "@runahead/tools";
import type { Plugin } from "../../definitions/plugin.ts";
import { runaheadHome } from "../../home.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { lspServersOf } from "../../settings/lsp.ts";
import type { Around } from "../around.ts";

interface LspParts extends Around {
  readonly settings: LoadedSettings;
  readonly plugins: readonly Plugin[];
  readonly mayShow: (path: string) => boolean;
}

/** Nothing is started before a file of its kind is written or asked about. */
export function languageServers({
  world,
  flags,
  listeners,
  settings,
  plugins,
  mayShow,
}: LspParts): LanguageServers {
  const { env } = world;
  const ofSettings = lspServersOf(settings, env);
  for (const { message } of ofSettings.problems) listeners.onNotice(message);
  const isOff = (name: string): boolean => ofSettings.off.includes("*") || ofSettings.off.includes(name);
  const named = [...ofSettings.servers, ...plugins.flatMap((plugin) => plugin.languageServers)];
  const isBare = flags.bare === true;
  return createLanguageServers({
    root: settings.root,
    home: runaheadHome(world),
    env: { ...withoutOwnKeys(env, settings.passEnv), ...settings.env },
    isTrusted: settings.isTrusted,
    folders: [world.cwd, ...directoriesOf(settings)],
    servers: isBare ? [] : named.filter(({ name }) => !isOff(name)),
    usesInstalled: !isBare && !ofSettings.off.includes("*"),
    turnedOff: ofSettings.off,
    onNotice: listeners.onNotice,
    mayShow,
  });
}

function directoriesOf({ sources }: LoadedSettings): string[] {
  return sources.flatMap(({ trusted, additionalDirectories }) => (trusted ? additionalDirectories : []));
}
