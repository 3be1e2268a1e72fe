import { expect, test } from "vitest";
import { newWorld } from "../../test/fixtures/settings/world.ts";
import { definedAgents } from "./agents.ts";

test("sub-agents are read from the user's folder, and from the project's once it is trusted", async () => {
  const world = await newWorld();
  const { cwd, home, env } = world.options;
  await world.write(
    "home/.claude/agents/review.md",
    "---\nname: reviewer\ndescription: Reviews a change.\ntools: Read, Grep\nmodel: inherit\n---\n\nBe strict.\n",
  );
  await world.write(
    "project/.runahead/agents/reviewer.md",
    '---\r\ndescription: "Ours: reviews"\r\ntools:\r\n  - Read\r\n  - Bash\r\nmodel: small\r\n---\r\nBe kind.',
  );
  const untrusted = await definedAgents({ cwd, home, env, isTrusted: false });
  expect(untrusted).toMatchObject({
    agents: [
      {
        name: "reviewer",
        description: "Reviews a change.",
        prompt: "Be strict.",
        tools: ["Read", "Grep"],
        model: undefined,
      },
    ],
    problems: [],
  });
  const { agents } = await definedAgents({ cwd, home, env, isTrusted: true });
  expect(agents).toMatchObject([
    {
      name: "reviewer",
      description: "Ours: reviews",
      tools: ["Read", "Bash"],
      model: "small",
      prompt: "Be kind.",
    },
  ]);
});

test("a file without front matter is described by its first line; documents for people are left out", async () => {
  const world = await newWorld();
  const { cwd, home, env } = world.options;
  await world.write("home/.claude/agents/odd.md", "# Finds odd things\n\nLook for them.");
  await world.write("home/.claude/agents/README.md", "# About these files");
  const { agents, problems } = await definedAgents({ cwd, home, env, isTrusted: false });
  expect(agents).toMatchObject([{ name: "odd", description: "Finds odd things", tools: undefined }]);
  expect(problems.map(({ severity }) => severity)).toEqual(["note", "note"]);
});

test("agents in folders below are found", async () => {
  const world = await newWorld();
  const { cwd, home, env } = world.options;
  await world.write("project/.claude/agents/team/deep/one.md", "---\ndescription: One.\n---\n");
  const { agents } = await definedAgents({ cwd, home, env, isTrusted: true });
  expect(agents.map(({ name }) => name)).toEqual(["one"]);
});
