/** Suggests what a model meant by the path of a file that does not exist. */

import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Target, foundAbove, maySeeFolder } from "./file-path.ts";
import { withPin } from "./pin.ts";
import { likeness } from "./likeness.ts";
import { Refusal } from "../shared/refusal.ts";

const SHOWN = 3;
/** Less similar names are not suggested. */
const NEAR = 0.6;
/** Only this many names of a very large folder are compared. */
const MOST_NAMES = 10_000;

/** Makes the error for a file that does not exist. `path` is the resolved path. */
export async function missingFile(input: object, target: Target, path: string): Promise<Refusal> {
  const { named, isRelative, cwd } = target;
  const head = `${named} does not exist${isRelative ? ` (looked for ${target.path})` : ""}.`;
  const above = foundAbove(input, target);
  if (above !== undefined)
    return new Refusal(`${head} The working directory is ${cwd}: use ${relative(cwd, above)} for ${above}.`);
  const names = maySeeFolder(input) ? await namesIn(dirname(path)) : [];
  if (names === undefined)
    return new Refusal(`${head} The directory ${dirname(target.path)} does not exist either.`);
  const near = nearest(basename(target.path), names).map((name) => join(dirname(named), name));
  return new Refusal(near.length === 0 ? head : `${head} Did you mean ${near.join(", ")}?`);
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
