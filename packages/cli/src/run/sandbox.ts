/** The sandbox for commands, as the command line and the settings say. */

import type { LoadedSettings } from "@runahead/agent";
import type { SandboxOptions } from "@runahead/agent/tools";
import type { RunFlags } from "./flags.ts";

/** The flag turns it on; settings may, and say what it is. */
export function isSandboxed({ sandbox }: RunFlags, settings: LoadedSettings): boolean {
  return sandbox === true || settings.sandbox.isOn === true;
}

export function sandboxOptions(flags: RunFlags, settings: LoadedSettings): false | SandboxOptions {
  if (!isSandboxed(flags, settings)) return false;
  const { allowedDomains, deniedDomains, allowWrite, denyWrite, denyRead } = settings.sandbox;
  return {
    writable: allowWrite,
    readOnly: denyWrite,
    hidden: denyRead,
    ...(allowedDomains.length === 0 ? {} : { network: { allowedDomains, deniedDomains } }),
  };
}
