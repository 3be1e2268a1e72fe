/**
 * Detects protected files that a program outside replaced while a command ran. The kernel removes a mount together with
 * its file, so from then on the command could write there.
 */

import { identityOf } from "./sandbox-git-folders.ts";

/** Returns a function that returns notes for the model and the user when the command has ended. */
export function watchReplaced(paths: readonly string[]): () => string[] {
  const before = new Map(paths.map((path) => [path, identityOf(path)]));
  return () => {
    const replaced = [...before]
      .filter(([path, identity]) => identity !== identityOf(path))
      .map(([path]) => path);
    if (replaced.length === 0) return [];
    return [
      `(A program outside the sandbox replaced ${replaced.join(", ")} while this command ran. ` +
        "The sandbox could not protect them after that; ask the user to check them.)",
    ];
  };
}
