/**
 * Path patterns as in a .gitignore: `*` within a name, `**` across names, `?`, `[a-z]`, a backslash before a literal
 * character.
 */

import { matchItems } from "./wildcard.ts";

type LetterTest = (letter: string) => boolean;
export type NamePattern = readonly (LetterTest | undefined)[];

export interface PathPattern {
  /** `undefined` is `**`. */
  readonly names: readonly (NamePattern | undefined)[];
  /** The names as written. */
  readonly texts: readonly string[];
  /** Also matches everything below, like a folder. */
  readonly coversBelow: boolean;
}

export interface PatternOptions {
  /**
   * As in git, a pattern that matches a folder covers its contents. If false, only a plain name or a trailing slash
   * does.
   */
  readonly foldersCover: boolean;
  readonly ignoresCase: boolean;
}

/** `pattern` is relative to its root, without a leading slash. */
export function compilePath(pattern: string, { foldersCover, ignoresCase }: PatternOptions): PathPattern {
  const isFolder = pattern.endsWith("/");
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const last = names.at(-1) ?? "";
  return {
    texts: names.map((name) => fold(name, ignoresCase)),
    names: names.map((name) => (name === "**" ? undefined : compileName(fold(name, ignoresCase)))),
    coversBelow: isFolder || (last !== "**" && (foldersCover || !/[*?[]/.test(last))),
  };
}

/** File systems that ignore case also treat composed and decomposed letters as the same name. */
export function fold(text: string, ignoresCase: boolean): string {
  return ignoresCase
    ? text
        .normalize("NFC")
        .replaceAll(/[\u200B-\u200F\u2060\uFEFF]/g, "")
        .toLowerCase()
    : text;
}

export function matchesPath(pattern: PathPattern, names: readonly string[]): boolean {
  if (matchNames(pattern, names)) return true;
  if (!pattern.coversBelow) return false;
  for (let length = names.length - 1; length > 0; length--)
    if (matchNames(pattern, names.slice(0, length))) return true;
  return false;
}

function matchNames(pattern: PathPattern, names: readonly string[]): boolean {
  // `dir/**` matches what is below the folder, not the folder itself.
  const last = pattern.names.length - 1;
  if (last > 0 && pattern.names[last] === undefined) {
    for (let length = names.length - 1; length > 0; length--)
      if (matchItems(pattern.names.slice(0, last), names.slice(0, length), matchesName)) return true;
    return false;
  }
  return matchItems(pattern.names, names, matchesName);
}

export function matchesName(pattern: NamePattern, name: string): boolean {
  return matchItems(pattern, [...name], (test, letter) => test(letter));
}

export function compileName(name: string): NamePattern {
  const letters = [...name];
  const parts: (LetterTest | undefined)[] = [];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    if (letter === "*") parts.push(undefined);
    else if (letter === "?") parts.push(() => true);
    else if (letter === "\\" && at + 1 < letters.length) parts.push(equals(letters[++at] as string));
    else if (letter === "[") {
      const set = readSet(letters, at);
      parts.push(set.test);
      at = set.end;
    } else parts.push(equals(letter));
  }
  return parts;
}

function equals(wanted: string): LetterTest {
  return (letter) => letter === wanted;
}

function readSet(letters: readonly string[], start: number): { test: LetterTest; end: number } {
  const isNegated = letters[start + 1] === "!" || letters[start + 1] === "^";
  const first = start + (isNegated ? 2 : 1);
  const end = letters.indexOf("]", first + 1);
  if (end < 0) return { test: equals("["), end: start };
  const inside = letters.slice(first, end);
  return { test: (letter) => isInSet(inside, letter) !== isNegated, end };
}

function isInSet(inside: readonly string[], letter: string): boolean {
  return inside.some((from, at) => {
    if (inside[at + 1] !== "-" || at + 2 >= inside.length) return from === letter;
    return letter >= from && letter <= (inside[at + 2] as string);
  });
}

/** Escapes a path so that the pattern matches exactly this path. */
export function escapePath(path: string): string {
  return path.replaceAll(/[\\*?[\]!#()]/g, String.raw`\$&`);
}
