import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptWorld, calls, requestsOf, says, systemOf } from "../../../test/support/prompt-world.ts";

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

const agentFile = (name: string, head: string, body: string): string =>
  world.write(
    `.claude/agents/${name}.md`,
    `---\nname: ${name}\ndescription: Does it.\n${head}\n---\n${body}`,
  );

test("the setting agent gives the main agent the prompt, tools, model and limits of a definition", async () => {
  agentFile(
    "reviewer",
    "tools: Read, Bash(git log:*), Agent(helper)\nmodel: opus\nmaxTurns: 3",
    "You review.",
  );
  agentFile("helper", "tools: Grep", "You help.");
  world.write(".claude/settings.json", JSON.stringify({ agent: "reviewer" }));
  const start = calls("Agent", { description: "d", prompt: "go", subagent_type: "helper" });
  const touch = calls("Bash", { command: "touch made.txt" });
  const { agent, server } = await world.start([start, says("helped"), touch, says("done")], {
    allowedTools: ["Bash(touch:*)"],
  });
  await agent.send("go");
  const [first, second] = requestsOf(server);
  expect(systemOf(first!)).toMatch(/^You review\./);
  expect(first?.tools.map(({ name }) => name).sort()).toEqual(["Agent", "Bash", "Read"]);
  const offered = JSON.stringify(first?.tools.find(({ name }) => name === "Agent"));
  expect(offered).toContain("- helper:");
  expect(offered).not.toContain("- general-purpose");
  expect(JSON.parse(server.requests[0]?.text ?? "{}")).toMatchObject({ model: "claude-opus-5" });
  // The helper has its own tools, not those of the main agent.
  expect(systemOf(second!)).toMatch(/^You help\./);
  expect(second?.tools.map(({ name }) => name)).toEqual(["Grep"]);
  expect(existsSync(join(world.project, "made.txt"))).toBe(false);
});

test("--agent wins over the setting, and --model over the model of the definition", async () => {
  agentFile("one", "model: opus", "You are one.");
  agentFile("two", "model: opus", "You are two.");
  world.write(".claude/settings.json", JSON.stringify({ agent: "one" }));
  const started = await world.start([says("done")], { agent: "two", model: "claude-sonnet-5" });
  const { agent, server } = started;
  expect(started.mainAgent).toBe("two");
  await agent.send("go");
  expect(systemOf(requestsOf(server)[0]!)).toMatch(/^You are two\./);
  expect(JSON.parse(server.requests[0]?.text ?? "{}")).toMatchObject({ model: "claude-sonnet-5" });
});

test("the permission mode of the definition is the mode at the start, unless a flag says otherwise", async () => {
  agentFile("planner", "permissionMode: plan", "You plan.");
  const planned = await world.start([], { agent: "planner" });
  expect(planned.gate.mode).toBe("plan");
  const chosen = await world.start([], { agent: "planner", permissionMode: "default" });
  expect(chosen.gate.mode).toBe("default");
});

test("an unknown agent in a flag is an error, and in the settings a notice", async () => {
  agentFile("reviewer", "", "You review.");
  await expect(world.start([], { agent: "reviewr" })).rejects.toThrow(
    /Unknown sub-agent reviewr\. .*reviewer/,
  );
  world.write(".claude/settings.json", JSON.stringify({ agent: "nobody" }));
  const notices: string[] = [];
  const { agent, server } = await world.start([says("done")], {
    onNotice: (message) => void notices.push(message),
  });
  await agent.send("go");
  expect(systemOf(requestsOf(server)[0]!)).toMatch(/^You are Runahead/);
  expect(notices.join("\n")).toContain("The setting agent has no effect: Unknown sub-agent nobody.");
});

test("a definition that only reads keeps the main agent from changing anything", async () => {
  const write = calls("Write", { file_path: join(world.project, "made.txt"), content: "x" });
  const { agent, server } = await world.start([write, says("done")], {
    agent: "explore",
    permissionMode: "acceptEdits",
  });
  await agent.send("go");
  expect(requestsOf(server)[0]?.tools.map(({ name }) => name)).not.toContain("Write");
  expect(existsSync(join(world.project, "made.txt"))).toBe(false);
});
