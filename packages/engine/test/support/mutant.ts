/** A copy of the engine's sources with a bug in it, to see that a test notices the bug. */

import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { SOURCES } from "./simulation-processes.ts";

export type Edit = readonly [find: string, replace: string];

/** Each text to find must occur once in the file. The copy is deleted afterwards. */
export async function withMutant<Result>(
  name: string,
  edits: readonly Edit[],
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "runahead-mutant-"));
  try {
    await cp(SOURCES, folder, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
    const file = join(folder, name);
    let text = await readFile(file, "utf8");
    for (const [find, replace] of edits) {
      expect(text.split(find)).toHaveLength(2);
      text = text.replace(find, () => replace);
    }
    await writeFile(file, text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
