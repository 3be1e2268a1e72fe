import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ServerProcess } from "./server-process.ts";

test("class 10: a server gets little of the environment, no keys, and what the settings and its own entry add", async () => {
  const server = await ServerProcess.start({
    command: "env",
    args: [],
    cwd: "/",
    inherited: {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "s3cret",
      OPENAI_API_KEY: "s3cret",
      SYSTEM_TOKEN: "s3cret",
      PROGRAM_KEY: "s3cret",
      PGPASSWORD: "s3cret",
    },
    added: { TAVILY_API_KEY: "passed", BOTH: "settings" },
    env: { OPENROUTER_API_KEY: "own", BOTH: "own" },
  });
  const printed = await text(server.stdout);
  await server.end();
  expect(printed).not.toContain("s3cret");
  for (const line of ["PATH=", "TAVILY_API_KEY=passed", "OPENROUTER_API_KEY=own", "BOTH=own"])
    expect(printed).toContain(line);
});
