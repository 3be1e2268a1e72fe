/** The setting `bashTimeoutAction`. */

import type { ShellToolsOptions } from "@runahead/tools";
import type { LoadedSettings } from "../../settings/loaded.ts";

const KEY = "bashTimeoutAction";

type Action = NonNullable<ShellToolsOptions["timeoutAction"]>;

/** Returns what happens to a shell command that reaches its time limit. An invalid value is reported and ignored. */
export function timeoutAction(
  { other }: Pick<LoadedSettings, "other">,
  onNotice: (message: string) => void,
): Action {
  for (const { value, name, trusted } of other.get(KEY) ?? []) {
    if (!trusted) continue;
    if (value === "kill" || value === "background") return value;
    onNotice(`${name}: ${KEY} must be "kill" or "background"; it is ignored.`);
  }
  return "kill";
}
