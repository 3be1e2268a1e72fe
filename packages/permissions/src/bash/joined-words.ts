/** Words that the grammar separates and bash does not. */

import type { Command } from "unbash";

/**
 * Returns whether a word begins where another part of the command ends, as in `cat <(ls)x` or `>a<(ls)`: the grammar
 * ends a word at a process substitution, and bash continues it.
 */
export function hasJoinedWords({ prefix, name, args, redirects }: Command): boolean {
  const words = [...(name === undefined ? [] : [name]), ...args];
  const ends = new Set([...prefix, ...words, ...redirects].map(({ end }) => end));
  return words.some(({ pos }) => ends.has(pos));
}

/**
 * Returns whether a `#` can follow a process substitution directly, as in `cat <(ls)#; rm a`: the grammar reads a
 * comment, and bash reads the end of a word and then another command.
 */
export function hasJoinedComment(text: string): boolean {
  return text.includes(")#") && /[<>]\(/.test(text);
}
