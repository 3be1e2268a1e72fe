/** Variables that hooks of many files use, although no hook ever gets them. */

import type { Notify } from "./words.ts";

/** With a default value, such as `${CLAUDE_TOOL_INPUT:-$(cat)}`, the command knows what to do without it. */
const UNSET =
  /\$\{?((?:CLAUDE_)?TOOL_(?:INPUT|NAME|ARGS|PARAMS|OUTPUT|RESPONSE|RESULT)(?:_[A-Za-z_]+)?|CLAUDE_(?:FILE_PATHS?|USER_PROMPT|HOOK_EVENT[A-Z_]*))(?![A-Za-z0-9_]|:?-[^}])/g;

/** A guard that reads such a variable finds nothing, and lets everything pass. */
export function sayUnsetVariables(path: string, command: string, say: Notify): void {
  const used = new Set([...command.matchAll(UNSET)].map(([, name]) => name as string));
  for (const name of used)
    if (!new RegExp(`\\b${name}=`).test(command))
      say(`${path}: $${name} has no effect: hooks read the event as JSON from stdin.`);
}
