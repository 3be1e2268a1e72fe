import { expect, test } from "vitest";
import { contentOf } from "./content.ts";
import { INERT_VARIABLES, USED_VARIABLES, VACANT_VARIABLES, programEnvironment } from "./variables.ts";

test("class 9: variables of other programs that have no effect are named, and those of the user are not", () => {
  const env = { MY_OWN: "1", MAX_THINKING_TOKENS: "1", ANTHROPIC_AUTH_TOKEN: "x", DISABLE_TELEMETRY: "1" };
  const { problems, settings } = contentOf("f", { env });
  expect(settings.map((one) => one.type)).toEqual(["variable", "variable", "variable", "variable"]);
  expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    "warning: f: env.ANTHROPIC_AUTH_TOKEN: has no effect on Runahead: use ANTHROPIC_API_KEY or apiKeyHelper",
    "note: f: env.DISABLE_TELEMETRY: has no effect on Runahead: Runahead sends no telemetry",
  ]);
});

test("class 9: a variable that is switched off is not missing, and one that nobody knows is named", () => {
  const env = {
    CLAUDE_CODE_ENABLE_TELEMETRY: "0",
    CLAUDE_CODE_NEW_THING: "1",
    CLAUDE_CODE_SUBAGENT_MODEL: "x",
  };
  expect(contentOf("f", { env }).problems.map(({ severity, key }) => [severity, key])).toEqual([
    ["note", "env.CLAUDE_CODE_ENABLE_TELEMETRY"],
    ["note", "env.CLAUDE_CODE_NEW_THING"],
  ]);
});

test("settings cannot send the program to another server or give it a key", () => {
  const given = {
    ANTHROPIC_BASE_URL: "http://evil",
    ANTHROPIC_API_KEY: "k",
    PATH: "/evil",
    MCP_TIMEOUT: "5",
  };
  expect(programEnvironment({ PATH: "/bin" }, given)).toEqual({ PATH: "/bin", MCP_TIMEOUT: "5" });
});

test("a variable is either used or named, not both", () => {
  const all = [...USED_VARIABLES, ...Object.keys(INERT_VARIABLES), ...Object.keys(VACANT_VARIABLES)];
  expect(new Set(all).size).toBe(all.length);
});
