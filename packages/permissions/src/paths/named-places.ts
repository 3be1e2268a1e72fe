/** Whether a command names a protected place in its arguments, so that a wildcard rule does not cover it. */

import { baseName } from "../bash/inner.ts";
import type { ShellWord } from "../bash/script.ts";
import { mayBeProtected, protectedPlace } from "./protected.ts";

/** Commands that only read their arguments, or whose written files are known. */
const EXEMPT = new Set(
  (
    "git gh tar less more bat batcat rg ag ack fd fdfind eza exa grep egrep fgrep zgrep ls cat head tail wc diff sdiff stat file " +
    "find tree du echo printf cd test [ export glow delta tokei cloc scc"
  ).split(" "),
);
/** Options that exclude what they name. */
const LEAVES_OUT = /^-{1,2}(?:[a-z-]*(?:exclude|ignore|skip|prune|not-path|omit)[a-z-]*|[xXI])(?:=|$)/;
const SEPARATORS = /[=,:;|#@^<'"]+/;

export function namesProtected(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words;
  if (first === undefined || EXEMPT.has(baseName(first.value))) return false;
  return rest.some(
    (word, at) =>
      !isLeftOut(rest, at) && piecesOf(word).some((piece) => isProtected(piece, word.type === "glob")),
  );
}

/** Whether this word is, or follows, an option that excludes files. */
export function isLeftOut(words: readonly ShellWord[], at: number): boolean {
  return [words[at], words[at - 1]].some((word) => word !== undefined && LEAVES_OUT.test(word.value));
}

/** The parts of a word that can be a path: `--out=x`, `-ox`, `a:b`. Text with spaces has none. */
export function piecesOf({ value }: ShellWord): string[] {
  const attached = /^-{1,2}[a-zA-Z]{1,3}(.+)$/s.exec(value)?.[1];
  const texts = attached === undefined ? [value] : [value, attached, value.slice(2)];
  return texts.flatMap((text) => text.split(SEPARATORS)).filter((piece) => piece !== "" && !/\s/.test(piece));
}

function isProtected(piece: string, isPattern: boolean): boolean {
  const place = protectedPlace(piece) ?? (isPattern ? mayBeProtected(piece) : undefined);
  // Programs in node_modules run all the time; writes to it are checked elsewhere.
  return place !== undefined && place.place !== "node_modules";
}
