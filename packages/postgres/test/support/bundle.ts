/** Bundles a script of a test with the sources of our packages, so that a process with it starts quickly. */

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Plugin, build } from "esbuild";
import { entries } from "../../../../scripts/entries.mjs";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

/**
 * Returns the path of the bundle. It is inside of the repository, so that it finds the installed packages. `change` makes
 * another version of the sources.
 */
export async function bundled(script: URL, change?: Plugin): Promise<string> {
  const folder = `${ROOT}/node_modules/.cache/runahead-tests`;
  await mkdir(folder, { recursive: true });
  const outfile = `${folder}/${process.pid}-${change?.name ?? ""}${script.pathname.split("/").at(-1)}.mjs`;
  const alias = Object.fromEntries(
    entries({ hasInternal: true }).map(({ name, source }) => [name, `${ROOT}/${source}`]),
  );
  await build({
    entryPoints: [fileURLToPath(script)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "bundle",
    external: ["pg", "bullmq", "ioredis", "zod", "@opentelemetry/*"],
    alias,
    plugins: change === undefined ? [] : [change],
    logLevel: "error",
  });
  return outfile;
}
