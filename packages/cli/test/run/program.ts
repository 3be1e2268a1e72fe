/** The program of the sources in one folder, made once for all tests, so that it starts as fast as the published one. */

import { cpSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type OnLoadArgs, type OnLoadResult, build } from "esbuild";
import type { TestProject } from "vitest/node";
import { entries } from "../../../../scripts/entries.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The file to start: `inject("program")`. */
    program: string;
  }
}

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Called by vitest before the system tests; gives what removes the program after them. */
export default async function setup(project: TestProject): Promise<() => void> {
  // As deep as the sources, so that what they find beside themselves is found.
  const outdir = `${ROOT}packages/cli/test-artifacts/program-${process.pid}`;
  await build({
    entryPoints: [fileURLToPath(new URL("./entry.ts", import.meta.url))],
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outdir,
    outExtension: { ".js": ".mjs" },
    alias: Object.fromEntries(
      entries({ hasInternal: true }).map(({ name, source }) => [name, ROOT + source]),
    ),
    plugins: [
      { name: "page", setup: (made) => made.onLoad({ filter: /timeline\/html\.ts$/ }, besideBundle) },
    ],
    logLevel: "warning",
  });
  cpSync(`${ROOT}packages/agent/src/timeline/page`, `${outdir}/page`, { recursive: true });
  project.provide("program", `${outdir}/entry.mjs`);
  return () => rmSync(outdir, { recursive: true, force: true });
}

/** The timeline's page is beside the bundle, as in the published program. */
async function besideBundle({ path }: OnLoadArgs): Promise<OnLoadResult> {
  const text = await readFile(path, "utf8");
  return { loader: "ts", contents: text.replace('"../../src/timeline/page/"', '"./page/"') };
}
