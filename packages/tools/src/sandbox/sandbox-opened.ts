/** What the settings open in the sandbox: paths that commands can write to, read or connect to in addition. */

import { lstatSync, readdirSync } from "node:fs";
import { follow, isWithin, looked } from "./sandbox-paths.ts";

const RUN = "/run";

/**
 * Leaves out paths that go through a link in a writable folder: a command or a repository can create such a link, and it
 * would open what the settings do not name.
 */
export function withoutLooseLinks(paths: readonly string[], writable: readonly string[]): string[] {
  const isLoose = (link: string): boolean =>
    writable.some((folder) => link !== folder && isWithin(link, folder));
  return paths.filter((path) => follow(path)?.links.some(isLoose) === false);
}

export function isSocket(path: string): boolean {
  return looked(() => lstatSync(path, { throwIfNoEntry: false }))?.isSocket() === true;
}

/** Mounts everything below `/run` one by one, because the sandbox adds its own socket there. */
export function systemSockets(): string[] {
  const entries = looked(() => readdirSync(RUN, { withFileTypes: true })) ?? [];
  return entries
    .filter((entry) => !entry.isSymbolicLink())
    .map(({ name }) => `${RUN}/${name}`)
    .flatMap((path) => ["--ro-bind-try", path, path]);
}
