/** The places of the worlds: keys, keys relative to a folder, and files that links lead to. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "runahead-outside-")));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(`${folder}/deep/inner`, { recursive: true });
writeFileSync(`${folder}/deep/f`, "");
symlinkSync("deep/inner", `${folder}/in`);
symlinkSync("in/../f", `${folder}/alias`);
symlinkSync(`${folder}/in/../f`, `${folder}/absolute`);

const KEYS = ["kv:/a", "kv:/a/x", "kv:/b", "kv:/b/y"];
const FILES = ["deep/f", "alias", "absolute", "in/../f"].map((name) => `fs:${folder}/${name}`);

export const PLACES: readonly string[] = [...KEYS, ...KEYS, ...FILES];
export const FOLDERS: readonly string[] = ["/a", "/b"];

/** What a place really is. */
export function realPlace(place: string): string {
  return place.startsWith("fs:") ? `fs:${realpathSync.native(place.slice(3))}` : place;
}

export interface Touch {
  readonly place: string;
  readonly writes: boolean;
}

/** Whether two calls must not run at the same time. */
export function clash(one: Touch, other: Touch): boolean {
  if (!one.writes && !other.writes) return false;
  const [a, b] = [`${one.place}/`, `${other.place}/`];
  return a.startsWith(b) || b.startsWith(a);
}
