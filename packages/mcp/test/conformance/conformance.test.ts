import { expect, test } from "vitest";
import { SUITE, isLogin, isOurs, runScenario, scenariosOf } from "./suite.ts";

test("every scenario of the protocol's conformance suite that concerns us passes", {
  timeout: 120_000,
}, async () => {
  const ours = (await scenariosOf(SUITE)).filter((name) => isOurs(name) && !isLogin(name));
  expect(ours).toEqual(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]);
  const ran = await Promise.all(ours.map((scenario) => runScenario(SUITE, scenario)));
  expect(ran.filter(({ passed }) => !passed)).toEqual([]);
});
