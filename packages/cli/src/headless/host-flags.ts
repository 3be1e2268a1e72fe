/** Flags that hosts pass for options of the Claude Agent SDK that Runahead does not have. The help does not list them. */

import { type Command, Option } from "commander";
import { UsageError } from "@runahead/harness";

interface HostFlag {
  readonly flag: string;
  /** The option of the SDK. */
  readonly option: string;
  readonly why: string;
}

/** The run goes on without them, and a notice says so. */
const WITHOUT_EFFECT: readonly HostFlag[] = [
  { flag: "--include-hook-events", option: "includeHookEvents", why: "hooks are not part of the stream" },
  { flag: "--debug [filter]", option: "debug", why: "Runahead writes no debug log; use --timeline" },
  { flag: "--debug-file <file>", option: "debugFile", why: "Runahead writes no debug log; use --timeline" },
  { flag: "--debug-to-stderr", option: "debug", why: "Runahead writes no debug log; use --timeline" },
  { flag: "--betas <names>", option: "betas", why: "Runahead sends the betas that it needs" },
  { flag: "--task-budget <tokens>", option: "taskBudget", why: "use maxBudgetUsd or maxTurns" },
  {
    flag: "--thinking-display <how>",
    option: "thinking.display",
    why: "thinking is printed as the model sends it",
  },
];

/** Without them the run would use other messages or files than the host means, or lose what the host keeps. */
const REFUSED: readonly HostFlag[] = [
  {
    flag: "--session-mirror",
    option: "sessionStore",
    why: "sessions are kept on this machine, or in Postgres with @runahead/postgres",
  },
  {
    flag: "--resume-session-at <uuid>",
    option: "resumeSessionAt",
    why: "a session continues after its last message",
  },
  {
    flag: "--resume-drops-turn <uuid>",
    option: "resumeDropsTurn",
    why: "a session continues after its last message",
  },
  {
    flag: "--project-config-root <folder>",
    option: "projectConfigRoot",
    why: "settings are read in the working directory; set cwd to the checkout whose settings count",
  },
];

/** The names of the SDK's options that these flags stand for, for the docs. */
export const HOST_OPTIONS = {
  withoutEffect: WITHOUT_EFFECT.map(({ option }) => option),
  refused: REFUSED.map(({ option }) => option),
};

export function addHostFlags(root: Command): void {
  for (const { flag, option } of [...WITHOUT_EFFECT, ...REFUSED])
    root.addOption(new Option(flag, `${option} of the Claude Agent SDK`).hideHelp());
}

/** Takes the flags of hosts out, and says what has no effect. */
export function withoutHostFlags<Flags extends object>(
  flags: Flags,
): { readonly flags: Flags; readonly notices: readonly string[] } {
  const given = (one: HostFlag): boolean => Object.hasOwn(flags, attributeOf(one));
  const refused = REFUSED.find(given);
  if (refused !== undefined)
    throw new UsageError(`${refused.option} (${nameOf(refused)}) is not supported: ${refused.why}`);
  const names = new Set(WITHOUT_EFFECT.map(attributeOf));
  const own = Object.entries(flags).filter(([name]) => !names.has(name));
  const notices = WITHOUT_EFFECT.filter(given).map(
    (one) => `${one.option} (${nameOf(one)}) has no effect here: ${one.why}.`,
  );
  return { flags: Object.fromEntries(own) as Flags, notices };
}

function attributeOf({ flag }: HostFlag): string {
  return new Option(flag).attributeName();
}

function nameOf({ flag }: HostFlag): string {
  return flag.replace(/ .*/, "");
}
