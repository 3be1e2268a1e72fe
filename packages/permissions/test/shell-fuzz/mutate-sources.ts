/** Builds permissions from the sources with some text replaced. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build as bundle, type Plugin } from "esbuild";
import { createPermissions } from "../../src/verdict/permissions.ts";
import { isAllowed } from "./check.ts";
import { fuzz, permissionsBy, type Report } from "./fuzz.ts";
import type { Jail } from "./jail.ts";
import type { Mutant } from "./mutants.ts";
import type { Create } from "./rule-sets.ts";

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));
const BASE = fileURLToPath(new URL("../../../base/src/index.ts", import.meta.url));

/** Returns the sources with each text replaced; throws if one does not occur exactly once. */
async function sourcesOf({ title, edits }: Mutant): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const path = join(SOURCES, file);
    const text = texts.get(path) ?? (await readFile(path, "utf8"));
    const count = text.split(find).length - 1;
    if (count !== 1)
      throw new Error(
        `The mutant "${title}" is out of date: its text occurs ${count} times in ${file}, not once. Update mutants.ts.`,
      );
    texts.set(
      path,
      text.replace(find, () => replace),
    );
  }
  return texts;
}

/** Loads `createPermissions` of a mutant. */
export async function mutantOf(mutant: Mutant): Promise<Create> {
  const texts = await sourcesOf(mutant);
  const replaced: Plugin = {
    name: "mutant",
    setup: (build) =>
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = texts.get(path);
        return contents === undefined ? undefined : { contents, loader: "ts" };
      }),
  };
  const folder = await mkdtemp(join(tmpdir(), "runahead-mutant-"));
  const outfile = join(folder, "permissions.mjs");
  try {
    await bundle({
      entryPoints: [join(SOURCES, "verdict/permissions.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      alias: { "@runahead/base": BASE },
      // The grammar is resolved from the source folder.
      define: { "import.meta.url": JSON.stringify(new URL("../../src/bash/parse.ts", import.meta.url).href) },
      plugins: [replaced],
      outfile,
      logLevel: "silent",
    });
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
      createPermissions: Create;
    };
    return loaded.createPermissions;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Hunt {
  readonly jail: Jail;
  readonly firstSeed: number;
  readonly count: number;
}

/** Fuzzes the mutant with the commands of its class that the original does not allow. */
export async function huntMutant(mutant: Mutant, hunt: Hunt): Promise<Report> {
  const create = await mutantOf(mutant);
  const permissions = permissionsBy(createPermissions);
  return fuzz({
    ...hunt,
    create,
    takes: (made) => made.attack === mutant.attack && !isAllowed(made, permissions(made.rules)),
    maxCounterexamples: 1,
    shrinks: false,
  });
}
