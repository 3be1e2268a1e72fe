/**
 * The folders that the user trusts, by the real path of their root. They are kept in one private file. If it cannot be
 * read, or other users can write to it, no folder is trusted.
 */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changeFile } from "../settings/change.ts";
import { NotSaved } from "../settings/error.ts";
import { isShape } from "@runahead/base";
import { runaheadHome, checkHome } from "../home.ts";
import { type Where, projectRoot } from "../settings/place.ts";
import { readPrivate } from "../settings/private-file.ts";

/** The folders that the user trusts. */
export interface Trust {
  /** Absolute path of the file that they are kept in. */
  readonly path: string;
  /**
   * Resolves with whether the root of the folder's project is trusted. If the file is damaged or writable by other
   * users, no folder is.
   */
  isTrusted(folder: string): Promise<boolean>;
  /**
   * Trusts the project of a folder permanently. Throws `NotSaved` if the file cannot be changed.
   *
   * @param accepted What the user accepts of the settings that trust alone does not enable, as `acceptedByTrust` lists
   * it; it replaces what was accepted before. Default: nothing.
   */
  trust(folder: string, accepted?: readonly string[]): Promise<void>;
  /** Revokes trust. Throws `NotSaved` if the file cannot be changed. */
  revoke(folder: string): Promise<void>;
}

/** The content of the file, or why it is not used. */
export type Trusted =
  | {
      readonly type: "known";
      readonly roots: ReadonlySet<string>;
      /** By root, what the user accepted of the settings that trust alone does not enable. */
      readonly accepted: ReadonlyMap<string, readonly string[]>;
    }
  | { readonly type: "unknown"; readonly why: string };

/**
 * Opens the list of trusted folders of a user.
 *
 * @example
 * ```ts
 * const trust = trustIn({ home: homedir(), env: process.env });
 * if (!(await trust.isTrusted("/repo"))) await trust.trust("/repo");
 * ```
 */
export function trustIn(where: Pick<Where, "home" | "env">): Trust {
  checkHome(where, "trustIn");
  const path = trustPath(where);
  return {
    path,
    async isTrusted(folder) {
      const trusted = await readTrust(path);
      return trusted.type === "known" && trusted.roots.has(await projectRoot(folder));
    },
    trust: (folder, accepted = []) =>
      change(path, folder, (known, root) => ({
        roots: new Set([...known.roots, root]),
        accepted: new Map([...known.accepted, [root, accepted]]),
      })),
    revoke: (folder) =>
      change(path, folder, (known, root) => ({
        roots: new Set([...known.roots].filter((other) => other !== root)),
        accepted: new Map([...known.accepted].filter(([other]) => other !== root)),
      })),
  };
}

type Known = Pick<Extract<Trusted, { type: "known" }>, "roots" | "accepted">;

async function change(
  path: string,
  folder: string,
  to: (known: Known, root: string) => Known,
): Promise<void> {
  const root = await projectRoot(folder);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await changeFile({ path, mode: 0o600 }, async () => {
    const trusted = await readTrust(path);
    if (trusted.type === "unknown") throw new NotSaved(path, trusted.why);
    return textOf(to(trusted, root));
  });
}

export function trustPath(where: Pick<Where, "home" | "env">): string {
  return join(runaheadHome(where), "trust.json");
}

export async function readTrust(path: string): Promise<Trusted> {
  const file = await readPrivate(path);
  if (file.type === "missing") return { type: "known", roots: new Set(), accepted: new Map() };
  if (file.type === "unknown") return file;
  const { value } = file;
  const trusted = isShape(value) ? value["trusted"] : undefined;
  if (!Array.isArray(trusted)) return { type: "unknown", why: 'expected {"trusted": [paths]}' };
  return {
    type: "known",
    roots: new Set(trusted.filter((root) => typeof root === "string")),
    accepted: acceptedIn(value),
  };
}

function acceptedIn(value: unknown): Map<string, readonly string[]> {
  const accepted = isShape(value) ? value["accepted"] : undefined;
  if (!isShape(accepted)) return new Map();
  return new Map(
    Object.entries(accepted).map(([root, list]) => [
      root,
      Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [],
    ]),
  );
}

function textOf({ roots, accepted }: Known): string {
  const kept = [...accepted].filter(([, list]) => list.length > 0);
  const value = {
    trusted: [...roots].sort(),
    ...(kept.length === 0 ? {} : { accepted: Object.fromEntries(kept) }),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
