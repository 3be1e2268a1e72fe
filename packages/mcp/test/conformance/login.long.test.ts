import { expect, test } from "vitest";
import { SUITE, isLogin, isOurs, runScenario, scenariosOf } from "./suite.ts";

test("every login of the protocol's conformance suite that concerns us passes", {
  timeout: 900_000,
}, async () => {
  const ours = (await scenariosOf(SUITE)).filter((name) => isOurs(name) && isLogin(name));
  expect(ours.length).toBeGreaterThanOrEqual(14);
  const failed = [];
  for (const scenario of ours) {
    const ran = await runScenario(SUITE, scenario);
    if (!ran.passed) failed.push(ran);
  }
  expect(failed).toEqual([]);
});
