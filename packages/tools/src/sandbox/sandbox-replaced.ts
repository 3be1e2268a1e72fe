/**
 * Protected files that somebody outside replaced while a command ran. The kernel removes a mount together with the file
 * that it is on, so from then on the command could write there.
 */

import { identityOf } from "./sandbox-git-folders.ts";

/** Gives what the model and the person should know, when the command has ended. */
export function watchReplaced(paths: readonly string[]): () => string[] {
  const before = new Map(paths.map((path) => [path, identityOf(path)]));
  return () => {
    const replaced = [...before]
      .filter(([path, identity]) => identity !== identityOf(path))
      .map(([path]) => path);
    if (replaced.length === 0) return [];
    return [
      `(Replaced from outside the sandbox while this command ran: ${replaced.join(", ")}. ` +
        "The sandbox could not protect them after that; ask the person to check them.)",
    ];
  };
}
