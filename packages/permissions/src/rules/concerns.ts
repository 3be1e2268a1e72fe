/** Whether a rule matches a call, for hooks that run only for matching calls. */

import { createPermissions } from "../verdict/permissions.ts";

export interface RuleOfHook {
  readonly text: string;
  /** The folder that `/x` in the rule is relative to. */
  readonly root: string;
}

interface Call {
  readonly toolName: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly home: string;
}

/** Also true if any part of a command matches. In doubt it is true: a guard should run rather than not. */
export function concerns({ text, root }: RuleOfHook, { toolName, input, cwd, home }: Call): boolean {
  const sources = [{ name: "if", root, trusted: true, ask: [text] }];
  const { by } = createPermissions({ settings: { mode: "default", sources }, cwd, home }).decide(
    toolName,
    input,
  );
  return by.type !== "mode" && by.type !== "reading";
}
