/** The program of the sources in one folder, so that a shell's test starts it as fast as a person does. */

import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll } from "vitest";

const PACKAGES = fileURLToPath(new URL("../../../", import.meta.url));

/** Gives the file to start. It is gone when the tests of this file are over; so ask for it where the file begins. */
export async function bundledProgram(): Promise<string> {
  // As deep as the sources, so that what they find beside themselves is found.
  const outdir = `${PACKAGES}cli/test-artifacts/program-${process.pid}`;
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints: [fileURLToPath(new URL("./entry.ts", import.meta.url))],
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outdir,
    outExtension: { ".js": ".mjs" },
    alias: {
      "@runahead/engine/history": `${PACKAGES}engine/src/history.ts`,
      "@runahead/engine": `${PACKAGES}engine/src/index.ts`,
      "@runahead/workers": `${PACKAGES}workers/src/index.ts`,
      "@runahead/agent/tools": `${PACKAGES}agent/src/tools.ts`,
      "@runahead/agent": `${PACKAGES}agent/src/index.ts`,
    },
    logLevel: "warning",
  });
  return `${outdir}/entry.mjs`;
}
