import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { sessions } from "@runahead/harness";
import { checkHistory } from "../../../engine/src/history/history.ts";
import { modelServer, sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { runMain } from "../support/run-main.ts";

let root = "";
let project = "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-import-")));
  project = join(root, "project");
  mkdirSync(project);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const CLAUDE_ID = "3f2b8c1e-5a4d-4c3b-9e2f-1a2b3c4d5e6f";
const CODEX_ID = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const SIGNATURE = "EqQBCkYIBBgCKkBvP1Jn".repeat(8);
const PICTURE = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };

function write(path: string, lines: readonly (object | string)[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  return path;
}

/** Lines of Claude Code: each has an id and names the line before it. */
class ClaudeFile {
  readonly lines: (object | string)[] = [];
  #last: string | null = null;
  #count = 0;

  add(type: string, members: object, parent: string | null = this.#last): string {
    const uuid = `u${++this.#count}`;
    const common = {
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: project,
      sessionId: CLAUDE_ID,
      version: "2.1.240",
      gitBranch: "main",
      uuid,
      timestamp: `2026-10-01T10:00:${String(this.#count).padStart(2, "0")}.000Z`,
    };
    this.lines.push({ ...common, type, ...members });
    this.#last = uuid;
    return uuid;
  }

  user(content: unknown, more: object = {}, parent?: string | null): string {
    return this.add("user", { message: { role: "user", content }, ...more }, parent);
  }

  assistant(id: string, block: object, parent?: string | null): string {
    const message = { id, type: "message", role: "assistant", model: "claude-sonnet-4-6", content: [block] };
    return this.add("assistant", { message, requestId: "req_1" }, parent);
  }

  save(): string {
    return write(join(root, "home/.claude/projects/-repo", `${CLAUDE_ID}.jsonl`), this.lines);
  }
}

const text = (said: string): object => ({ type: "text", text: said });
const call = (id: string, command: string): object => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: { command },
});
const result = (id: string, content: unknown): object => ({ type: "tool_result", tool_use_id: id, content });

async function messagesOf(id: string) {
  const session = await sessions({ home: join(root, "home/.runahead"), cwd: project }).resume(id);
  const { messages, prompts } = session;
  await session.close();
  return { messages, prompts: prompts.length };
}

function claudeFile(): ClaudeFile {
  const file = new ClaudeFile();
  file.lines.push({ type: "file-history-snapshot", messageId: "m", snapshot: {} });
  file.user("Find the slow test", { promptId: "p" });
  file.assistant("msg_1", { type: "thinking", thinking: "Let me look.", signature: SIGNATURE });
  file.assistant("msg_1", { type: "thinking", thinking: "Unsigned.", signature: "" });
  file.assistant("msg_1", text("I look at two places."));
  const one = file.assistant("msg_1", call("toolu_1", "ls"));
  const two = file.assistant("msg_1", call("toolu_2", "cat pic.png"));
  // Results of parallel calls hang on the line of their call.
  file.user([result("toolu_1", "a.test.ts")], { toolUseResult: { stdout: "a.test.ts" } }, one);
  file.user([result("toolu_2", [PICTURE])], {}, two);
  file.lines.push("{ this line was cut");
  file.add("assistant", {
    isSidechain: true,
    message: { id: "s", role: "assistant", content: [text("sub")] },
  });
  return file;
}

test("a session of Claude Code is listed and taken over, with parallel calls, images and thinking", async () => {
  const file = claudeFile();
  const end = file.assistant("msg_2", text("It is a.test.ts."), "u8");
  // A prompt that was rewound is a branch that leads nowhere.
  file.user("Delete it", {}, end);
  file.assistant("msg_3", text("Deleted."));
  file.user("Make it faster", {}, end);
  file.assistant("msg_4", call("toolu_3", "vitest"));
  file.lines.push({ type: "ai-title", aiTitle: "Speed up a test", sessionId: CLAUDE_ID });
  const path = file.save();
  const before = readFileSync(path, "utf8");

  const listed = await runMain(root, ["import", "--list", "--json"]);
  expect(JSON.parse(listed.out)).toMatchObject([
    { from: "claude", id: CLAUDE_ID, path, cwd: project, title: "Speed up a test", sizeBytes: before.length },
  ]);
  const ran = await runMain(root, ["import", CLAUDE_ID, "--json"]);
  const { imported } = JSON.parse(ran.out) as { imported: { id: string; notes: string[] }[] };
  expect(imported).toMatchObject([
    { id: CLAUDE_ID, prompts: 2, isKnown: false, skipped: [{ line: 10, why: "it is not a JSON object" }] },
  ]);
  const { messages, prompts } = await messagesOf(CLAUDE_ID);
  expect(checkHistory(messages)).toEqual([]);
  expect(prompts).toBe(2);
  expect(messages.slice(0, 5)).toEqual([
    { role: "user", content: [text("Find the slow test")] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me look.", signature: SIGNATURE },
        text("I look at two places."),
        call("toolu_1", "ls"),
        call("toolu_2", "cat pic.png"),
      ],
    },
    { role: "user", content: [result("toolu_1", "a.test.ts"), result("toolu_2", [PICTURE])] },
    { role: "assistant", content: [text("It is a.test.ts.")] },
    { role: "user", content: [text("Make it faster")] },
  ]);
  expect(JSON.stringify(messages)).not.toMatch(/Delete|"sub"|Unsigned/);
  // The call that was cut off got a result.
  expect(JSON.stringify(messages.at(-1))).toContain("Outcome unknown");
  expect(readFileSync(path, "utf8")).toBe(before);
  const again = await runMain(root, ["import", path]);
  expect(again.out).toContain(`Already imported: ${CLAUDE_ID}`);
});

test("only what follows the last compaction of Claude Code is taken over", async () => {
  const file = claudeFile();
  file.add(
    "system",
    { subtype: "compact_boundary", content: "Conversation compacted", logicalParentUuid: "u8" },
    null,
  );
  file.user("This session is being continued. Summary: found a.test.ts", {
    isCompactSummary: true,
    isVisibleInTranscriptOnly: false,
  });
  file.user("Go on");
  file.add("assistant", {
    isApiErrorMessage: true,
    message: { id: "x", model: "<synthetic>", role: "assistant", content: [text("API Error")] },
  });
  file.assistant("msg_9", text("Going on."));
  file.save();
  expect((await runMain(root, ["import", CLAUDE_ID.slice(0, 8)])).code).toBe(0);
  expect(await messagesOf(CLAUDE_ID)).toEqual({
    messages: [
      { role: "user", content: [text("This session is being continued. Summary: found a.test.ts")] },
      { role: "user", content: [text("Go on")] },
      { role: "assistant", content: [text("Going on.")] },
    ],
    prompts: 1,
  });
});

test("a line that names a lost line continues the message before it", async () => {
  const file = new ClaudeFile();
  file.user("One");
  file.assistant("msg_1", text("Two"));
  file.user("Three", {}, "lost");
  file.save();
  const ran = await runMain(root, ["import", CLAUDE_ID]);
  expect(ran.out).toContain("line 3 was skipped: the line before it in the conversation is missing");
  expect((await messagesOf(CLAUDE_ID)).messages).toHaveLength(3);
});

function codexLine(type: string, payload: object): object {
  return { timestamp: "2026-10-02T09:00:00.000Z", type, payload };
}
const item = (payload: object): object => codexLine("response_item", payload);
const message = (role: string, kind: string, said: string): object =>
  item({ type: "message", role, content: [{ type: kind, text: said }] });

function codexFile(more: readonly (object | string)[]): string {
  const meta = {
    id: CODEX_ID,
    timestamp: "2026-10-02T08:59:00.000Z",
    cwd: project,
    originator: "codex_cli_rs",
  };
  return write(
    join(root, "home/.codex/sessions/2026/10/02", `rollout-2026-10-02T08-59-00-${CODEX_ID}.jsonl`),
    [
      codexLine("session_meta", meta),
      message("developer", "input_text", "<permissions>"),
      message("user", "input_text", `<environment_context><cwd>${project}</cwd></environment_context>`),
      codexLine("turn_context", { cwd: project, model: "gpt-5" }),
      ...more,
    ],
  );
}

const CODEX_TURN = [
  item({
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: "What is in the folder?" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ],
  }),
  codexLine("event_msg", { type: "user_message", message: "What is in the folder?" }),
  item({ type: "reasoning", summary: [], encrypted_content: "gAAAA" }),
  message("assistant", "output_text", "I list it."),
  item({
    type: "function_call",
    name: "shell",
    arguments: '{"command":["bash","-lc","ls"]}',
    call_id: "call_1",
  }),
  item({ type: "function_call", name: "shell", arguments: "{broken", call_id: "call_2" }),
  item({ type: "function_call_output", call_id: "call_2", output: "failed" }),
  item({
    type: "function_call_output",
    call_id: "call_1",
    output: '{"output":"a.ts\\n","metadata":{"exit_code":0}}',
  }),
  "not json",
  message("assistant", "output_text", "There is a.ts."),
];

test("a session of Codex is taken over: commands, images, no reasoning, results in the order of the calls", async () => {
  const path = codexFile(CODEX_TURN);
  const before = readFileSync(path, "utf8");
  const listed = await runMain(root, ["import"]);
  expect(listed.out).toContain(`${CODEX_ID}  codex`);
  expect(listed.out).toContain("What is in the folder?");
  const ran = await runMain(root, ["import", CODEX_ID, "--from", "codex"]);
  expect(ran.out).toContain("line 13 was skipped");
  const { messages, prompts } = await messagesOf(CODEX_ID);
  expect(prompts).toBe(1);
  expect(messages).toEqual([
    { role: "user", content: [text("What is in the folder?"), PICTURE] },
    {
      role: "assistant",
      content: [
        text("I list it."),
        call("call_1", "ls"),
        { type: "tool_use", id: "call_2", name: "shell", input: { arguments: "{broken" } },
      ],
    },
    { role: "user", content: [result("call_1", "a.ts\n"), result("call_2", "failed")] },
    { role: "assistant", content: [text("There is a.ts.")] },
  ]);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("compaction and undone turns of Codex are honoured", async () => {
  codexFile([
    ...CODEX_TURN,
    codexLine("compacted", { message: "The folder has a.ts." }),
    message("user", "input_text", "Rename it"),
    message("assistant", "output_text", "Renamed."),
    message("user", "input_text", "Delete it"),
    message("assistant", "output_text", "Deleted."),
    codexLine("event_msg", { type: "thread_rolled_back", num_turns: 1 }),
  ]);
  await runMain(root, ["import", "--all"]);
  const { messages } = await messagesOf(CODEX_ID);
  expect(JSON.stringify(messages)).toContain("The folder has a.ts.");
  expect(JSON.stringify(messages)).not.toMatch(/I list it|Delete/);
  expect(messages.map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
});

test("a session is continued with the next prompt, and listed with the others", async () => {
  codexFile(CODEX_TURN);
  await runMain(root, ["import", CODEX_ID]);
  const server = await modelServer({
    pieces: [sse([messageStart, ...textBlock(0, "One file."), ...messageEnd("end_turn")])],
  });
  const running = promisify(execFile)(
    process.execPath,
    [inject("program"), "-p", "How many?", "--resume", CODEX_ID],
    {
      cwd: project,
      env: {
        PATH: process.env["PATH"],
        HOME: join(root, "home"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: server.url,
      },
    },
  );
  running.child.stdin?.end();
  expect((await running).stdout.trim()).toBe("One file.");
  const sent = server.requests[0]?.text ?? "";
  expect(sent).toContain("What is in the folder?");
  expect(sent).toContain("How many?");
  const listed = await sessions({ home: join(root, "home/.runahead"), cwd: project }).list();
  expect(listed).toMatchObject([{ id: CODEX_ID, firstPrompt: "What is in the folder?" }]);
  await server.close();
});

test("the line to continue with runs nothing that the file names as its folder", async () => {
  project = "/x'; touch pwned; echo '$(id)";
  const { out } = await runMain(root, ["import", claudeFile().save()]);
  const quoted = String.raw`cd '/x'\''; touch pwned; echo '\''$(id)' && runahead --resume`;
  expect(out).toContain(quoted);
});

test("what cannot be imported is an error that says what to do", async () => {
  const empty = write(join(root, "empty.jsonl"), [{ type: "other" }]);
  expect((await runMain(root, ["import", empty])).error).toContain(
    "is not a session of Claude Code or Codex",
  );
  expect((await runMain(root, ["import", "nope"])).error).toContain("there is no session nope");
  expect((await runMain(root, ["import"])).out).toContain(
    "No sessions of Claude Code or Codex in this folder",
  );
});

test("tasks and costs of a session are taken over", async () => {
  const file = claudeFile();
  const usage = {
    input_tokens: 1000,
    output_tokens: 1000,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const answerOf = (id: string, block: object): object => ({
    message: { id, role: "assistant", model: "claude-sonnet-4-6", usage, content: [block] },
  });
  const todos = [
    { content: "Find it", status: "completed", activeForm: "Finding it" },
    { content: "Fix it", status: "in_progress", activeForm: "Fixing it" },
  ];
  file.add(
    "assistant",
    answerOf("msg_9", { type: "tool_use", id: "toolu_9", name: "TodoWrite", input: { todos } }),
  );
  // The second line of the same response repeats its usage.
  file.add("assistant", answerOf("msg_9", text("On it.")));
  file.save();
  const { code, out } = await runMain(root, ["import", CLAUDE_ID, "--json"]);
  expect(code).toBe(0);
  const [imported] = (JSON.parse(out) as { imported: Record<string, unknown>[] }).imported;
  expect(imported).toMatchObject({ tasks: 2, costUsd: 0.018 });
  const store = sessions({ home: join(root, "home/.runahead"), cwd: project });
  const session = await store.resume(String(imported?.["id"]));
  expect(session.state?.["tasks"]).toEqual({
    lastId: 2,
    tasks: [
      { id: "1", subject: "Find it", description: "Finding it", status: "completed" },
      { id: "2", subject: "Fix it", description: "Fixing it", status: "in_progress" },
    ],
  });
  expect(session.costUsd).toBeCloseTo(0.018);
  await session.close();
});

test("an import of all sessions goes on past one that cannot be used, and one with an invalid id gets a new one", async () => {
  claudeFile().save();
  const folder = join(root, "home/.claude/projects/-repo");
  const odd = new ClaudeFile();
  odd.user("Odd name");
  odd.assistant("msg_1", text("Yes."));
  write(
    join(folder, "con.jsonl"),
    odd.lines.map((line) => ({ ...(line as object), sessionId: "con" })),
  );
  write(join(folder, "empty-one.jsonl"), [
    { type: "user", sessionId: "empty-one", cwd: project, uuid: "u1" },
  ]);
  const { code, out } = await runMain(root, ["import", "--all", "--json"]);
  const { imported, failed } = JSON.parse(out) as {
    imported: { id: string; notes: string[]; title: string }[];
    failed: { source: string }[];
  };
  expect(imported.map(({ title }) => title).sort()).toEqual(["Find the slow test", "Odd name"]);
  const renamed = imported.find(({ title }) => title === "Odd name");
  expect(renamed?.id).toMatch(/^[\da-f-]{36}$/);
  expect(renamed?.notes[0]).toContain('Its id "con" cannot be used here');
  expect(failed.every(({ source }) => source.endsWith("empty-one.jsonl"))).toBe(true);
  expect(code).toBe(failed.length === 0 ? 0 : 1);
});
