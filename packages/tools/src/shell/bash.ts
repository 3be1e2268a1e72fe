/** The Bash tool: what it declares about a command. */

import { type Tool, defineTool } from "@runahead/engine";
import { BashCall, type BashResult, checkStart } from "./bash-call.ts";
import { claimsOf, placesOf } from "./bash-claims.ts";
import { type BashInput, bashInput } from "./bash-input.ts";
import { limitOf } from "./bash-limits.ts";
import type { Shells } from "./shells.ts";
import { ANYTHING } from "../shared/failed-commands.ts";

const SHOWN_COMMAND_CHARS = 200;
/** The engine's own limit, and room for notes about a command. */
const USUAL_RESULT_CHARS = 30_000;
const NOTE_CHARS = 5_000;

/** Returns whether a command only reads if it is run in this folder. */
export type IsReadOnlyCommand = (command: string, cwd: string) => boolean;

export function bashTool(
  shells: Shells,
  isReadOnlyCommand: IsReadOnlyCommand,
): Tool<ReturnType<typeof bashInput>, BashResult> {
  // Only `access` gets the working directory, so the other declarations use that of the last command.
  const isReadOnly = ({ command, run_in_background = false }: BashInput, cwd = shells.latestCwd): boolean =>
    !run_in_background && isReadOnlyCommand(command, cwd);
  return defineTool({
    name: "Bash",
    description: descriptionOf(shells),
    inputSchema: bashInput(shells.limits),
    maxResultChars: Math.max(USUAL_RESULT_CHARS, shells.limits.shownChars + NOTE_CHARS),
    isReadOnly: (input) => isReadOnly(input),
    access: (input, { cwd }) =>
      claimsOf(input, {
        cwd,
        home: shells.userHome,
        isReadOnly: isReadOnly(input, cwd),
        writable: shells.sandboxFor({ command: input.command, cwd, confinement: undefined })?.claimedFolders,
      }),
    // Calls that touch other places than a command with known places may have run when it fails.
    onError: (input) => (isReadOnly(input) || placesOf(input) !== undefined ? "isolate" : "cancel-later"),
    interruptBehavior: () => "block",
    // A command that may go on in the background has a limit of its own.
    timeoutMs: (input) => (shells.keepsSlow ? Number.POSITIVE_INFINITY : limitOf(input, shells.limits)),
    describe: ({ command, description }) => description || firstLine(command),
    check: (input, context) => checkStart(shells, input, context),
    // A command can run for minutes, and the permission question of the next one should not wait for it.
    checkWaits: false,
    call: (input, context) => {
      const needs = isReadOnly(input) ? undefined : (placesOf(input) ?? ANYTHING);
      return new BashCall(shells, input, context).run(needs);
    },
    toResult: ({ text }) => text,
  });
}

function firstLine(command: string): string {
  return (command.trim().split("\n", 1)[0] ?? "").slice(0, SHOWN_COMMAND_CHARS);
}

function descriptionOf({ sandbox, keepsSlow, keepsFolder }: Shells): string {
  const folder = keepsFolder
    ? "Every command starts in the same directory: `cd`, variables, functions and aliases do not persist."
    : "`cd` persists for later commands and for the file tools, which resolve relative paths against the same directory; variables, functions and aliases do not persist.";
  const words = `Runs a command in bash and returns stdout and stderr together, and the exit code if it is not 0.
- ${folder}
- There is no terminal and stdin is empty: use non-interactive flags, no editors and no pagers.
- A command that exceeds its time limit ${keepsSlow ? "goes on in the background" : "is stopped"}: pass a larger \`timeout\`, or \`run_in_background\` for servers, watchers and long builds. Do not use \`&\`. You are notified when a background job ends.
- Long output is cut in the middle and saved to a file that Read can open. Do not pipe through \`tail\` or \`head\`: that hides the exit code.
- Join dependent commands with \`&&\`; make independent ones separate calls.
- To read, search or edit files, use Read, Grep, Glob and Edit rather than cat, grep, find or sed.`;
  return sandbox === undefined ? words : `${words} ${sandbox.rules}`;
}
