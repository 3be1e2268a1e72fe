import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  PromptWorld,
  calls,
  remindersIn,
  requestsOf,
  says,
  systemOf,
} from "../../test/support/prompt-world.ts";
import { previewPrompt } from "../compose/coding-agent.ts";
import { OPENING } from "./opening.ts";

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.write("AGENTS.md", "Run `make check`.\n");
  world.write("sub/AGENTS.md", "Use tabs here.\n");
  world.write("sub/deep/b.txt", "b\n");
  world.commitAll();
});
afterEach(() => world.remove());

const read = (name: string) => calls("Read", { file_path: join(world.project, name) });

test("the system prompt has five sections and at most 3,500 characters", async () => {
  const { system, opening } = await previewPrompt(world.surroundings);
  const [role, ...sections] = system.split("\n\n# ");
  expect(role).toMatch(/^You are Runahead/);
  expect(sections.map((text) => text.split("\n", 1)[0])).toEqual([
    "Working",
    "Tools",
    "Answering",
    "Environment",
  ]);
  expect(system.length).toBeLessThanOrEqual(3_500);
  for (const line of [
    `Working directory: ${world.project}`,
    "Git: branch main",
    `Platform: ${process.platform} `,
    ", shell bash\n",
    "Permission mode: default",
    "Nobody can answer questions in this run.",
  ])
    expect(system).toContain(line);
  expect(system).toMatch(/\nDate: \d{4}-\d\d-\d\d\nModel: /);
  expect(opening).toMatch(
    /^Context at the start of this conversation\.\n\nGit status now [^]*\(clean\)\n\nLast commits:\n[0-9a-f]+ first commit\n/,
  );
  expect(opening).toContain(`Project instructions from ${world.project}/AGENTS.md:\nRun \`make check\`.`);
});

test("all tools take at most 16,000 characters", async () => {
  const { tools } = await previewPrompt({
    ...world.surroundings,
    askUser: () => Promise.reject(new Error()),
  });
  const sizes = tools.map(({ text }) => JSON.stringify(JSON.parse(text)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(16_000);
});

test("WebSearch is offered only if a search provider is set up", async () => {
  const namesWith = async (more: Record<string, string>): Promise<string[]> => {
    const { env, ...folders } = world.surroundings;
    return (await previewPrompt({ ...folders, env: { ...env, ...more } })).tools.map(({ name }) => name);
  };
  expect(await namesWith({})).not.toContain("WebSearch");
  expect(await namesWith({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://localhost:1" })).not.toContain(
    "WebSearch",
  );
  expect(await namesWith({ BRAVE_API_KEY: "k" })).toContain("WebSearch");
  expect(await namesWith({ ANTHROPIC_API_KEY: "k" })).toContain("WebSearch");
});

test("a preview starts no MCP server, saves no session and needs no model", async () => {
  const mark = join(world.root, "started");
  const server = JSON.stringify({ mcpServers: { evil: { command: "touch", args: [mark] } } });
  world.write(".mcp.json", server);
  const { system } = await previewPrompt({ ...world.surroundings, trust: true, mcpConfig: [server] });
  expect(system).toContain("Model: (not configured)");
  await pause(300);
  expect(world.git("status", "--porcelain")).toBe("?? .mcp.json\n");
  expect([existsSync(mark), existsSync(join(world.root, "runahead", "sessions"))]).toEqual([false, false]);
});

test("the prefix is byte-identical in every request, and on a second start on the same day", async () => {
  const first = await world.start([read("a.txt"), says("done"), says("again")], { model: "claude-x" });
  await first.agent.send("one");
  await first.agent.send("two");
  const second = await world.start([says("done")], { model: "claude-x" });
  await second.agent.send("one");
  const requests = requestsOf(first.server);
  expect(requests).toHaveLength(3);
  const [other] = requestsOf(second.server);
  for (const { system, tools } of [...requests, other ?? requests[0]!])
    expect([JSON.stringify(system), JSON.stringify(tools)]).toEqual([
      JSON.stringify(requests[0]?.system),
      JSON.stringify(requests[0]?.tools),
    ]);
  for (const [at, { messages }] of requests.slice(0, -1).entries())
    expect(JSON.stringify(requests[at + 1]?.messages.slice(0, messages.length))).toBe(
      JSON.stringify(messages),
    );
  for (const { messages } of requests)
    for (const { content } of messages) expect(Array.isArray(content)).toBe(true);
  expect(remindersIn(requests[2]!)).toEqual([expect.stringContaining(OPENING)]);
  expect(systemOf(requests[0]!)).toBe(first.prompt().system);
  expect(remindersIn(requests[0]!)).toEqual([first.prompt().opening]);
});

test("a sub-agent gets its own prompt, Tools, Environment and the project instructions", async () => {
  world.write(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews.\n---\nYou review.\n");
  const answers = [
    calls("Agent", { description: "Review", prompt: "Look at it", subagent_type: "reviewer" }),
    says("report"),
    says("done"),
  ];
  const { agent, server } = await world.start(answers, { model: "claude-x" });
  await agent.send("go");
  const [main, sub] = requestsOf(server);
  const system = systemOf(sub!);
  expect(system).toMatch(/^You review\.\n\n# Tools\n[^]*\n\n# Environment\nWorking directory: /);
  expect(system).toContain("Nobody can answer questions in this run.");
  expect(system).not.toContain("# Working");
  expect(systemOf(main!)).toContain("# Working");
  const [opening, ...others] = remindersIn(sub!);
  expect(opening).toMatch(/^Context at the start of this conversation\.\n\nProject instructions follow\./);
  expect(opening).toContain("Run `make check`.");
  expect(others).toEqual([]);
});

test("a file that somebody else changes is reported once", async () => {
  const { agent, server } = await world.start([read("a.txt"), says("1"), says("2"), says("3")]);
  await agent.send("read");
  const path = join(world.project, "a.txt");
  writeFileSync(path, "other text\n");
  utimesSync(path, 1, 1);
  await agent.send("again");
  await agent.send("and again");
  const changed = requestsOf(server).map((request) =>
    remindersIn(request).filter((text) => text.startsWith("These files changed on disk")),
  );
  expect(changed.map(({ length }) => length)).toEqual([0, 0, 1, 1]);
  expect(changed[2]?.[0]).toMatch(new RegExp(`\\n${path}$`));
});

test("the instructions of a folder are added when it is first touched, and once", async () => {
  const answers = [read("a.txt"), read("sub/deep/b.txt"), read("sub/deep/b.txt"), says("done")];
  const { agent, server } = await world.start(answers);
  await agent.send("read");
  const nested = requestsOf(server).map((request) =>
    remindersIn(request).filter((text) => text.includes("Use tabs here.")),
  );
  expect(nested.map(({ length }) => length)).toEqual([0, 0, 1, 1]);
  expect(nested[2]?.[0]).toContain(`Project instructions from ${world.project}/sub/AGENTS.md:`);
});

test("with --bare, neither the folder's instructions nor those of folders below are added", async () => {
  const { agent, server } = await world.start([read("sub/deep/b.txt"), says("done")], { bare: true });
  await agent.send("read");
  const { text = "" } = server.requests.at(-1) ?? {};
  expect([text.includes("Run `make check`."), text.includes("Use tabs here.")]).toEqual([false, false]);
});

test("a background job that ended is reported once, with exit code and last lines", async () => {
  const command = "echo working; exit 3";
  const answers = [
    calls("Bash", { command, description: "Works", run_in_background: true }),
    ...Array.from({ length: 100 }, () => says("waiting")),
  ];
  const { agent, server } = await world.start(answers, { allowedTools: ["Bash"] });
  await agent.send("start it");
  const ended = (): string[] =>
    remindersIn(requestsOf(server).at(-1)!).filter((text) => text.startsWith("Background job"));
  for (let tries = 0; tries < 90 && ended().length === 0; tries++) {
    await pause(100);
    await agent.send("and now?");
  }
  await agent.send("and now?");
  expect(ended()).toEqual([
    expect.stringMatching(
      /^Background job \S+ ended \(exit code 3\): echo working; exit 3\nLast lines:\nworking$/,
    ),
  ]);
});

test("plan mode is reported before the next request, and the system prompt stays", async () => {
  const { agent, server, gate } = await world.start([says("1"), says("2"), says("3")]);
  await agent.send("one");
  gate.setMode("plan");
  await agent.send("two");
  gate.setMode("default");
  await agent.send("three");
  const requests = requestsOf(server);
  expect(remindersIn(requests.at(-1)!).map((text) => text.split(/[.:]/, 1)[0])).toEqual([
    "Context at the start of this conversation",
    "Plan mode is on",
    "Plan mode is off",
  ]);
  expect(systemOf(requests.at(-1)!)).toBe(systemOf(requests[0]!));
});

test("after a summary, the opening is added again", async () => {
  const { agent, server } = await world.start([says("1"), says("The summary."), says("2"), says("3")]);
  await agent.send("one");
  expect(await agent.compact()).toBe(true);
  await agent.send("two");
  await agent.send("three");
  const counts = requestsOf(server).map(
    (request) => remindersIn(request).filter((text) => text.startsWith(OPENING)).length,
  );
  expect([counts[0], counts[2], counts[3]]).toEqual([1, 1, 1]);
  expect(JSON.stringify(requestsOf(server)[2]?.messages[0])).toContain("The summary.");
});
