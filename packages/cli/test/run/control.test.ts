import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Line, type Reply, host as hostOf, isResult } from "./host.ts";
import { type Given, Shell, said, uses } from "./shell.ts";

const shell = new Shell();
afterAll(() => shell.close());

const host = (given: Partial<Given>, reply?: Reply) => hostOf(shell, given, reply);

test("stream-json input needs no -p; initialize is answered, and an unknown subtype with an error", async () => {
  const run = await host({ answers: [said("Hello.")] });
  const begun = await run.host.request({ subtype: "initialize" }, "1");
  expect(begun).toMatchObject({ subtype: "success", response: { commands: [], output_style: "default" } });
  const unknown = await run.host.request({ subtype: "dance" }, "2");
  expect(unknown).toMatchObject({ subtype: "error", error: expect.stringContaining("dance") as string });
  const status = await run.host.request({ subtype: "mcp_status" }, "3");
  expect(status["response"]).toEqual({ mcpServers: [] });
  const task = await run.host.request({ subtype: "stop_task", task_id: "none" }, "4");
  expect(task["subtype"]).toBe("error");
  const thinking = (max_thinking_tokens: unknown, id: string): Promise<Line> =>
    run.host.request({ subtype: "set_max_thinking_tokens", max_thinking_tokens }, id);
  expect(await thinking(-1, "5")).toMatchObject({
    subtype: "error",
    error: "max_thinking_tokens must be a number of at least 0 or null, got -1.",
  });
  expect((await thinking(0, "6"))["subtype"]).toBe("success");
  run.host.prompt("hi");
  expect(await run.host.until(isResult)).toMatchObject({ subtype: "success", result: "Hello." });
  expect(run.server.requests[0]?.body).toMatchObject({ thinking: { type: "disabled" } });
  run.host.end();
  expect((await run.ended).code).toBe(0);
});

test("can_use_tool: an answer that is an error or not valid denies the call; a deny rule is never asked about", async () => {
  const answers = [
    uses("Write", { file_path: "one.txt", content: "x" }, "toolu_1"),
    uses("Write", { file_path: "two.txt", content: "x" }, "toolu_2"),
    uses("Write", { file_path: "three.txt", content: "x" }, "toolu_3"),
    uses("Write", { file_path: "four.txt", content: "x" }, "toolu_4"),
    said("Done."),
  ];
  const replies: (Line | Error)[] = [
    new Error("no idea"),
    { behavior: "perhaps" },
    { behavior: "allow", updatedInput: { file_path: "four.txt", content: "x" } },
  ];
  const run = await host(
    { answers, args: ["--permission-prompt-tool=stdio", "--disallowedTools", "Edit(four.txt)"] },
    ({ subtype }) => (subtype === "can_use_tool" ? replies.shift() : {}),
  );
  run.host.prompt("write");
  const result = await run.host.until(isResult);
  run.host.end();
  await run.ended;
  expect(run.host.asked.map(({ tool_use_id }) => tool_use_id)).toEqual(["toolu_1", "toolu_2", "toolu_3"]);
  expect(
    ["one", "two", "three", "four"].map((name) => existsSync(join(shell.root, "project", `${name}.txt`))),
  ).toEqual([false, false, false, false]);
  expect(result["permission_denials"]).toHaveLength(4);
});

test("hook_callback decides, mcp_message carries a server of the host, and a mode that is not allowed is refused", async () => {
  const initialize = {
    subtype: "initialize",
    hooks: { PostToolUse: [{ matcher: "mcp__calc__add", hookCallbackIds: ["after"] }] },
    sdkMcpServers: ["calc"],
  };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "calc", version: "1" },
    },
    "tools/list": { tools: [{ name: "add", description: "Adds.", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "sum 5" }] },
  };
  const reply: Reply = ({ subtype, message }) => {
    if (subtype === "hook_callback")
      return { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "well done" } };
    const { id, method } = message as Line;
    return { mcp_response: { jsonrpc: "2.0", id, result: results[String(method)] ?? {} } };
  };
  const run = await host(
    { answers: [uses("mcp__calc__add", { a: 2 }), said("5")], args: ["--allowedTools", "mcp__calc__add"] },
    reply,
  );
  await run.host.request(initialize, "1");
  for (const mode of ["bypassPermissions", "allow"]) {
    const refused = await run.host.request({ subtype: "set_permission_mode", mode }, mode);
    expect(refused["subtype"]).toBe("error");
  }
  const changed = await run.host.request({ subtype: "set_permission_mode", mode: "plan" }, "3");
  expect(changed["response"]).toEqual({ mode: "plan" });
  await run.host.request({ subtype: "set_permission_mode", mode: "default" }, "4");
  run.host.prompt("add");
  await run.host.until(isResult);
  run.host.end();
  await run.ended;
  expect(run.server.requests[1]?.text).toContain("sum 5");
  expect(run.server.requests[1]?.text).toContain("well done");
  const callback = run.host.asked.find(({ subtype }) => subtype === "hook_callback");
  expect(callback).toMatchObject({ callback_id: "after", tool_use_id: "toolu_1" });
});

test("a question is withdrawn when the turn is interrupted, and the next prompt is answered", async () => {
  const run = await host(
    {
      answers: [uses("Write", { file_path: "x.txt", content: "x" }), said("Next.")],
      args: ["--permission-prompt-tool=stdio"],
    },
    ({ subtype }) => (subtype === "can_use_tool" ? undefined : {}),
  );
  run.host.prompt("write");
  await run.host.until(({ type }) => type === "control_request");
  expect((await run.host.request({ subtype: "interrupt" }, "1"))["response"]).toEqual({ still_queued: [] });
  await run.host.until(({ type }) => type === "control_cancel_request");
  expect(await run.host.until(isResult)).toMatchObject({
    is_error: true,
    errors: [expect.any(String) as string],
  });
  run.host.prompt("again");
  expect(await run.host.until(({ result }) => result === "Next.")).toMatchObject({ subtype: "success" });
  run.host.end();
  await run.ended;
});

test("hooks of files: PermissionRequest answers, CLAUDE_ENV_FILE reaches Bash, the transcript and tool_response have the known form", async () => {
  const allow = JSON.stringify({ hookSpecificOutput: { decision: { behavior: "allow" } } });
  const hook = (command: string): object[] => [{ hooks: [{ type: "command", command }] }];
  const settings = {
    hooks: {
      SessionStart: hook('echo "export FROM_HOOK=yes" >> "$CLAUDE_ENV_FILE"'),
      PermissionRequest: hook(`echo '${allow}'`),
      PostToolUse: hook(`cat > ${shell.root}/post.json`),
      Stop: hook(`cat > ${shell.root}/stop.json`),
    },
  };
  const { code } = await shell.run({
    args: ["-p", "go", "--settings", JSON.stringify(settings)],
    answers: [uses("Bash", { command: 'echo "$FROM_HOOK" > env.txt; cat env.txt' }), said("Done.")],
  });
  const json = (name: string): Line => JSON.parse(readFileSync(join(shell.root, name), "utf8")) as Line;
  expect([code, readFileSync(join(shell.root, "project/env.txt"), "utf8")]).toEqual([0, "yes\n"]);
  expect(json("post.json")["tool_response"]).toMatchObject({ stdout: "yes", stderr: "", interrupted: false });
  const transcript = readFileSync(String(json("stop.json")["transcript_path"]), "utf8")
    .trim()
    .split("\n");
  const lines = transcript.map((line) => JSON.parse(line) as Line);
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(["user", "assistant"]));
  expect(lines.at(-1)).toMatchObject({
    type: "assistant",
    sessionId: json("stop.json")["session_id"],
    parentUuid: lines.at(-2)?.["uuid"],
    message: { role: "assistant", content: [{ type: "text", text: "Done." }] },
  });
});

test("a plan is answered through can_use_tool: revised, then approved with a mode, which is reported", async () => {
  const answers = [
    uses("ExitPlanMode", { plan: "# One" }, "toolu_1"),
    uses("ExitPlanMode", { plan: "# Two" }, "toolu_2"),
    uses("Write", { file_path: "one.txt", content: "x" }, "toolu_3"),
    said("Done."),
  ];
  const reply: Reply = ({ subtype, input }) => {
    if (subtype !== "can_use_tool") return {};
    if ((input as Line)["plan"] === "# One") return { behavior: "deny", message: "Smaller steps." };
    return {
      behavior: "allow",
      updatedInput: { plan: "# Two, by me" },
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    };
  };
  const run = await host(
    { answers, args: ["--permission-prompt-tool", "stdio", "--permission-mode", "plan"] },
    reply,
  );
  run.host.prompt("do it");
  await run.host.until(isResult);
  const asked = run.host.asked.filter(({ subtype }) => subtype === "can_use_tool");
  expect(asked.map(({ tool_name, input }) => [tool_name, input])).toEqual([
    ["ExitPlanMode", { plan: "# One" }],
    ["ExitPlanMode", { plan: "# Two" }],
  ]);
  const modes = run.host.lines.filter(({ subtype }) => subtype === "status");
  expect(modes.map(({ permissionMode }) => permissionMode)).toEqual(["acceptEdits"]);
  const results = JSON.stringify(run.host.lines.filter(({ type }) => type === "user"));
  expect(results).toContain("Smaller steps.");
  expect(results).toContain("# Two, by me");
  run.host.end();
  expect((await run.ended).code).toBe(0);
});

test("the host adds a folder, reads the context, lists commands, and every field of its agents counts", async () => {
  shell.write("project/packages/one/x.txt", "x");
  shell.write("home/.claude/commands/ship.md", "---\ndescription: Ships.\nargument-hint: WHERE\n---\nShip.");
  const agents = {
    careful: {
      description: "Takes care.",
      prompt: "Be careful.\nAlways.",
      tools: ["Read", "Bash"],
      disallowedTools: ["Bash"],
      model: "opus",
      permissionMode: "bypassPermissions",
    },
  };
  const start = uses("Agent", { description: "d", prompt: "look", subagent_type: "careful" });
  const run = await host({ answers: [start, said("Looked."), said("Done.")] });
  const begun = (await run.host.request({ subtype: "initialize", agents }, "1"))["response"] as Line;
  expect(begun["commands"]).toContainEqual({ name: "ship", description: "Ships.", argumentHint: "WHERE" });
  expect(begun["agents"]).toContainEqual(
    expect.objectContaining({ name: "careful", description: "Takes care." }),
  );
  const root = (directory: string, id: string): Promise<Line> =>
    run.host.request({ subtype: "register_repo_root", directory }, id);
  expect((await root("packages/one", "2"))["subtype"]).toBe("success");
  expect(await root("packages/one", "3")).toMatchObject({
    error: expect.stringContaining("is part of the workspace already") as string,
  });
  expect(await root("..", "4")).toMatchObject({
    error: expect.stringContaining("is not below the working directory") as string,
  });
  const usage = (await run.host.request({ subtype: "get_context_usage" }, "5"))["response"] as Line;
  expect(usage).toMatchObject({
    maxTokens: expect.any(Number) as number,
    model: expect.any(String) as string,
  });
  expect(usage["categories"]).toContainEqual(
    expect.objectContaining({ name: "system prompt", kind: "used" }),
  );
  run.host.prompt("go");
  await run.host.until(isResult);
  run.host.end();
  await run.ended;
  const [, ofAgent] = run.server.requests.map(({ text }) => JSON.parse(text) as Line);
  expect(ofAgent?.["model"]).toBe("claude-opus-5");
  expect(JSON.stringify(ofAgent?.["system"])).toContain("Be careful.\\nAlways.");
  expect((ofAgent?.["tools"] as Line[] | undefined)?.map(({ name }) => name)).toEqual(["Read"]);
  expect(
    run.host.lines.some(({ message }) => String(message).includes("bypassPermissions has no effect")),
  ).toBe(true);
});

test("a prompt that the host composed is sent as written: no command and no file in it counts", async () => {
  shell.write("home/.claude/commands/zap.md", "ZAPPED");
  const run = await host({ answers: [said("One."), said("Two.")] });
  const message = { role: "user", content: [{ type: "text", text: "/zap @a.txt" }] };
  run.host.write({ type: "user", message, client_composed: true });
  await run.host.until(({ result }) => result === "One.");
  run.host.write({ type: "user", message });
  await run.host.until(({ result }) => result === "Two.");
  run.host.end();
  await run.ended;
  const prompts = run.server.requests.map(({ body }) =>
    JSON.stringify((body["messages"] as Line[]).at(-1)?.["content"]),
  );
  expect(prompts[0]).toContain('"text":"/zap @a.txt"');
  expect(prompts[0]).not.toContain("hello");
  expect([prompts[1]?.includes("ZAPPED"), prompts[1]?.includes("hello")]).toEqual([true, true]);
});

test("initialize names plugins, with or without their servers, and a plugin without a path is an error", async () => {
  const plugin = (name: string): string => {
    shell.write(`${name}/.claude-plugin/plugin.json`, { name });
    shell.write(`${name}/commands/hello.md`, "Hello.");
    shell.write(`${name}/.mcp.json`, { [name]: { command: "/no/such/program" } });
    return join(shell.root, name);
  };
  const plugins = [
    { type: "local", path: plugin("whole") },
    { type: "local", path: plugin("quiet"), skipMcpDiscovery: true },
  ];
  const run = await host({ answers: [said("Done.")], args: ["--await-initialize"] });
  const begun = await run.host.request({ subtype: "initialize", plugins }, "1");
  expect(begun["response"]).toMatchObject({
    plugins_applied: true,
    commands: expect.arrayContaining(
      ["whole:hello", "quiet:hello"].map((name) => expect.objectContaining({ name }) as object),
    ) as object[],
  });
  const { response } = await run.host.request({ subtype: "mcp_status" }, "2");
  expect(((response as Line)["mcpServers"] as Line[]).map(({ name }) => name)).toEqual([
    "plugin_whole_whole",
  ]);
  run.host.end();
  await run.ended;
  const odd = await host({ answers: [] });
  void odd.host.request({ subtype: "initialize", plugins: [{ type: "local" }] }, "1");
  expect(await odd.host.until(isResult)).toMatchObject({
    errors: [expect.stringContaining("a plugin needs a path") as string],
  });
  odd.host.end();
  await odd.ended;
});

test("--permission-prompts none: nobody is asked, so a call that needs permission does not run", async () => {
  const args = ["--permission-prompt-tool=stdio", "--permission-prompts=none"];
  const run = await host({
    answers: [uses("Write", { file_path: "x.txt", content: "x" }), said("No.")],
    args,
  });
  run.host.prompt("write");
  const result = await run.host.until(isResult);
  run.host.end();
  await run.ended;
  expect([run.host.asked, result["permission_denials"]]).toMatchObject([[], [{ tool_name: "Write" }]]);
});

test("flags of hosts: thinking is turned off, managed settings deny, and a notice names an option without effect", async () => {
  const managed = JSON.stringify({ permissions: { deny: ["Bash(touch:*)"] } });
  const run = await host({
    answers: [uses("Bash", { command: "touch x" }), said("Done.")],
    args: ["--thinking=disabled", "--managed-settings", managed, "--allowedTools=Bash", "--debug"],
  });
  run.host.prompt("go");
  await run.host.until(isResult);
  run.host.end();
  await run.ended;
  expect(run.server.requests[0]?.body).toMatchObject({ thinking: { type: "disabled" } });
  expect(run.server.requests[1]?.text).toContain("denied by the rule Bash(touch:*) (--managed-settings)");
  expect(run.host.lines.find(({ subtype }) => subtype === "notice")).toMatchObject({
    message: expect.stringContaining("debug (--debug) has no effect") as string,
  });
});

test("can_use_tool names the sub-agent and the MCP server of a call, and a change of rules that is not applied is reported", async () => {
  const agents = { worker: { description: "Works.", prompt: "You work." } };
  const task = { description: "d", prompt: "write", subagent_type: "worker" };
  const updatedPermissions = [{ type: "addDirectories", directories: ["/tmp"], destination: "session" }];
  const run = await host(
    {
      answers: [
        uses("Agent", task, "toolu_1"),
        uses("Write", { file_path: "of-agent.txt", content: "x" }, "toolu_2"),
        said("Written."),
        said("Done."),
      ],
      args: ["--permission-prompt-tool=stdio", "--allowedTools=Agent"],
    },
    ({ subtype, input }) =>
      subtype === "can_use_tool" ? { behavior: "allow", updatedInput: input, updatedPermissions } : {},
  );
  await run.host.request({ subtype: "initialize", agents }, "1");
  run.host.prompt("go");
  await run.host.until(isResult);
  run.host.end();
  await run.ended;
  expect(run.host.asked.find(({ subtype }) => subtype === "can_use_tool")).toMatchObject({
    tool_name: "Write",
    agent_id: "agent-1",
  });
  const notices = run.host.lines.filter(({ subtype }) => subtype === "notice").map(({ message }) => message);
  expect(notices.join()).toContain("canUseTool: updatedPermissions: addDirectories has no effect");
});
