import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadEngine } from "../simulation/engine-under-test.ts";
import { SOURCES } from "../support/simulation-processes.ts";
import { CACHE_MUTANTS, type CacheMutant } from "./mutants.ts";
import { compareSerial, runWorld } from "./world.ts";

test.each(CACHE_MUTANTS)("the worlds notice that $title", async (mutant) => {
  await withMutant(mutant, async (folder) => {
    const broken = await loadEngine(folder);
    let failures: readonly string[] = [];
    for (let seed = 1; seed <= 600 && failures.length === 0; seed++)
      failures = [...(await runWorld(broken, seed)).failures, ...(await compareSerial(broken, seed))];
    expect(failures).not.toEqual([]);
  });
});

async function withMutant(
  { file: name, edits }: CacheMutant,
  use: (folder: string) => Promise<void>,
): Promise<void> {
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
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
