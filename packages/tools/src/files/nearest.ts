/** What a model may have meant by the path of a file that is not there. */

import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Target, maySeeFolder } from "./file-path.ts";
import { withPin } from "./pin.ts";
import { likeness } from "./likeness.ts";
import { Refusal } from "../shared/refusal.ts";

const SHOWN = 3;
/** Names that have less in common than this are not suggested. */
const NEAR = 0.6;
/** Names of very large folders are not compared one by one. */
const MOST_NAMES = 10_000;

/** `path` is where the target leads. */
export async function missingFile(input: object, target: Target, path: string): Promise<Refusal> {
  const names = maySeeFolder(input) ? await namesIn(dirname(path)) : [];
  if (names === undefined)
    return new Refusal(`${target.named} does not exist, nor does its directory ${dirname(target.path)}.`);
  const near = nearest(basename(target.path), names).map((name) => join(dirname(target.named), name));
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
  const about = target.isRelative ? ` (looked for ${target.path})` : "";
  return new Refusal(`${target.named} does not exist${about}.${hint}`);
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await withPin(folder, "read", async ({ fixed }) =>
      (await readdir(fixed)).sort().slice(0, MOST_NAMES),
    );
  } catch {
    return [];
  }
}

function nearest(wanted: string, names: readonly string[]): string[] {
  const scored = names.map((name) => ({ name, score: likeness(wanted.toLowerCase(), name.toLowerCase()) }));
  return scored
    .filter(({ score }) => score >= NEAR)
    .sort((one, other) => other.score - one.score)
    .slice(0, SHOWN)
    .map(({ name }) => name);
}
