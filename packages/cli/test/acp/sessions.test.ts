import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RequestError } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { startHttp } from "../../../mcp/test/support/mcp-world.ts";
import { textBlock } from "../../../agent/test/support/responses.ts";
import { running } from "../repl/terminal.ts";
import { begin } from "./begin.ts";
import { Editor, choose, newFolder } from "./editor.ts";

const SERVER = fileURLToPath(new URL("../../../mcp/test/mcp/misbehaving-server.mjs", import.meta.url));

test("a session is listed, loaded with its whole history, and continued by another program", async () => {
  const { editor, model } = await begin({ answer: choose("once") });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "read\n it");
  (await model.asked()).calls(["Read", { file_path: "a.txt" }], ["Read", { file_path: "none.txt" }]);
  (await model.asked()).calls(["TaskCreate", { subject: "Look", description: "" }]);
  (await model.asked()).says("It says hello.");
  await answer;
  expect(await editor.leave()).toBe(0);

  const { editor: other, model: second } = await begin({ folder: editor.folder });
  const cwd = other.project;
  expect(await other.agent.request("session/list", { cwd })).toEqual({
    sessions: [{ sessionId, cwd, title: "read it", updatedAt: expect.any(String) as string }],
  });
  const { modes } = await other.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(modes?.currentModeId).toBe("default");
  const reported = other.updates.map((update) => ({ ...update }));
  expect(reported).toEqual([
    { sessionId, sessionUpdate: "user_message_chunk", content: { type: "text", text: "read\n it" } },
    expect.objectContaining({
      sessionUpdate: "tool_call",
      title: "Read a.txt",
      kind: "read",
      status: "completed",
      locations: [{ path: join(cwd, "a.txt") }],
      rawInput: { file_path: "a.txt" },
      content: [
        { type: "content", content: { type: "text", text: expect.stringContaining("hello") as string } },
      ],
    }),
    expect.objectContaining({ sessionUpdate: "tool_call", title: "Read none.txt", status: "failed" }),
    expect.objectContaining({ sessionUpdate: "tool_call", title: "TaskCreate Look", status: "completed" }),
    { sessionId, sessionUpdate: "agent_message_chunk", content: { type: "text", text: "It says hello." } },
    {
      sessionId,
      sessionUpdate: "plan",
      entries: [{ content: "Look", priority: "medium", status: "pending" }],
    },
  ]);
  const again = other.say(sessionId, "and now?");
  (await second.asked()).says("Now too.");
  expect(await again).toBe("end_turn");
  expect((JSON.parse(second.requests[0] ?? "") as { messages: unknown[] }).messages).toHaveLength(8);

  // Opened here already: once more, without what was said.
  const count = other.updates.length;
  await other.agent.request("session/resume", { sessionId, cwd });
  expect(other.updates.length).toBe(count);
  await other.agent.request("session/close", { sessionId });
  await expect(other.say(sessionId, "closed")).rejects.toThrow(sessionId);
});

test("errors of a session are reported: its folder, its id, a missing key", async () => {
  const { editor } = await begin();
  await expect(editor.newSession("project")).rejects.toThrow("must be an absolute path");
  await expect(editor.newSession(join(editor.folder, "nowhere"))).rejects.toThrow("folder not found");
  await expect(editor.newSession(join(editor.project, "a.txt"))).rejects.toThrow("folder not found");
  const server = { name: "one", command: "true", args: [], env: [] };
  await expect(editor.newSession(editor.project, [server, server])).rejects.toThrow(
    'two MCP servers are named "one"',
  );
  const cwd = editor.project;
  const unknown = { sessionId: "nobody", cwd, mcpServers: [] };
  await expect(editor.agent.request("session/load", unknown)).rejects.toThrow('No session "nobody"');
  await expect(editor.say("nobody", "hello")).rejects.toThrow("nobody");
  await expect(
    editor.agent.request("session/set_mode", { sessionId: "nobody", modeId: "plan" }),
  ).rejects.toThrow();
  await expect(editor.agent.request("session/list", { cwd, cursor: "x" })).rejects.toThrow("cursor");

  const keyless = await Editor.open();
  onTestFinished(() => keyless.end());
  await expect(keyless.newSession()).rejects.toThrow("ANTHROPIC_API_KEY");
});

test("a prompt can contain links, embedded files and images; other data is refused", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const answer = editor.prompt(
    sessionId,
    { type: "text", text: "look" },
    { type: "resource_link", name: "a.txt", uri: `file://${editor.project}/a.txt` },
    { type: "resource", resource: { uri: "file:///x/b%20c.ts#L3", text: "let b;" } },
    { type: "image", mimeType: "image/png", data: "AAAA" },
  );
  (await model.asked()).says("Seen.");
  expect(await answer).toBe("end_turn");
  const { messages } = JSON.parse(model.requests[0] ?? "") as { messages: { content: object[] }[] };
  expect(messages.at(-1)?.content).toMatchObject([
    { type: "text", text: "look" },
    { type: "text", text: `[a.txt: ${editor.project}/a.txt]` },
    { type: "text", text: '<attached from="/x/b c.ts#L3">\nlet b;\n</attached>' },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  ]);
  await expect(editor.prompt(sessionId)).rejects.toThrow("empty");
  await expect(
    editor.prompt(sessionId, { type: "audio", data: "AAAA", mimeType: "audio/wav" }),
  ).rejects.toThrow('"audio"');
  await expect(
    editor.prompt(sessionId, { type: "image", mimeType: "image/tiff", data: "AAAA" }),
  ).rejects.toThrow("image/tiff");
});

test("the client's MCP servers are connected, by pipe and by HTTP, and end with the session", async () => {
  const http = await startHttp();
  onTestFinished(() => http.end());
  const { editor, model } = await begin({ answer: choose("once") });
  const headers = [{ name: "X-Key", value: "secret" }];
  const mark = `--mark=${editor.folder}`;
  const { sessionId } = await editor.newSession(editor.project, [
    { name: "one", command: process.execPath, args: [SERVER, "stdio", "well", mark], env: [] },
    { type: "http", name: "two", url: `http://127.0.0.1:${http.port}/mcp`, headers },
  ]);
  const answer = editor.say(sessionId, "echo");
  (await model.asked()).calls(
    ["mcp__one__echo", { text: "by pipe" }],
    ["mcp__two__echo", { text: "by HTTP" }],
  );
  (await model.asked()).says("Done.");
  expect(await answer).toBe("end_turn");
  expect(running(mark).length).toBe(1);
  const ended = editor.updates.flatMap((update) =>
    update.sessionUpdate === "tool_call_update" && update.status === "completed"
      ? [JSON.stringify(update)]
      : [],
  );
  expect(new Set(ended.map((text) => /by pipe|by HTTP/.exec(text)?.[0]))).toEqual(
    new Set(["by pipe", "by HTTP"]),
  );
  await editor.agent.request("session/close", { sessionId });
  expect(running(mark)).toEqual([]);
});

test("the answer to a question can add a rule for the session or always, and its name shows the rule", async () => {
  const { editor, model } = await begin({ answer: choose("session") });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "make it twice");
  (await model.asked()).calls(["Bash", { command: "touch made" }]);
  (await model.asked()).calls(["Bash", { command: "touch made" }]);
  (await model.asked()).says("Made.");
  expect(await answer).toBe("end_turn");
  expect(editor.questions.length).toBe(1);
  expect(editor.questions[0]?.options).toEqual([
    { optionId: "once", kind: "allow_once", name: "Allow once" },
    ...[
      ["session", "Allow exactly this command, for this session: Bash(touch made)"],
      ["always", "Allow exactly this command, always: Bash(touch made)"],
      ["session-2", "Allow every `touch …` command, for this session: Bash(touch:*)"],
      ["always-2", "Allow every `touch …` command, always: Bash(touch:*)"],
    ].map(([optionId, name]) => ({ optionId, kind: "allow_always", name })),
    { optionId: "no", kind: "reject_once", name: "Reject and end the turn" },
  ]);
});

test("the editor's choice decides which rule is added", async () => {
  const { editor, model } = await begin({ answer: choose("session-2") });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "make them");
  (await model.asked()).calls(["Bash", { command: "touch one" }]);
  (await model.asked()).calls(["Bash", { command: "touch two" }]);
  (await model.asked()).says("Made.");
  expect(await answer).toBe("end_turn");
  expect(editor.questions.length).toBe(1);
});

test("after an unknown answer or an error, the call does not run", async () => {
  const unknown = choose("everything");
  for (const answer of [unknown, () => Promise.reject(new RequestError(-32_000, "broken"))]) {
    const { editor, model } = await begin({ answer });
    const { sessionId } = await editor.newSession();
    const said = editor.say(sessionId, "make");
    (await model.asked()).calls(["Bash", { command: "touch made" }]);
    expect(await said).toBe("end_turn");
    if (answer !== unknown)
      expect(editor.text("agent_message_chunk")).toContain("so the call was not run: broken");
    const { toolCallId = "" } = editor.questions[0]?.toolCall ?? {};
    expect(editor.callUpdates(toolCallId).at(-1)?.status).toBe("failed");
  }
});

test("a sub-agent's calls and questions carry its name (H10)", async () => {
  const known: (string | null | undefined)[] = [];
  const { editor, model } = await begin({
    answer: (request) => {
      known.push(editor.callUpdates(request.toolCall.toolCallId).at(-1)?.title);
      return choose("once")(request);
    },
  });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "delegate");
  (await model.asked()).calls(["Agent", { description: "make it", prompt: "make" }]);
  (await model.asked()).calls(["Bash", { command: "touch made" }]);
  (await model.asked()).says("Made.");
  (await model.asked()).says("All done.");
  expect(await answer).toBe("end_turn");
  // Launching the sub-agent is not asked about.
  const [toolCall, ...others] = editor.questions.map((question) => question.toolCall);
  expect([toolCall?.title, others]).toEqual(["general-purpose (agent-1): $ touch made", []]);
  // By the time of the question, its call was known.
  expect(known).toEqual([toolCall?.title]);
  const reported = editor.callUpdates(toolCall?.toolCallId ?? "");
  expect(reported.map(({ title, status }) => [title, status])).toEqual([
    ["general-purpose (agent-1): Bash", "pending"],
    ["general-purpose (agent-1): $ touch made", undefined],
    [undefined, "in_progress"],
    [undefined, "completed"],
  ]);
  expect(editor.text("agent_message_chunk")).toBe("All done.");
});

test("stop reasons: a refusal, and responses that are cut off again and again", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const refused = editor.say(sessionId, "bad");
  (await model.asked()).ends("refusal");
  expect(await refused).toBe("refusal");
  const cut = editor.say(sessionId, "long");
  for (let time = 0; time < 4; time++) {
    const asked = await model.asked();
    asked.send(...textBlock(0, "and "));
    asked.ends("max_tokens");
  }
  expect(await cut).toBe("max_tokens");
});

test("a recording is played in each session from its beginning, and a failure is an error with a message", async () => {
  const folder = newFolder();
  const file = join(folder, "recording.json");
  const events = [
    { type: "message-started", id: "m", model: "recorded" },
    { type: "text", text: "As recorded." },
    { type: "block", block: { type: "text", text: "As recorded." } },
    { type: "stopped", reason: "end_turn", detail: "" },
  ];
  writeFileSync(file, JSON.stringify([events.map((event) => ({ at: 0, event }))]));
  const editor = await Editor.open({ folder, args: ["--replay", file] });
  onTestFinished(() => editor.end());
  for (let time = 0; time < 2; time++) {
    const { sessionId } = await editor.newSession();
    expect(await editor.say(sessionId, "hello")).toBe("end_turn");
    expect(editor.text("agent_message_chunk", sessionId)).toBe("As recorded.");
    await expect(editor.say(sessionId, "and?")).rejects.toThrow("The recording has only 1");
  }
});
