/** The pattern of a Bash rule: `*` matches anything, a trailing ` *` or `:*` starts at the end of a word. */

import { matchItems } from "./wildcard.ts";

export interface BashPattern {
  /** The rule's text with spaces collapsed. */
  readonly text: string;
  /** It has no wildcard, so it matches one command. */
  readonly isExact: boolean;
  /** The literal text at the start; most rules consist of it and a trailing wildcard. */
  readonly start: string;
  /** The parts after the start, `undefined` for any text; empty if only whole words can follow. */
  readonly rest: readonly (string | undefined)[];
  /** After the start, the command must end or a space must follow. */
  readonly hasBoundary: boolean;
}

/** A blank before `:*` is a slip: `sudo :*` means the same as `sudo:*`. */
const TRAILING = / ?:\*$| \*$/;

export function compileBash(specifier: string): BashPattern {
  const text = collapseBlanks(specifier);
  const body = text.replace(TRAILING, "");
  const hasBoundary = body !== text;
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

/** `\*` is a literal star. */
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

/** Whether the pattern matches one of the texts. */
export function matchesOne(pattern: BashPattern, texts: readonly string[]): boolean {
  for (const text of texts) if (matchesBash(pattern, text)) return true;
  return false;
}

/** Whether the rule matches this text and no other, or is identical to it. */
export function isExactly(pattern: BashPattern, text: string): boolean {
  return pattern.text === text || (pattern.isExact && pattern.start === text);
}

/** Escapes a text so that the rule matches exactly this text. */
export function escapeBash(text: string): string {
  return text.replaceAll("*", String.raw`\*`);
}

/** Collapses spaces between words, but not in quotes. */
export function collapseBlanks(text: string): string {
  return text
    .trim()
    .replaceAll(/'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[ \t]+/g, (part) => (/^[ \t]+$/.test(part) ? " " : part));
}
