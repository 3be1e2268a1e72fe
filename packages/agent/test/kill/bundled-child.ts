/** A program of a test in one file, because compiling it takes longer than a run of it. */

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { entries } from "../../../../scripts/entries.mjs";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

export interface BundledChild {
  readonly path: string;
  remove(): Promise<void>;
}

/** Bundles a script with the sources of our packages. */
export async function bundledChild(script: URL): Promise<BundledChild> {
  // Packages are found from there.
  const folder = await mkdtemp(join(ROOT, "node_modules/.runahead-kill-"));
  const path = join(folder, "child.mjs");
  const alias = Object.fromEntries(
    entries({ hasInternal: true }).map(({ name, source }) => [name, join(ROOT, source)]),
  );
  await build({
    entryPoints: [fileURLToPath(script)],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias,
    outfile: path,
    logLevel: "warning",
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
