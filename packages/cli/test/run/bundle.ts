/** The program of the sources in one folder, so that a shell's test starts it as fast as a person does. */

import { cpSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type OnLoadArgs, type OnLoadResult, build } from "esbuild";
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
      "@runahead/engine/wire": `${PACKAGES}engine/src/wire/index.ts`,
      "@runahead/engine/history": `${PACKAGES}engine/src/history/history.ts`,
      "@runahead/engine": `${PACKAGES}engine/src/index.ts`,
      "@runahead/base": `${PACKAGES}base/src/index.ts`,
      "@runahead/permissions/internal": `${PACKAGES}permissions/src/internal.ts`,
      "@runahead/permissions": `${PACKAGES}permissions/src/index.ts`,
      "@runahead/agent/otel": `${PACKAGES}agent/src/telemetry/otel.ts`,
      "@runahead/agent/timeline": `${PACKAGES}agent/src/timeline/index.ts`,
      "@runahead/agent": `${PACKAGES}agent/src/index.ts`,
      "@runahead/tools": `${PACKAGES}tools/src/index.ts`,
      "@runahead/mcp": `${PACKAGES}mcp/src/index.ts`,
      "@runahead/adapters/ai-sdk": `${PACKAGES}adapters/src/ai-sdk/ai-sdk.ts`,
      "@runahead/adapters/sdk": `${PACKAGES}adapters/src/sdk/sdk.ts`,
      "@runahead/harness/timeline": `${PACKAGES}harness/src/timeline.ts`,
      "@runahead/harness": `${PACKAGES}harness/src/index.ts`,
      "@runahead/workers": `${PACKAGES}workers/src/index.ts`,
    },
    plugins: [
      { name: "page", setup: (made) => made.onLoad({ filter: /timeline\/html\.ts$/ }, besideBundle) },
    ],
    logLevel: "warning",
  });
  cpSync(`${PACKAGES}agent/src/timeline/page`, `${outdir}/page`, { recursive: true });
  return `${outdir}/entry.mjs`;
}

/** The timeline's page is beside the bundle, as in the published program. */
async function besideBundle({ path }: OnLoadArgs): Promise<OnLoadResult> {
  const text = await readFile(path, "utf8");
  return { loader: "ts", contents: text.replace('"../../src/timeline/page/"', '"./page/"') };
}
