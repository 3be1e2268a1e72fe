/**
 * What a repository cannot do by being trusted alone: turn questions off, weaken the sandbox or pass on API keys. Trust
 * is given once, but a repository changes with every pull. So each of these settings takes effect only if the user
 * accepted exactly this value.
 */

import { realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type SandboxList, type SandboxSwitch, type Setting, keyOf, valueOfSetting } from "./setting.ts";

/** The value of each switch that protects less. */
const WEAKER: Readonly<Record<SandboxSwitch, boolean>> = {
  enabled: false,
  autoAllowBashIfSandboxed: true,
  confineReads: false,
  failIfUnavailable: false,
  enableWeakerNestedSandbox: true,
  "network.allowAllUnixSockets": true,
};

/** Without a value of the user, these protect as much as they can. */
const STRICT_BY_DEFAULT: ReadonlySet<SandboxSwitch> = new Set<SandboxSwitch>([
  "confineReads",
  "failIfUnavailable",
  "enableWeakerNestedSandbox",
  "network.allowAllUnixSockets",
]);

interface Around {
  /** The folder that paths in the file are relative to. */
  readonly root: string;
  /** Files of the user and the administrator. */
  readonly own: readonly { readonly settings: readonly Setting[] }[];
}

/** What is stored when the user accepts a setting: its key and its exact value. */
export function acceptanceOf(setting: Setting): string {
  return `${keyOf(setting)} ${JSON.stringify(valueOfSetting(setting))}`;
}

/** Returns why a repository's setting is ignored, if it would protect less than the user's own. */
export function weakening(setting: Setting, { root, own }: Around): string | undefined {
  switch (setting.type) {
    case "passed-variable":
      return "a repository cannot pass on your variables; add them to passEnv in your user settings";
    case "sandbox-entry":
      return weakeningEntry(setting, { root, own });
    case "sandbox-switch":
      return isWeakerThanOwn(setting, own)
        ? "a repository cannot weaken the sandbox; set it in your user settings"
        : undefined;
    case "mode":
      return setting.mode === "bypassPermissions" ? "a repository cannot set bypassPermissions" : undefined;
    case "other":
      // 0 keeps them forever.
      return setting.key === "cleanupPeriodDays" &&
        setting.value !== 0 &&
        Number(setting.value) < DEFAULT_DAYS
        ? "a repository cannot delete your sessions earlier; set it in your user settings"
        : undefined;
    default:
      return undefined;
  }
}

/** Sessions are kept for this long by default. */
export const DEFAULT_DAYS = 30;

function weakeningEntry(
  { list, entry }: Extract<Setting, { type: "sandbox-entry" }>,
  { root, own }: Around,
): string | undefined {
  if (list === "passEnv")
    return "a repository cannot pass on your variables; add them to passEnv in your user settings";
  if (list === "excludedCommands")
    return "a repository cannot run commands outside the sandbox; add them to your user settings";
  if (list === "filesystem.allowRead" && hidesPaths(own))
    return "a repository cannot reveal what your own settings can hide; add it to your user settings";
  const words = OUTSIDE[list];
  return words === undefined || isInside(entry, root)
    ? undefined
    : `${words}; add them to your user settings`;
}

function hidesPaths(own: Around["own"]): boolean {
  return own.some(({ settings }) =>
    settings.some((setting) => setting.type === "sandbox-entry" && setting.list === "filesystem.denyRead"),
  );
}

const OUTSIDE: Readonly<Partial<Record<SandboxList, string>>> = {
  "filesystem.allowWrite": "a repository cannot make folders outside of it writable",
  "filesystem.allowRead": "a repository cannot reveal hidden files outside of it",
  "network.allowUnixSockets": "a repository cannot open sockets outside of it",
};

/** The user's value is compared, or else the default. */
function isWeakerThanOwn(
  { name, isOn }: Extract<Setting, { type: "sandbox-switch" }>,
  own: Around["own"],
): boolean {
  if (isOn !== WEAKER[name]) return false;
  const values = own
    .flatMap(({ settings }) => settings)
    .flatMap((setting) => (setting.type === "sandbox-switch" && setting.name === name ? [setting.isOn] : []));
  return values[0] === undefined ? STRICT_BY_DEFAULT.has(name) : values[0] !== isOn;
}

/** A link in the repository can point outside it. */
function isInside(path: string, root: string): boolean {
  if (path.startsWith("~")) return false;
  const way = relative(realPath(root), realPath(resolve(root, path)));
  return way !== ".." && !way.startsWith("../");
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = resolve(path, "..");
    return above === path ? path : join(realPath(above), relative(above, path));
  }
}
