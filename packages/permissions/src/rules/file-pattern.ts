/**
 * The path of a `Read` or `Edit` rule with its anchor: `//absolute`, `~/home`, `/from the settings' root`, `from cwd`.
 */

import { posix } from "node:path";
import { compilePath, fold, matchesPath, type PathPattern } from "./gitignore.ts";
import { type WorkspaceCopy, withOriginals } from "../paths/copies.ts";
import { isInside, type RealPath, resolveThrough } from "../paths/paths.ts";

export interface FileRoots {
  readonly cwd: string;
  readonly home: string;
  /** What a single leading slash is relative to. */
  readonly root: string;
  readonly realpath: RealPath;
  /** Copies of the workspace: a pattern that matches a file also matches its copies. Default: none. */
  readonly copies?: readonly WorkspaceCopy[];
}

export interface FilePattern {
  readonly anchors: readonly string[];
  readonly path: PathPattern;
  readonly ignoresCase: boolean;
  readonly copies: readonly WorkspaceCopy[];
}

interface Options extends FileRoots {
  readonly isGrant: boolean;
  readonly ignoresCase: boolean;
}

export function compileFile(specifier: string, options: Options): FilePattern {
  const { isGrant, ignoresCase, copies = [] } = options;
  const { anchor, rest } = split(specifier, options);
  // Without a slash, a name matches at any depth; deny and ask rules match a folder wherever it is.
  const isRelative = !/^(?:\/|~\/|\.{1,2}\/)/.test(specifier);
  const isAnyDepth =
    isRelative && (!rest.replace(/\/$/, "").includes("/") || (!isGrant && rest.endsWith("/**")));
  const path = compilePath(isAnyDepth ? `**/${rest}` : rest, { foldersCover: !isGrant, ignoresCase });
  const anchors = [...new Set([anchor, resolveThrough(anchor, options.realpath)])];
  return { anchors, path, ignoresCase, copies };
}

/** Returns the folder that the pattern is relative to, with `..` resolved. */
function split(specifier: string, { cwd, home, root }: FileRoots): { anchor: string; rest: string } {
  if (specifier.startsWith("//")) return { anchor: "/", rest: specifier.slice(2) };
  if (specifier === "~" || specifier.startsWith("~/")) return { anchor: home, rest: specifier.slice(2) };
  if (specifier.startsWith("/")) return { anchor: root, rest: specifier.slice(1) };
  let anchor = cwd;
  let rest = specifier;
  for (let step = /^\.{1,2}\//.exec(rest); step !== null; step = /^\.{1,2}\//.exec(rest)) {
    anchor = posix.resolve(anchor, step[0]);
    rest = rest.slice(step[0].length);
  }
  return { anchor, rest };
}

export function matchesFile(pattern: FilePattern, file: string): boolean {
  return withOriginals(file, pattern.copies).some((one) => matchesPlain(pattern, one));
}

function matchesPlain({ anchors, path, ignoresCase }: FilePattern, file: string): boolean {
  const folded = fold(file, ignoresCase);
  return anchors.some((anchor) => {
    const base = fold(anchor, ignoresCase);
    if (!isInside(folded, base)) return false;
    const names = folded
      .slice(base.length)
      .split("/")
      .filter((name) => name !== "");
    return matchesPath(path, names) || (names.length === 0 && path.names.length === 0);
  });
}
