import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isOurs, runScenario, scenariosOf } from "./suite.ts";

/** The latest that runs on Node 20; `run.ts` runs the one of today. */
const SUITE = {
  node: process.execPath,
  script: fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js")),
};

test("every scenario of the protocol's conformance suite that concerns us passes", {
  timeout: 120_000,
}, async () => {
  const ours = (await scenariosOf(SUITE)).filter(isOurs);
  expect(ours).toEqual(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]);
  const ran = [];
  for (const scenario of ours) ran.push(await runScenario(SUITE, scenario));
  expect(ran.filter(({ passed }) => !passed)).toEqual([]);
});
