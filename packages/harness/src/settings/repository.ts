/**
 * What a repository cannot do even if it is trusted: weaken the sandbox or pass on API keys. Trust is given once, but a
 * repository changes with every pull.
 */

import { realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { SandboxSwitch, Setting } from "./setting.ts";

/** The value of each switch that protects less. */
const WEAKER: Readonly<Record<SandboxSwitch, boolean>> = {
  enabled: false,
  autoAllowBashIfSandboxed: true,
  confineReads: false,
};

interface Around {
  /** The folder that paths in the file are relative to. */
  readonly root: string;
  /** Files of the user and the administrator. */
  readonly own: readonly { readonly settings: readonly Setting[] }[];
}

/** Returns why a repository's setting is ignored, if it would protect less than the user's own. */
export function weakening(setting: Setting, { root, own }: Around): string | undefined {
  switch (setting.type) {
    case "passed-variable":
      return "a repository cannot pass on your variables; add them to passEnv in your user settings";
    case "sandbox-entry":
      return weakeningEntry(setting, root);
    case "sandbox-switch":
      return isWeakerThanOwn(setting, own)
        ? "a repository cannot weaken the sandbox; set it in your user settings"
        : undefined;
    default:
      return undefined;
  }
}

function weakeningEntry(
  { list, entry }: Extract<Setting, { type: "sandbox-entry" }>,
  root: string,
): string | undefined {
  if (list === "passEnv")
    return "a repository cannot pass on your variables; add them to passEnv in your user settings";
  if (list !== "filesystem.allowWrite" || isInside(entry, root)) return undefined;
  return "a repository cannot make folders outside of it writable; add them to your user settings";
}

/** `confineReads` is on by default; for the others, the user's value is compared. */
function isWeakerThanOwn(
  { name, isOn }: Extract<Setting, { type: "sandbox-switch" }>,
  own: Around["own"],
): boolean {
  if (isOn !== WEAKER[name]) return false;
  const values = own
    .flatMap(({ settings }) => settings)
    .flatMap((setting) => (setting.type === "sandbox-switch" && setting.name === name ? [setting.isOn] : []));
  return values[0] === undefined ? name === "confineReads" : values[0] !== isOn;
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
