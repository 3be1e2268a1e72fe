/** Compares two lists of tools. */

import type { McpTool } from "./tool.ts";

export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Tools whose definition changed. */
  readonly changed: readonly string[];
}

/** Returns undefined if the lists are equal. */
export function differenceOf(before: readonly McpTool[], after: readonly McpTool[]): Difference | undefined {
  const old = printsOf(before);
  const now = printsOf(after);
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now]
    .filter(([name, print]) => old.has(name) && old.get(name) !== print)
    .map(([name]) => name);
  return added.length + removed.length + changed.length === 0 ? undefined : { added, removed, changed };
}

function printsOf(tools: readonly McpTool[]): ReadonlyMap<string, string> {
  return new Map(tools.map(({ tool, fingerprint }) => [tool.name, fingerprint]));
}
