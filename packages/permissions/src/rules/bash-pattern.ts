/** The pattern of a Bash rule: `*` spans anything, a trailing ` *` or `:*` begins at a word's end. */

import { matchItems } from "./wildcard.ts";

export interface BashPattern {
  /** As it is written, but for blanks. */
  readonly text: string;
  /** It has no wildcard: it means one command. */
  readonly isExact: boolean;
  /** Literal up to here; most rules are nothing but that and a trailing wildcard. */
  readonly start: string;
  /** Further forms of what may follow, `undefined` being any text; empty where nothing but words may. */
  readonly rest: readonly (string | undefined)[];
  /** After it, the command ends or a blank comes. */
  readonly hasBoundary: boolean;
}

export function compileBash(specifier: string): BashPattern {
  const text = collapseBlanks(specifier);
  const hasBoundary = /(?::| )\*$/.test(text);
  const body = hasBoundary ? text.replace(/(?::| )\*$/, "") : text;
  const parts = tokens(body);
  const first = parts.indexOf(undefined);
  const start = (first < 0 ? parts : parts.slice(0, first)).join("");
  return {
    text,
    isExact: first < 0 && !hasBoundary,
    start,
    rest: first < 0 ? [] : parts.slice(first),
    hasBoundary,
  };
}

/** `\*` is a star that is meant. */
function tokens(body: string): (string | undefined)[] {
  return [...body.matchAll(/\\\*|[^]/gu)].map(([letter]) =>
    letter === "*" ? undefined : letter === "\\*" ? "*" : letter,
  );
}

export function matchesBash({ start, rest, hasBoundary }: BashPattern, text: string): boolean {
  if (!text.startsWith(start)) return false;
  const left = text.slice(start.length);
  if (rest.length === 0) return left === "" || (hasBoundary && left.startsWith(" "));
  const letters = [...left];
  const isLetter = (part: string, letter: string): boolean => part === letter;
  return (
    matchItems(rest, letters, isLetter) ||
    (hasBoundary && matchItems([...rest, " ", undefined], letters, isLetter))
  );
}

/** Whether the rule is for this text and no other, or is the very text. */
export function isExactly(pattern: BashPattern, text: string): boolean {
  return pattern.text === text || (pattern.isExact && pattern.start === text);
}

/** So that it means just this text. */
export function escapeBash(text: string): string {
  return text.replaceAll("*", String.raw`\*`);
}

/** Blanks between words do not matter; those in quotes do. */
export function collapseBlanks(text: string): string {
  return text
    .trim()
    .replaceAll(/'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[ \t]+/g, (part) => (/^[ \t]+$/.test(part) ? " " : part));
}
