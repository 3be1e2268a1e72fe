/** Members of a hook in a settings file that have no effect, such as misspelled ones. */

import { didYouMean, type Shape } from "@runahead/base";
import type { Notify } from "./words.ts";

const OF_ALL = ["type", "timeout", "onFailure", "if", "async", "asyncRewake", "once", "statusMessage"];

const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  command: ["command", "args", "shell"],
  http: ["url", "headers", "allowedEnvVars"],
  prompt: ["prompt", "model"],
  agent: ["prompt", "model"],
  mcp_tool: ["server", "tool", "input"],
};

const OF_GROUP = ["matcher", "hooks"];

/** What to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  blocking: 'write "onFailure": "block" if a failure must block',
  timeoutMs: "write timeout, in seconds",
  env: "set variables in env of the settings",
  cwd: "the hook runs in the working directory; start the command with cd",
  enabled: "remove the hook, or set disableAllHooks",
  disabled: "remove the hook, or set disableAllHooks",
};

const REMARK = /^[$_/#]|^(?:description|name|id|title|comment|notes?)$/;

/** Reports members of an entry that its type does not have. */
export function sayUnusedMembers(path: string, entry: Shape, type: string, say: Notify): void {
  sayUnused(path, entry, [...OF_ALL, ...(OF_TYPE[type] ?? [])], say);
}

/** The same for a group of hooks. */
export function sayUnusedOfGroup(path: string, group: Shape, say: Notify): void {
  if (group["hooks"] !== undefined) sayUnused(path, group, OF_GROUP, say);
}

function sayUnused(path: string, entry: Shape, known: readonly string[], say: Notify): void {
  for (const name of Object.keys(entry)) {
    if (known.includes(name) || REMARK.test(name) || (entry[name] ?? null) === null) continue;
    const instead = Object.hasOwn(INSTEAD, name) ? `: ${INSTEAD[name]}` : "";
    const hint = instead === "" ? didYouMean(name, known) : "";
    say(`${path}.${name} has no effect${instead}.${hint}`);
  }
}
