/** What a repository asks for that trust alone does not enable. */

import { anArray, checkMembers, required } from "@runahead/base";
import type { LoadedSettings } from "../settings/loaded.ts";
import { acceptances } from "../settings/merge.ts";

/**
 * Lists the settings of a repository that take effect only if the user accepts their exact value: turning questions off,
 * weakening the sandbox, passing on variables. Show them, and pass them to `trust` when the user agrees.
 *
 * @example
 * ```ts
 * const accepted = acceptedByTrust(await loadSettings({ cwd, home, env }));
 * await trustIn({ home, env }).trust(cwd, accepted);
 * ```
 */
export function acceptedByTrust(settings: Pick<LoadedSettings, "entries">): readonly string[] {
  checkMembers(settings, { entries: required(anArray) }, "acceptedByTrust");
  return acceptances(settings.entries);
}
