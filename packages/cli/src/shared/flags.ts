/** The flags of a run, as commander parses them. */

import type { HarnessOptions } from "@runahead/harness";

export interface RunFlags extends HarnessOptions {
  /** `--resume` without an id: the user chooses the session from a list. */
  readonly choosesSession?: boolean;
  readonly print?: boolean;
  /** Runs the Setup hooks and exits. */
  readonly initOnly?: boolean;
  readonly outputFormat?: "text" | "json" | "stream-json";
  readonly inputFormat?: "text" | "stream-json";
  readonly includePartialMessages?: boolean;
  readonly verbose?: boolean;
  readonly replayUserMessages?: boolean;
  readonly allowDangerouslySkipPermissions?: boolean;
  /** Who answers permission questions. Default: the host, or `permissionPromptTool`. */
  readonly permissionPrompts?: "host" | "none";
  /** Waits for `initialize`, which can name plugins. */
  readonly awaitInitialize?: boolean;
  /** The file to write the timeline to. */
  readonly timeline?: string;
}

/** As commander parses them: an option without its optional value is true. */
export type ParsedFlags = Omit<RunFlags, "resume" | "setup"> & {
  readonly resume?: string | true;
  readonly init?: boolean;
  readonly maintenance?: boolean;
};

export function runFlags({ resume, init, maintenance, ...others }: ParsedFlags): RunFlags {
  const isInit = init === true || others.initOnly === true;
  const setup = isInit ? ("init" as const) : maintenance === true ? ("maintenance" as const) : undefined;
  const flags: RunFlags = setup === undefined ? others : { ...others, setup };
  if (resume === true) return { ...flags, choosesSession: true };
  return resume === undefined ? flags : { ...flags, resume };
}

/** Splits a list at commas and spaces, except inside parentheses: `Bash(git log *),Read`. Repeated flags add up. */
export function toolList(text: string, before: readonly string[] = []): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === "," || character === " ")) {
      items.push(item);
      item = "";
    } else item += character;
  }
  return [...before, ...[...items, item].map((one) => one.trim()).filter((one) => one !== "")];
}
