import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { thinkingBlock, textBlock } from "../../../agent/test/support/responses.ts";
import { callEvents } from "../repl/answers.ts";
import { running } from "../repl/terminal.ts";
import { begin } from "./begin.ts";
import { choose } from "./editor.ts";

test("initialize returns the version, the name and the capabilities", async () => {
  const { editor } = await begin();
  const initialized = await editor.agent.request("initialize", { protocolVersion: 7 });
  expect(initialized).toEqual({
    protocolVersion: 1,
    agentInfo: { name: "runahead", title: "Runahead", version: expect.stringMatching(/^\d+\.\d+/) as string },
    authMethods: [],
    agentCapabilities: expect.objectContaining({
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
    }) as object,
  });
  expect(await editor.leave()).toBe(0);
});

test("a prompt is answered in chunks of thought and text, before the stop reason", async () => {
  const { editor, model } = await begin();
  const { sessionId, modes } = await editor.newSession();
  expect(modes).toMatchObject({ currentModeId: "default" });
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(["default", "acceptEdits", "plan", "auto"]);
  const answer = editor.say(sessionId, "hello");
  const asked = await model.asked();
  asked.send(...thinkingBlock(0, "Hm.", "sig"), ...textBlock(1, "Good ", "day."));
  asked.ends("end_turn");
  expect(await answer).toBe("end_turn");
  expect([editor.text("agent_thought_chunk"), editor.text("agent_message_chunk")]).toEqual([
    "Hm.",
    "Good day.",
  ]);
});

test("a call is reported as soon as its name is known: pending, title and location, in progress, completed", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "read it");
  const first = await model.asked();
  const [start, delta, stop] = callEvents(0, "Read", { file_path: "a.txt", offset: 2 });
  const { id } = (start as { content_block: { id: string } }).content_block;
  first.send(start as object);
  await editor.sees(() => editor.callUpdates(id).length === 1);
  first.send(delta as object, stop as object);
  await editor.sees(() => editor.callUpdates(id).at(-1)?.status === "completed");
  first.ends("tool_use");
  (await model.asked()).says("Read.");
  expect(await answer).toBe("end_turn");
  expect(editor.callUpdates(id)).toEqual([
    { sessionId, sessionUpdate: "tool_call", toolCallId: id, title: "Read", kind: "read", status: "pending" },
    {
      sessionId,
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      title: "Read a.txt from line 2",
      locations: [{ path: join(editor.project, "a.txt"), line: 2 }],
      rawInput: { file_path: "a.txt", offset: 2 },
    },
    { sessionId, sessionUpdate: "tool_call_update", toolCallId: id, status: "in_progress" },
    {
      sessionId,
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      status: "completed",
      content: [
        { type: "content", content: { type: "text", text: expect.stringContaining("world") as string } },
      ],
    },
  ]);
});

test("an edit is asked about with its diff, and settles with the diff of what it did", async () => {
  const { editor, model } = await begin({ answer: choose("once") });
  const { sessionId } = await editor.newSession();
  const path = join(editor.project, "a.txt");
  const answer = editor.say(sessionId, "edit it");
  (await model.asked()).calls(["Read", { file_path: "a.txt" }]);
  (await model.asked()).calls(["Edit", { file_path: "a.txt", old_string: "hello", new_string: "bye" }]);
  (await model.asked()).calls(["Write", { file_path: "new.txt", content: "one\ntwo" }]);
  (await model.asked()).says("Done.");
  expect(await answer).toBe("end_turn");
  const [edit, write] = editor.questions;
  expect(edit?.toolCall).toMatchObject({
    title: "Edit a.txt",
    kind: "edit",
    status: "pending",
    locations: [{ path }],
    content: [
      { type: "diff", path, oldText: "hello", newText: "bye" },
      { type: "content", content: { type: "text" } },
    ],
  });
  expect(write?.toolCall.content?.[0]).toEqual({
    type: "diff",
    path: join(editor.project, "new.txt"),
    oldText: null,
    newText: "one\ntwo",
  });
  expect(editor.callUpdates(edit?.toolCall.toolCallId ?? "").at(-1)).toMatchObject({
    status: "completed",
    content: [{ type: "diff", path, oldText: "hello\nworld\n", newText: "bye\nworld\n" }],
    locations: [{ path, line: 1 }],
  });
  expect(editor.callUpdates(write?.toolCall.toolCallId ?? "").at(-1)?.content).toEqual([
    { type: "diff", path: join(editor.project, "new.txt"), oldText: null, newText: "one\ntwo" },
  ]);
  expect(readFileSync(path, "utf8")).toBe("bye\nworld\n");
});

test("live output of a command is content, without control sequences (I06)", async () => {
  const known: unknown[] = [];
  const { editor, model } = await begin({
    answer: (request) => {
      known.push(editor.callUpdates(request.toolCall.toolCallId).at(-1)?.title);
      return choose("once")(request);
    },
  });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "run it");
  const command =
    "printf '\\033[31mfirst\\033[0m\\n'; while [ ! -e go ]; do sleep 0.05; done; touch done; echo second";
  const [start, ...rest] = callEvents(0, "Bash", { command, description: "Says hello" });
  const asked = await model.asked();
  asked.send(start as object);
  await editor.sees(() => editor.updates.length === 1);
  asked.send(...rest);
  asked.ends("tool_use");
  const live = (): string => JSON.stringify(editor.updates);
  await editor.sees(() => live().includes("```\\nfirst\\n```"));
  const { toolCallId = "" } = editor.questions[0]?.toolCall ?? {};
  expect(editor.questions[0]?.toolCall.content?.[0]).toMatchObject({
    content: { text: expect.stringContaining(command) as string },
  });
  expect(editor.callUpdates(toolCallId).at(-1)?.status).toBeUndefined();
  writeFileSync(join(editor.project, "go"), "");
  (await model.asked()).says("Done.");
  expect(await answer).toBe("end_turn");
  expect(editor.callUpdates(toolCallId).map(({ title }) => title)).toContain(
    editor.questions[0]?.toolCall.title,
  );
  // By the time of the question, its call was known.
  expect(known).toEqual([editor.questions[0]?.toolCall.title]);
  expect(known[0]).toContain("printf");
  expect(JSON.stringify(editor.callUpdates(toolCallId).at(-1))).toContain("first\\nsecond");
  expect(live()).not.toContain("\\u001b");
});

test("the task list is the plan", async () => {
  const { editor, model } = await begin({ answer: choose("once") });
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "plan");
  (await model.asked()).calls(
    ["TaskCreate", { subject: "Look", description: "" }],
    ["TaskCreate", { subject: "Fix it", description: "" }],
    ["TaskUpdate", { id: "1", status: "in_progress" }],
  );
  (await model.asked()).says("Planned.");
  expect(await answer).toBe("end_turn");
  const plans = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "plan");
  expect(plans.at(-1)).toEqual({
    sessionId,
    sessionUpdate: "plan",
    entries: [
      { content: "Look", priority: "medium", status: "in_progress" },
      { content: "Fix it", priority: "medium", status: "pending" },
    ],
  });
});

test("the mode decides, is reported when it changes, and bypassing cannot be chosen", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const setMode = (modeId: string) => editor.agent.request("session/set_mode", { sessionId, modeId });
  await expect(setMode("bypassPermissions")).rejects.toThrow("Available: default, acceptEdits, plan");
  await setMode("acceptEdits");
  const answer = editor.say(sessionId, "write");
  (await model.asked()).calls(["Write", { file_path: "b.txt", content: "x" }]);
  (await model.asked()).says("Done.");
  expect(await answer).toBe("end_turn");
  expect(editor.questions).toEqual([]);
  expect(readFileSync(join(editor.project, "b.txt"), "utf8")).toBe("x");
  expect(editor.updates[0]).toEqual({
    sessionId,
    sessionUpdate: "current_mode_update",
    currentModeId: "acceptEdits",
  });
});

test("if a settings file cannot be read, modes that grant more are refused", async () => {
  const { editor } = await begin();
  mkdirSync(join(editor.project, ".claude"));
  writeFileSync(join(editor.project, ".claude", "settings.json"), "{");
  const { sessionId } = await editor.newSession();
  const setMode = (modeId: string) => editor.agent.request("session/set_mode", { sessionId, modeId });
  await expect(setMode("acceptEdits")).rejects.toThrow("a settings file cannot be read");
  await setMode("plan");
  expect(editor.updates).toMatchObject([{ sessionUpdate: "current_mode_update", currentModeId: "plan" }]);
});

test("a mode that the program was started in is offered", async () => {
  const { editor } = await begin({
    args: ["--permission-mode", "bypassPermissions"],
    env: { RUNAHEAD_ALLOW_ROOT_BYPASS: "1" },
  });
  const { modes } = await editor.newSession();
  expect(modes?.currentModeId).toBe("bypassPermissions");
  expect(modes?.availableModes.map(({ id }) => id)).toContain("bypassPermissions");
});

test("an untrusted folder is reported once and grants nothing unless --trust is set", async () => {
  const { editor, model } = await begin({ answer: choose("no") });
  mkdirSync(join(editor.project, ".claude"));
  writeFileSync(
    join(editor.project, ".claude", "settings.json"),
    JSON.stringify({ permissions: { allow: ["Bash(touch:*)"] } }),
  );
  const { sessionId } = await editor.newSession();
  const answer = editor.say(sessionId, "touch");
  (await model.asked()).calls(["Bash", { command: "touch made" }]);
  expect(await answer).toBe("end_turn");
  expect(editor.questions.length).toBe(1);
  const said = editor.say(sessionId, "again");
  (await model.asked()).says("Well.");
  await said;
  expect(editor.text("agent_message_chunk").split("This folder is not trusted").length).toBe(2);
  const { editor: trusting, model: second } = await begin({ args: ["--trust"], folder: editor.folder });
  const other = await trusting.newSession();
  const ran = trusting.say(other.sessionId, "touch");
  (await second.asked()).calls(["Bash", { command: "touch made" }]);
  (await second.asked()).says("Made.");
  expect([await ran, trusting.questions, trusting.text("agent_message_chunk")]).toEqual([
    "end_turn",
    [],
    "Made.",
  ]);
});

test("a client that knows notices gets them as notices", async () => {
  const { editor, model } = await begin({ capabilities: { session: { notices: {} } } });
  writeFileSync(join(editor.project, ".mcp.json"), '{"mcpServers": {"odd": {"command": "odd"}}}');
  const { sessionId } = await editor.newSession();
  const said = editor.say(sessionId, "hello");
  (await model.asked()).says("Hello.");
  expect(await said).toBe("end_turn");
  expect(editor.text("agent_message_chunk")).toBe("Hello.");
  expect(editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "notice")).toContainEqual(
    expect.objectContaining({ severity: "warning", title: expect.stringContaining("not trusted") as string }),
  );
});

test("two sessions run at once, each in its folder", async () => {
  const { editor, model } = await begin();
  const other = join(editor.folder, "other");
  mkdirSync(join(other, ".git"), { recursive: true });
  writeFileSync(join(other, "a.txt"), "of the other\n");
  const [one, two] = [await editor.newSession(), await editor.newSession(other)];
  const answers = [editor.say(one.sessionId, "read"), editor.say(two.sessionId, "read")];
  const asked = [await model.asked(), await model.asked()];
  for (const each of asked) each.calls(["Read", { file_path: "a.txt" }]);
  for (const each of [await model.asked(), await model.asked()]) each.says("Read.");
  expect(await Promise.all(answers)).toEqual(["end_turn", "end_turn"]);
  const textsOf = (id: string): string =>
    JSON.stringify(editor.updates.filter(({ sessionId }) => sessionId === id));
  expect([textsOf(one.sessionId).includes("hello"), textsOf(one.sessionId).includes("of the other")]).toEqual(
    [true, false],
  );
  expect([textsOf(two.sessionId).includes("hello"), textsOf(two.sessionId).includes("of the other")]).toEqual(
    [false, true],
  );
  expect(await editor.leave()).toBe(0);
  expect(running(editor.folder)).toEqual([]);
});

test("a prompt that is sent while another is answered goes with its results, and both end together", async () => {
  const { editor, model } = await begin();
  const { sessionId } = await editor.newSession();
  const first = editor.say(sessionId, "read");
  const asked = await model.asked();
  const second = editor.say(sessionId, "and be quick");
  await editor.agent.request("session/set_mode", { sessionId, modeId: "default" });
  asked.calls(["Read", { file_path: "a.txt" }]);
  (await model.asked()).says("Read, quickly.");
  expect(await Promise.all([first, second])).toEqual(["end_turn", "end_turn"]);
  expect(model.requests[1]).toContain("and be quick");
});

test("a plan is shown as markdown, and the chosen option approves it and sets the mode", async () => {
  const { editor, model } = await begin({ answer: choose("acceptEdits") });
  const { sessionId } = await editor.newSession();
  await editor.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  const answer = editor.say(sessionId, "plan it");
  (await model.asked()).calls(["ExitPlanMode", { plan: "# Rename it" }]);
  (await model.asked()).says("Started.");
  expect(await answer).toBe("end_turn");
  const [question] = editor.questions;
  expect(question?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
    ["acceptEdits", "allow_always"],
    ["default", "allow_once"],
    ["no", "reject_once"],
  ]);
  expect(question?.toolCall).toMatchObject({ kind: "switch_mode", title: "Present the plan: Rename it" });
  expect(JSON.stringify(question?.toolCall.content)).toContain('"text":"# Rename it"');
  const modes = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "current_mode_update");
  expect(modes.at(-1)).toMatchObject({ currentModeId: "acceptEdits" });
});
