/** Whether a file name pattern on the command line can match a file that a rule denies. */

import type { FilePattern } from "../rules/file-pattern.ts";
import { compileName, fold, matchesName, type PathPattern } from "../rules/gitignore.ts";
import type { FileAccess } from "../verdict/judge.ts";
import { withOriginals, withOriginalsBelow } from "./copies.ts";
import { isInside } from "./paths.ts";
import type { Rule } from "../rules/rule.ts";
import type { ShellWord } from "../bash/script.ts";
import { matchItems } from "../rules/wildcard.ts";

const HAS_WILDCARD = /[*?[]/;

/** `surely`: it matches that file if the file exists; `maybe`: the two patterns can have a file in common. */
export function mayTouch(
  rule: Rule,
  file: FileAccess & { readonly word: ShellWord },
): "surely" | "maybe" | undefined {
  if (rule.type !== "file" || file.word.type !== "glob") return undefined;
  if (rule.mode === "write" && file.mode === "read") return undefined;
  const { anchors, path, ignoresCase, copies } = rule.pattern;
  const parts = path.texts.map((text) => (text === "**" ? undefined : text));
  const faces = file.faces.flatMap((face) => withOriginals(face, copies));
  const found = faces.flatMap((face) =>
    anchors
      .filter((anchor) => isInside(fold(face, ignoresCase), fold(anchor, ignoresCase)))
      .map((anchor) =>
        fold(face, ignoresCase)
          .slice(anchor.length)
          .split("/")
          .filter((name) => name !== ""),
      ),
  );
  if (found.some((names) => anyLength(parts, names, isSurely))) return "surely";
  return found.some((names) => anyLength(parts, names, isMaybe)) ? "maybe" : undefined;
}

/** Whether the rule can match a path below this folder, existing or not. */
export function mayMatchBelow(pattern: FilePattern, folder: string): boolean {
  return withOriginalsBelow(folder, pattern.copies).some((one) => mayMatchIn(pattern, one));
}

function mayMatchIn({ anchors, path, ignoresCase }: FilePattern, folder: string): boolean {
  const at = fold(folder, ignoresCase);
  return anchors.some((anchor) => {
    const base = fold(anchor, ignoresCase);
    if (isInside(base, at)) return true;
    const names = isInside(at, base) ? at.slice(base.length).split("/") : undefined;
    return (
      names !== undefined &&
      leavesRest(
        path,
        names.filter((name) => name !== ""),
      )
    );
  });
}

/** Whether a pattern can begin with these names and has parts left for what is below them. */
function leavesRest({ names: parts, coversBelow }: PathPattern, names: readonly string[]): boolean {
  let open = new Set([0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const at of skipped(open, parts)) {
      const wanted = parts[at];
      if (at === parts.length) continue;
      if (wanted === undefined) next.add(at);
      else if (matchesName(wanted, name)) next.add(at + 1);
    }
    if (coversBelow && next.has(parts.length)) return true;
    open = next;
  }
  return [...skipped(open, parts)].some((at) => at < parts.length);
}

/** `**` can match zero names. */
function skipped(open: ReadonlySet<number>, parts: PathPattern["names"]): Set<number> {
  const all = new Set(open);
  for (const at of all) if (at < parts.length && parts[at] === undefined) all.add(at + 1);
  return all;
}

type Meets = (denied: string, given: string) => boolean;

/** A denied folder denies everything below it. */
function anyLength(parts: readonly (string | undefined)[], names: readonly string[], meets: Meets): boolean {
  // `dir/**` matches what is below the folder, not the folder itself.
  const isBelow = parts.length > 1 && parts.at(-1) === undefined;
  const folder = isBelow ? parts.slice(0, -1) : parts;
  return names.some(
    (_, at) => at < names.length - (isBelow ? 1 : 0) && matchItems(folder, names.slice(0, at + 1), meets),
  );
}

/** It says nothing about the name: what it matches is looked up on disk. */
const ANY_NAME = /^\*+$/;

function isSurely(denied: string, given: string): boolean {
  if (!HAS_WILDCARD.test(given)) return matchesName(compileName(denied), given);
  if (ANY_NAME.test(given)) return false;
  if (HAS_WILDCARD.test(denied) || isHidden(given, denied)) return false;
  return matchesName(compileName(given), denied);
}

/** Compares the text before the first wildcard and after the last one. */
function isMaybe(denied: string, given: string): boolean {
  if (!HAS_WILDCARD.test(given) || !HAS_WILDCARD.test(denied)) return isSurely(denied, given);
  if (ANY_NAME.test(given)) return false;
  if (isHidden(given, denied)) return false;
  const [start, end] = [/^[^*?[]*/, /[^*?\]]*$/].map((edge) =>
    [denied, given].map((name) => edge.exec(name)?.[0] ?? ""),
  ) as [string[], string[]];
  const [one = "", other = ""] = start;
  const [oneEnd = "", otherEnd = ""] = end;
  return (
    (one.startsWith(other) || other.startsWith(one)) &&
    (oneEnd.endsWith(otherEnd) || otherEnd.endsWith(oneEnd))
  );
}

/** Shell wildcards do not match a leading dot. */
function isHidden(given: string, denied: string): boolean {
  return denied.startsWith(".") && HAS_WILDCARD.test(given[0] ?? "");
}
