/**
 * The project settings files that Runahead wrote itself, with a hash of their content. Such a file needs no trust while
 * nobody else changes it, because everything in it was approved by the user.
 */

import { createHash } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isShape } from "@runahead/base";
import { changeFile } from "../settings/change.ts";
import { runaheadHome } from "../home.ts";
import type { Where } from "../settings/place.ts";
import { readPrivate } from "../settings/private-file.ts";

type Home = Pick<Where, "home" | "env">;

/** Projects come and go: the oldest entries are dropped, and those files need trust again. */
const MOST_FILES = 1_000;

/** Whether the file had this text when Runahead last wrote it. A damaged or shared list vouches for nothing. */
export async function isOwnFile(home: Home, path: string, text: string): Promise<boolean> {
  return (await known(home)).get(await real(path)) === hashOf(text);
}

/** Remembers that Runahead wrote the file. Throws `NotSaved` if the list cannot be changed. */
export async function noteOwnFile(home: Home, path: string, text: string): Promise<void> {
  const list = listOf(home);
  await mkdir(dirname(list), { recursive: true, mode: 0o700 });
  await changeFile({ path: list, mode: 0o600 }, async () => {
    const files = new Map(await known(home));
    const key = await real(path);
    files.delete(key);
    files.set(key, hashOf(text));
    return `${JSON.stringify({ files: Object.fromEntries([...files].slice(-MOST_FILES)) }, undefined, 2)}\n`;
  });
}

function listOf(home: Home): string {
  return join(runaheadHome(home), "own-files.json");
}

async function known(home: Home): Promise<ReadonlyMap<string, string>> {
  const file = await readPrivate(listOf(home));
  const files = file.type === "value" && isShape(file.value) ? file.value["files"] : undefined;
  if (!isShape(files)) return new Map();
  return new Map(
    Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
