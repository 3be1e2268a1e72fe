/** Whether a rule about files could apply to a relative path in a folder that is unknown until the command runs. */

import { posix } from "node:path";
import type { FilePattern } from "../rules/file-pattern.ts";
import { compileName, fold, matchesName, type NamePattern } from "../rules/gitignore.ts";
import type { Rule } from "../rules/rule.ts";
import type { FileAccess } from "../verdict/judge.ts";
import type { Workspace } from "./paths.ts";

/** `undefined` stands for any number of folders. */
type Part = NamePattern | undefined;

/** Whether the rule could cover this path in some folder. */
export function mayCoverSomewhere(
  rule: Rule,
  mode: FileAccess["mode"],
  path: string,
  workspace: Workspace,
): boolean {
  if (rule.type !== "file" || path.startsWith("/")) return false;
  const isMeant = rule.mode === mode || (rule.action === "deny" && rule.mode === "read");
  if (!isMeant) return false;
  const { pattern } = rule;
  const names = fold(path, pattern.ignoresCase)
    .split("/")
    .filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) return true;
  return (
    (pattern.path.coversBelow && mayBeFolder(pattern, workspace)) ||
    pattern.anchors.some((anchor) => endsWith(partsOf(anchor, pattern), names))
  );
}

function partsOf(anchor: string, { path, ignoresCase }: FilePattern): Part[] {
  const folders = fold(anchor, ignoresCase)
    .split("/")
    .filter((name) => name !== "");
  return [
    ...folders.map((name) => compileName(name.replaceAll(/[\\*?[\]]/g, String.raw`\$&`))),
    ...path.names,
  ];
}

/** Whether a path that the parts match can end with these names. */
function endsWith(parts: readonly Part[], names: readonly string[]): boolean {
  // Each number is how many parts, from the front, are still unused.
  let open = new Set([parts.length]);
  for (const name of names.toReversed()) {
    const next = new Set<number>();
    for (const left of skipped(open, parts)) {
      if (left === 0) continue;
      const part = parts[left - 1];
      if (part === undefined) next.add(left);
      else if (/[*?[]/.test(name) || matchesName(part, name)) next.add(left - 1);
    }
    if (next.size === 0) return false;
    open = next;
  }
  return true;
}

function skipped(open: ReadonlySet<number>, parts: readonly Part[]): ReadonlySet<number> {
  const all = new Set(open);
  for (const left of all) if (left > 0 && parts[left - 1] === undefined) all.add(left - 1);
  return all;
}

/** Whether the last name of the pattern is a folder on disk or, if nothing is there, looks like one. */
function mayBeFolder({ anchors, path }: FilePattern, { look, cwd }: Workspace): boolean {
  const names = path.texts.filter((text) => text !== "**");
  if (names.some((text) => /[*?[\\]/.test(text))) return false;
  const types = [...anchors, cwd].map((anchor) => look.stat(posix.join(anchor, ...names))?.type);
  if (types.includes("folder")) return true;
  return !types.includes("file") && !(names.at(-1) ?? "").includes(".");
}
