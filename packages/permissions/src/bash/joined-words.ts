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
