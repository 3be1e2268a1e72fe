import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { definedAgents } from "../../settings/agents.ts";
import { PromptWorld, calls, requestsOf, says, systemOf } from "../../../test/support/prompt-world.ts";

const SERVER = fileURLToPath(new URL("../../../../mcp/test/support/talking-server.mjs", import.meta.url));

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

const agentFile = (name: string, head: string, body = "Work."): string =>
  world.write(
    `.claude/agents/${name}.md`,
    `---\nname: ${name}\ndescription: Does it.\n${head}\n---\n${body}`,
  );
const start = (name: string) => calls("Agent", { description: "d", prompt: "go", subagent_type: name });
const bodyOf = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

test("class 3: a sub-agent with memory writes notes without approval and reads them when it starts again", async () => {
  agentFile("keeper", "memory: project\ntools: Grep");
  const folder = join(world.project, ".claude/agent-memory/keeper");
  const write = calls("Write", { file_path: join(folder, "MEMORY.md"), content: "Use pnpm here.\n" });
  const stray = calls("Write", { file_path: join(world.project, "b.txt"), content: "b\n" });
  const { agent, server } = await world.start([
    start("keeper"),
    write,
    stray,
    says("noted"),
    start("keeper"),
    says("again"),
    says("done"),
  ]);
  await agent.send("go");
  expect(readFileSync(join(folder, "MEMORY.md"), "utf8")).toBe("Use pnpm here.\n");
  expect(existsSync(join(world.project, "b.txt"))).toBe(false);
  const requests = requestsOf(server);
  expect(systemOf(requests[1]!)).toContain(`${join(folder, "MEMORY.md")} does not exist yet`);
  expect(requests[1]?.tools.map(({ name }) => name).sort()).toEqual(["Edit", "Grep", "Read", "Write"]);
  expect(systemOf(requests[5]!)).toContain("Use pnpm here.");
  expect(systemOf(requests[0]!)).not.toContain("agent-memory");
});

test("class 3: the notes of each scope are in the documented folder, and of a name only safe characters count", async () => {
  agentFile("mine", "memory: user");
  agentFile("other", "memory: local");
  const { agents } = await world.start([]);
  const folders = Object.fromEntries(agents.map(({ name, memoryFolder }) => [name, memoryFolder]));
  expect(folders).toEqual({
    mine: join(world.home, ".claude/agent-memory/mine"),
    other: join(world.project, ".claude/agent-memory-local/other"),
  });
});

test("class 3: a deny rule holds for the notes of a sub-agent too", async () => {
  agentFile("keeper", "memory: project");
  const file = join(world.project, ".claude/agent-memory/keeper/MEMORY.md");
  const answers = [
    start("keeper"),
    calls("Write", { file_path: file, content: "x" }),
    says("no"),
    says("done"),
  ];
  const { agent } = await world.start(answers, { disallowedTools: ["Edit(.claude/**)"] });
  await agent.send("go");
  expect(existsSync(file)).toBe(false);
});

test("class 3: sub-agents have at most the tools that the option tools names", async () => {
  agentFile("greedy", "tools: Read, Bash, Write");
  agentFile("all", "model: inherit");
  const answers = [start("greedy"), says("1"), start("all"), says("2"), says("done")];
  const { agent, server } = await world.start(answers, { tools: ["Agent", "Read", "Grep"] });
  await agent.send("go");
  const offered = requestsOf(server).map(({ tools }) => tools.map(({ name }) => name).sort());
  expect(offered[1]).toEqual(["Read"]);
  expect(offered[3]).toEqual(expect.not.arrayContaining(["Bash", "Write", "Edit", "WebFetch"]));
  expect(offered[3]).toEqual(expect.arrayContaining(["Read", "Grep"]));
});

test("class 3: effort of a sub-agent reaches its requests, and no others", async () => {
  agentFile("thinker", "effort: high\nmodel: opus");
  agentFile("same", "effort: low");
  const answers = [start("thinker"), says("1"), start("same"), says("2"), says("done")];
  const { agent, server } = await world.start(answers, { model: "claude-opus-4-6" });
  await agent.send("go");
  const efforts = server.requests.map(({ text }) => bodyOf(text)["output_config"]);
  expect(efforts).toEqual([undefined, { effort: "high" }, undefined, { effort: "low" }, undefined]);
});

test("class 3: a misspelled model in settings, flags and files is reported with the near name", async () => {
  world.write(".claude/settings.json", JSON.stringify({ model: "sonet" }));
  const file = world.write(
    ".claude/agents/one.md",
    "---\nname: one\ndescription: d\nmodel: opsu\n---\nYou work.",
  );
  const notices: string[] = [];
  const heard = { onNotice: (message: string) => void notices.push(message) };
  await world.start([], heard);
  await world.start([], { ...heard, model: "sonnet", fallbackModel: "haiko" });
  const unknown = (name: string, near: string): string =>
    `Unknown model "${name}". Did you mean "${near}"? The name is sent as it is.`;
  const ofFile = `${file}: ${unknown("opsu", "opus")}`;
  expect(notices.filter((one) => one.includes("Unknown model"))).toEqual([
    unknown("sonet", "sonnet"),
    ofFile,
    unknown("haiko", "haiku"),
    ofFile,
  ]);
});

test("class 3: a sub-agent reads its own model and mode, and the list of skills only if it can load them", async () => {
  skill("style", "", "Be brief.");
  agentFile("careful", "model: haiku\npermissionMode: dontAsk\ntools: Read");
  agentFile("loose", "permissionMode: acceptEdits\ntools: Read, Skill");
  const answers = [start("careful"), says("1"), start("loose"), says("2"), says("done")];
  const factsIn = async (permissionMode: "default" | "plan"): Promise<unknown> => {
    const { agent, server } = await world.start(answers, { model: "claude-opus-4-6", permissionMode });
    await agent.send("go");
    return requestsOf(server)
      .slice(1, 4)
      .map((request) => [
        ...(/Model: (.*)\nPermission mode: (.*)/.exec(systemOf(request)) ?? []).slice(1),
        JSON.stringify(request.messages[0]).includes("- style: d"),
      ]);
  };
  expect(await factsIn("default")).toEqual([
    ["claude-haiku-4-5", "dontAsk", false],
    ["claude-opus-4-6", "default", true],
    ["claude-opus-4-6", "acceptEdits", true],
  ]);
  expect(await factsIn("plan")).toEqual([
    ["claude-haiku-4-5", "plan", false],
    ["claude-opus-4-6", "plan", true],
    ["claude-opus-4-6", "plan", true],
  ]);
});

test("class 3: a skill in the prompt of a sub-agent names its folder", async () => {
  const path = skill("style", "", "See ${CLAUDE_SKILL_DIR}/rules.md.");
  agentFile("styled", "skills: style");
  const { agent, server } = await world.start([start("styled"), says("1"), says("done")]);
  await agent.send("go");
  expect(systemOf(requestsOf(server)[1]!)).toContain(`See ${dirname(path)}/rules.md.`);
});

test("class 3: a sub-agent with mcpServers has only their tools, and only it has the servers that it defines", async () => {
  const server = (name: string): object => ({ command: process.execPath, args: [SERVER, "stdio", name] });
  world.write(
    ".mcp.json",
    JSON.stringify({ mcpServers: { shared: server("well"), unused: server("well") } }),
  );
  const own = JSON.stringify({ inner: server("well") });
  agentFile("narrow", `mcpServers:\n  - shared\n  - ${own}`);
  agentFile("wide", "tools: '*'");
  const answers = [start("narrow"), says("1"), start("wide"), says("2"), says("done")];
  const { agent, server: model, mcp } = await world.start(answers);
  await mcp.settled();
  await agent.send("go");
  const servers = requestsOf(model).map(({ tools }) => [
    ...new Set(tools.flatMap(({ name }) => /^mcp__([a-z]+)__/.exec(name)?.[1] ?? [])),
  ]);
  expect(servers).toEqual([
    ["shared", "unused"],
    ["shared", "inner"],
    ["shared", "unused"],
    ["shared", "unused"],
    ["shared", "unused"],
  ]);
});

test("class 3: a sub-agent waits for a slow server that it defines, and not for one that fails", async () => {
  const slow = {
    command: "sh",
    args: ["-c", 'sleep 6; exec "$0" "$1" stdio well', process.execPath, SERVER],
  };
  const broken = { command: join(world.root, "missing") };
  agentFile("narrow", `mcpServers:\n  - ${JSON.stringify({ slow })}\n  - ${JSON.stringify({ broken })}`);
  const { agent, server: model } = await world.start([start("narrow"), says("1"), says("done")]);
  await agent.send("go");
  const tools = requestsOf(model)[1]?.tools.map(({ name }) => name) ?? [];
  expect(tools.some((name) => name.startsWith("mcp__slow__"))).toBe(true);
});

test("class 3: servers that a sub-agent defines start with it and end with it", async () => {
  const log = join(world.root, "servers");
  const inner = {
    command: "sh",
    args: ["-c", `echo $$ >> ${log}; exec "$0" "$1" stdio well`, process.execPath, SERVER],
  };
  agentFile("narrow", `mcpServers:\n  - ${JSON.stringify({ inner })}`);
  const pids = (): number[] =>
    existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map(Number) : [];
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const during: boolean[] = [];
  const { agent, mcp, server } = await world.start(
    [says("nothing"), start("narrow"), says("1"), says("2"), start("narrow"), says("3"), says("done")],
    { onEvent: (event) => void (event.type === "agent-event" && during.push(pids().some(isAlive))) },
  );
  await mcp.settled();
  await agent.send("one");
  expect([pids(), mcp.servers()]).toEqual([[], []]);
  await agent.send("two");
  expect([pids().length, pids().some(isAlive), during.at(-1)]).toEqual([1, false, true]);
  await agent.send("three");
  expect([pids().length, pids().some(isAlive)]).toEqual([2, false]);
  const tools = requestsOf(server)[2]?.tools.map(({ name }) => name) ?? [];
  expect(tools.some((name) => name.startsWith("mcp__inner__"))).toBe(true);
});

const BLOCK = { type: "command", command: "echo not-for-you >&2; exit 2" };

test("class 3: hooks of a sub-agent run while it works, for its own calls and its end only", async () => {
  const log = join(world.root, "log");
  const note = { type: "command", command: `cat >> ${log}` };
  const hooks = JSON.stringify({
    PreToolUse: [{ matcher: "Bash", hooks: [BLOCK] }],
    Stop: [{ hooks: [note] }],
  });
  agentFile("guarded", `hooks: ${hooks}`);
  const echo = calls("Bash", { command: "echo fine" });
  const answers = [echo, start("guarded"), echo, says("inner"), echo, says("done")];
  const { agent, server, hooks: runner } = await world.start(answers);
  await agent.send("go");
  const results = requestsOf(server).map(({ messages }) => JSON.stringify(messages.at(-1)));
  expect(results[1]).toContain("fine");
  expect(results[3]).toContain("not-for-you");
  expect(results[5]).toContain("fine");
  const heard = bodyOf(readFileSync(log, "utf8"));
  expect(heard).toMatchObject({ hook_event_name: "SubagentStop", agent_type: "guarded" });
  // The only hooks of this session are those of the sub-agent.
  expect(readFileSync(String(heard["transcript_path"]), "utf8")).toMatch(/^\{"parentUuid":null,/);
  expect(readFileSync(String(heard["agent_transcript_path"]), "utf8")).toContain('"isSidechain":true');
  expect(runner.list()).toEqual([]);
});

test("class 3: the settings turn hooks of sub-agents off, and a plugin cannot bring them in a sub-agent", async () => {
  agentFile("guarded", `hooks: ${JSON.stringify({ PreToolUse: [{ hooks: [BLOCK] }] })}`);
  world.write(".claude/settings.json", JSON.stringify({ disableAllHooks: true }));
  const notices: string[] = [];
  const { agents } = await world.start([], { onNotice: (message) => notices.push(message) });
  expect(agents[0]?.hooks).toBeUndefined();
  expect(notices.join()).toContain("the settings turn them off");
});

const skill = (name: string, head: string, body: string): string =>
  world.write(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n${head}\n---\n${body}`);

test("class 4: hooks of a skill run after it was loaded, until the prompt is answered", async () => {
  const command = "test -f ${CLAUDE_SKILL_DIR}/SKILL.md && echo not-for-you >&2; exit 2";
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] };
  skill("careful", `hooks: ${JSON.stringify(hooks)}`, "Be careful.");
  const echo = calls("Bash", { command: "echo fine" });
  const {
    agent,
    server,
    hooks: runner,
  } = await world.start([echo, calls("Skill", { skill: "careful" }), echo, says("done"), echo, says("done")]);
  await agent.send("one");
  expect(runner.list()).toEqual([]);
  await agent.send("two");
  const results = requestsOf(server).map(({ messages }) => JSON.stringify(messages.at(-1)));
  expect(results[1]).toContain("fine");
  expect(results[3]).toContain("not-for-you");
  expect(results[5]).toContain("fine");
});

test("class 4: hooks of a skill that changed after the start do not run", async () => {
  skill("careful", "user-invocable: true", "Be careful.");
  const notices: string[] = [];
  const { prompts, hooks } = await world.start([], { onNotice: (message) => notices.push(message) });
  const [file] = await prompts.files();
  await prompts.begin({ ...file!, hooks: { PreToolUse: [{ hooks: [BLOCK] }] } });
  expect(hooks.list()).toEqual([]);
  expect(notices.join()).toContain("they changed after the start");
});

test("class 4: model and effort of a skill apply to its prompt, and of a forked one to its sub-agent only", async () => {
  skill("think", "effort: max", "Think.");
  skill(
    "apart",
    "context: fork\nmodel: haiku\nallowed-tools: Bash(git tag:*)\nagent: general-purpose",
    "Tag it.",
  );
  const answers = [says("1"), calls("Skill", { skill: "apart" }), calls("Bash", { command: "git tag v1" })];
  const { agent, server, prompts } = await world.start([...answers, says("in"), says("2")], {
    model: "claude-opus-4-6",
  });
  const expanded = await prompts.expand("/think", new AbortController().signal);
  await prompts.begin(expanded!.file);
  await agent.send(expanded!.text);
  await agent.send("go");
  const bodies = server.requests.map(({ text }) => bodyOf(text));
  expect(bodies.map((body) => body["output_config"])).toEqual([
    { effort: "max" },
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const [main, fork] = ["claude-opus-4-6", "claude-haiku-4-5"];
  expect(bodies.map((body) => body["model"])).toEqual([main, main, fork, fork, main]);
  expect(world.git("tag").trim()).toBe("v1");
});

test("class 4: agent: Explore runs a forked skill in the sub-agent that only reads", async () => {
  skill("look", "context: fork\nagent: Explore", "Look.");
  const { agent, server } = await world.start([calls("Skill", { skill: "look" }), says("in"), says("out")]);
  await agent.send("go");
  expect(requestsOf(server)[1]?.tools.map(({ name }) => name)).not.toContain("Write");
});

test("class 7: a plugin's sub-agents bring no hooks and define no servers", async () => {
  const root = join(world.root, "plugin");
  const path = join(root, "agents/x.md");
  mkdirSync(dirname(path), { recursive: true });
  const head = `hooks: ${JSON.stringify({ Stop: [{ hooks: [BLOCK] }] })}\nmcpServers: [{"x": {"command": "y"}}]`;
  writeFileSync(path, `---\nname: x\ndescription: d\n${head}\n---\nWork.`);
  const { agents, problems } = await definedAgents({
    ...world.surroundings,
    more: [{ path: join(root, "agents"), prefix: "p:" }],
  });
  expect(agents[0]).toMatchObject({ name: "p:x", hooks: undefined, mcpServers: ["x"] });
  expect(problems.map(({ key }) => key)).toEqual(["hooks", "mcpServers"]);
});

test("class 3: omitClaudeMd leaves the instruction files out, and the reminder is part of the prompt", async () => {
  world.write("CLAUDE.md", "Sails are red.");
  world.write("sub/CLAUDE.md", "Masts are blue.");
  world.write("sub/b.txt", "b\n");
  agentFile("plain", "omitClaudeMd: true\ncriticalSystemReminder_EXPERIMENTAL: Never push.");
  agentFile("usual", "");
  const read = calls("Read", { file_path: join(world.project, "sub/b.txt") });
  const answers = [start("plain"), read, says("1"), start("usual"), read, says("2"), says("done")];
  const { agent, server } = await world.start(answers);
  await agent.send("go");
  const requests = server.requests.map(({ text }) => text);
  const [plain, usual] = [requests[2] ?? "", requests[5] ?? ""];
  expect([plain.includes("Sails are red."), plain.includes("Masts are blue.")]).toEqual([false, false]);
  expect([usual.includes("Sails are red."), usual.includes("Masts are blue.")]).toEqual([true, true]);
  expect(systemOf(requestsOf(server)[1]!)).toContain("Never push.");
});

test("class 3: autoCompactWindow makes a sub-agent compact its conversation early, and only lowers the window", async () => {
  world.write("big.txt", "0123456789 0123456789 0123456789\n".repeat(1_500));
  agentFile("small", "autoCompactWindow: 12000");
  agentFile("large", "autoCompactWindow: 900000000");
  const read = calls("Read", { file_path: join(world.project, "big.txt") });
  const requestsWith = async (name: string): Promise<number> => {
    const rest = Array.from({ length: 8 }, () => says("done"));
    const { agent, server } = await world.start([start(name), read, ...rest]);
    await agent.send("go");
    return server.requests.length;
  };
  expect(await requestsWith("large")).toBe(4);
  // The summary is a request too.
  expect(await requestsWith("small")).toBeGreaterThan(4);
});
