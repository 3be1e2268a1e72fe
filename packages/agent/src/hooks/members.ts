/** Members of a hook in a settings file that have no effect, such as misspelled ones. */

import { didYouMean, type Shape } from "@runahead/base";
import type { HookAnswer } from "./answer.ts";
import type { Notify } from "./words.ts";

const OF_ALL = [
  "type",
  "timeout",
  "onFailure",
  "if",
  "async",
  "asyncRewake",
  "once",
  "statusMessage",
  "continueOnBlock",
];

const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  command: ["command", "args", "shell"],
  http: ["url", "headers", "allowedEnvVars"],
  prompt: ["prompt", "model"],
  agent: ["prompt", "model"],
  mcp_tool: ["server", "tool", "input"],
};

const OF_GROUP = ["matcher", "hooks"];

/** The members of a hook, by what they belong to. */
export const HOOK_MEMBERS = { ofAll: OF_ALL, ofType: OF_TYPE, ofGroup: OF_GROUP };

type Specific = NonNullable<HookAnswer["hookSpecificOutput"]>;

/** The members of an answer that are read; the compiler checks that none is missing. */
const ANSWER: Readonly<Record<keyof HookAnswer, true>> = {
  continue: true,
  stopReason: true,
  systemMessage: true,
  terminalSequence: true,
  decision: true,
  reason: true,
  hookSpecificOutput: true,
};
const SPECIFIC: Readonly<Record<keyof Specific, true>> = {
  hookEventName: true,
  permissionDecision: true,
  permissionDecisionReason: true,
  updatedInput: true,
  additionalContext: true,
  updatedToolOutput: true,
  updatedMCPToolOutput: true,
  decision: true,
  action: true,
  content: true,
  watchPaths: true,
  initialUserMessage: true,
  reloadSkills: true,
  retry: true,
  displayContent: true,
  worktreePath: true,
};

/** The members of the JSON that a hook prints. */
export const ANSWER_MEMBERS = { whole: Object.keys(ANSWER), specific: Object.keys(SPECIFIC) };

/** What to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  blocking: 'write "onFailure": "block" if a failure must block',
  failClosed: 'write "onFailure": "block" if a failure must block',
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
  if (entry["continueOnBlock"] === false)
    say(`${path}.continueOnBlock has no effect: the model always reads the reason, and the turn continues.`);
  for (const name of Object.keys(entry)) {
    if (known.includes(name) || REMARK.test(name) || (entry[name] ?? null) === null) continue;
    const instead = Object.hasOwn(INSTEAD, name) ? `: ${INSTEAD[name]}` : "";
    const hint = instead === "" ? didYouMean(name, known) : "";
    say(`${path}.${name} has no effect${instead}.${hint}`);
  }
}
