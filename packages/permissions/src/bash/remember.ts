/** Results that a verdict needs several times. */

import type { ShellWord } from "./script.ts";

/** A function of the words of a command, computed once for each list of words. */
export function remembering<Value>(
  compute: (words: readonly ShellWord[]) => Value,
): (words: readonly ShellWord[]) => Value {
  const known = new WeakMap<readonly ShellWord[], { readonly value: Value }>();
  return (words) => {
    const found = known.get(words) ?? { value: compute(words) };
    known.set(words, found);
    return found.value;
  };
}
