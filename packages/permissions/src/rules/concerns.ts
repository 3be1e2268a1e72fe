/** Whether one rule is about a call: for hooks that are to run only then. */

import { createPermissions } from "../verdict/permissions.ts";

export interface RuleOfHook {
  readonly text: string;
  /** What `/x` in it begins at. */
  readonly root: string;
}

interface Call {
  readonly toolName: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly home: string;
}

/** Also where any part of a command is what it is about; in doubt it is, since a guard should rather look than not. */
export function concerns({ text, root }: RuleOfHook, { toolName, input, cwd, home }: Call): boolean {
  const sources = [{ name: "if", root, trusted: true, ask: [text] }];
  const { by } = createPermissions({ settings: { mode: "default", sources }, cwd, home }).decide(
    toolName,
    input,
  );
  return by.type !== "mode" && by.type !== "reading";
}
