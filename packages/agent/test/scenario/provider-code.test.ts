/** Scripts that Anthropic runs on its servers, with calls of tools that run here. The wire is like a recorded one. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type CanUseTool, defineTool } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createHooks } from "../../src/hooks/hooks.ts";
import { createAgent } from "../../src/loop/agent.ts";
import { anthropic } from "../../src/model/anthropic.ts";
import { openai } from "../../src/model/openai.ts";
import type { ProviderCode } from "../../src/model/provider-code.ts";
import { sessions } from "../../src/session/sessions.ts";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../support/responses.ts";
import { runQuery } from "../support/run-query.ts";

const VERSION = "code_execution_20260120";
const CALLER = { type: VERSION, tool_id: "srvtoolu_1" };
const CONTAINER = { id: "container_1", expires_at: "2999-01-01T00:00:00Z" };
const SCRIPT = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "code_execution",
  input: { code: "print(await roll())" },
};
const ENDED = {
  type: "code_execution_tool_result",
  tool_use_id: "srvtoolu_1",
  content: { type: "code_execution_result", stdout: "2\n", stderr: "", return_code: 0, content: [] },
};

const use = (id: string, player: string) => ({
  ...{ type: "tool_use", id, name: "Roll", input: { player } },
  caller: CALLER,
});

/** The response in which the script begins: its call arrives in pieces, the container with the end. */
const begins: readonly object[] = [
  messageStart,
  ...textBlock(0, "I will roll."),
  { type: "content_block_start", index: 1, content_block: SCRIPT },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { ...use("toolu_1", ""), input: {} } },
  {
    ...{ type: "content_block_delta", index: 2 },
    delta: { type: "input_json_delta", partial_json: '{"player":"one"}' },
  },
  { type: "content_block_stop", index: 2 },
  {
    ...{ type: "message_delta", usage: { output_tokens: 9 } },
    delta: { stop_reason: "tool_use", container: CONTAINER },
  },
  { type: "message_stop" },
];

/** A message that continues the script: the call, the container and the stop reason are all in its start. */
const goesOn = (id: string, player: string): readonly object[] => [
  {
    type: "message_start",
    message: {
      ...{ id: `msg_${id}`, model: "claude-test", role: "assistant", container: CONTAINER },
      content: [use(id, player)],
      stop_reason: "tool_use",
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  },
  { type: "message_stop" },
];

const ends: readonly object[] = [
  messageStart,
  { type: "content_block_start", index: 0, content_block: ENDED },
  { type: "content_block_stop", index: 0 },
  ...textBlock(1, "You rolled a 2."),
  ...messageEnd("end_turn"),
];
const says = (text: string): readonly object[] => [
  messageStart,
  ...textBlock(0, text),
  ...messageEnd("end_turn"),
];

async function served(...answers: readonly (readonly object[] | ScriptedAnswer)[]): Promise<ModelServer> {
  const server = await modelServer(...answers.map((one) => ("pieces" in one ? one : { pieces: [sse(one)] })));
  onTestFinished(() => server.close());
  return server;
}

const model = (server: ModelServer, codeExecution: ProviderCode = { tools: ["Roll"] }) =>
  anthropic({ model: "claude-test", apiKey: "key", baseURL: server.url, codeExecution });

function roll(call: (player: string) => unknown = () => "2"): AnyTool {
  return defineTool({
    name: "Roll",
    description: "Rolls a die.",
    inputSchema: z.object({ player: z.string() }),
    isReadOnly: () => true,
    call: ({ player }) => call(player),
  });
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "provider-code-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs until it is stopped. */
const stoppable = defineTool({
  name: "Roll",
  description: "Rolls a die.",
  inputSchema: z.object({ player: z.string() }),
  interruptBehavior: () => "cancel",
  call: (_input, { signal }) =>
    new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
});

const other = defineTool({ name: "Other", description: "o", inputSchema: z.object({}), call: () => "o" });

/** The messages of a request without the marks of the cache. */
function messagesOf(server: ModelServer, at: number): readonly unknown[] {
  const text = JSON.stringify(server.requests[at]?.body["messages"]);
  return JSON.parse(text.replaceAll(',"cache_control":{"type":"ephemeral"}', "")) as unknown[];
}
const result = (id: string, content: string) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content, is_error: false }],
});
const PROMPT = { role: "user", content: [{ type: "text", text: "go" }] };
const BEGUN = {
  role: "assistant",
  content: [{ type: "text", text: "I will roll." }, SCRIPT, use("toolu_1", "one")],
};

test("the calls of a script run, in pieces and in the start of a message, and each request continues the script", async () => {
  const server = await served(begins, goesOn("toolu_2", "two"), ends);
  const { events, result: end } = await runQuery({
    prompt: "go",
    tools: [roll(), other],
    model: model(server),
  });
  expect([end.reason, end.text]).toEqual(["completed", "You rolled a 2."]);
  const started = events.flatMap((event) => (event.type === "call-started" ? [event.callId] : []));
  expect(started).toEqual(["toolu_1", "toolu_2"]);

  const tools = server.requests.map(({ body }) => body["tools"]);
  expect(tools[0]).toMatchObject([
    { type: VERSION, name: "code_execution" },
    { name: "Roll", allowed_callers: [VERSION] },
    { name: "Other" },
  ]);
  expect(JSON.stringify(tools[0])).not.toContain("direct");
  expect(new Set(tools.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(server.requests.map(({ body }) => body["container"])).toEqual([
    undefined,
    "container_1",
    "container_1",
  ]);
  expect(messagesOf(server, 1)).toEqual([PROMPT, BEGUN, result("toolu_1", "2")]);
  expect(messagesOf(server, 2)).toEqual([
    ...[PROMPT, BEGUN, result("toolu_1", "2")],
    ...[{ role: "assistant", content: [use("toolu_2", "two")] }, result("toolu_2", "2")],
  ]);
  expect(server.requests[0]?.headers["anthropic-beta"]).toBeUndefined();
});

test("the first version of code execution sends its beta headers, and can also allow direct calls", async () => {
  const server = await served(says("Hello."));
  const code: ProviderCode = { tools: ["Roll"], alsoDirect: true, version: "code_execution_20250825" };
  await runQuery({ prompt: "go", tools: [roll()], model: model(server, code) });
  expect(server.requests[0]?.headers["anthropic-beta"]).toContain("advanced-tool-use");
  expect(server.requests[0]?.body["tools"]).toMatchObject([
    { type: "code_execution_20250825", name: "code_execution" },
    { allowed_callers: ["direct", "code_execution_20250825"] },
  ]);
});

test("a request without one of its tools does not offer code execution", async () => {
  const server = await served(says("Hello."));
  await runQuery({ prompt: "go", tools: [other], model: model(server) });
  expect(JSON.stringify(server.requests[0]?.body["tools"])).not.toMatch(/code_execution|allowed_callers/);
});

test("a message that is sent while a script waits follows when the script has ended", async () => {
  const server = await served(begins, goesOn("toolu_2", "two"), ends, says("Hello."));
  let next: Promise<unknown> | undefined;
  const agent = createAgent({
    model: model(server),
    tools: [
      roll((player) => {
        if (player === "one") next = agent.send("and then?");
        return "2";
      }),
    ],
  });
  await agent.send("go");
  await next;
  await agent.close();
  expect(JSON.stringify(messagesOf(server, 1))).not.toContain("and then?");
  expect(JSON.stringify(messagesOf(server, 2))).not.toContain("and then?");
  expect(messagesOf(server, 3).at(-1)).toEqual({
    role: "user",
    content: [{ type: "text", text: "and then?" }],
  });
});

test("reminders do not come between a call of a script and its result, and an urgent message gives the script up", async () => {
  const reminders = { next: () => ["It is late."] };
  const server = await served(begins, goesOn("toolu_2", "two"), ends);
  await runQuery({ prompt: "go", tools: [roll()], model: model(server), reminders });
  expect(messagesOf(server, 1).at(-1)).toEqual(result("toolu_1", "2"));
  expect(server.requests.map(({ body }) => body["container"]).slice(1)).toEqual([
    "container_1",
    "container_1",
  ]);

  const urgent = await served(begins, says("Stopped."));
  let sent: Promise<unknown> | undefined;
  const agent = createAgent({
    ...{ model: model(urgent), tools: [stoppable] },
    onEvent: ({ type }) => void (type === "call-started" && (sent = agent.send("now", { interrupt: true }))),
  });
  await agent.send("go");
  await sent;
  await agent.close();
  expect(JSON.stringify(messagesOf(urgent, 1))).toContain('"now"');
  expect(JSON.stringify(messagesOf(urgent, 1))).not.toContain("srvtoolu_1");
});

test("context of hooks after a call of a script follows when the script has ended", async () => {
  const server = await served(begins, goesOn("toolu_2", "two"), ends, says("Noted."));
  const root = temporary();
  const context = {
    hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: "look at this" },
  };
  const command = `echo '${JSON.stringify(context)}'`;
  const hooks = createHooks({
    configs: [
      {
        source: "s",
        root,
        trusted: true,
        hooks: { PostToolBatch: [{ hooks: [{ type: "command", command }] }] },
      },
    ],
    ...{ projectDir: root, cwd: root, env: process.env, sessionId: "s1", transcriptPath: "" },
    ...{ permissionMode: () => "default" as const, onNotice: () => {} },
  });
  onTestFinished(() => hooks.close());
  const { result: end } = await runQuery({ prompt: "go", tools: [roll()], model: model(server), hooks });
  expect(JSON.stringify(messagesOf(server, 2))).not.toContain("look at this");
  expect(messagesOf(server, 3).at(-1)).toEqual({
    role: "user",
    content: [{ type: "text", text: "look at this\n\nlook at this" }],
  });
  expect(end.text).toBe("Noted.");
});

test("a script that was interrupted is given up: its calls stay, as calls of the model", async () => {
  const server = await served(begins, says("Stopped."));
  const agent = createAgent({
    model: model(server),
    tools: [stoppable],
    onEvent: ({ type }) => void (type === "call-started" && agent.interrupt()),
  });
  await agent.send("go");
  await agent.send("stop it");
  await agent.close();
  const { caller: _caller, ...direct } = use("toolu_1", "one");
  expect(messagesOf(server, 1)[1]).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "I will roll." }, direct],
  });
  expect(JSON.stringify(messagesOf(server, 1))).not.toContain("srvtoolu_1");
});

test("a session that was resumed continues its script with the same container, and another server can have lost it", async () => {
  const home = temporary();
  const store = sessions({ home, cwd: home });
  const lost = JSON.stringify({
    type: "error",
    error: { type: "invalid_request_error", message: "container: container_1 has expired" },
  });
  const refused = { status: 400, pieces: [lost], headers: { "content-type": "application/json" } };
  const server = await served(begins, refused, says("The script is gone."));

  const canUseTool: CanUseTool = () => ({ behavior: "ask", reason: "a die" });
  const first = await store.create();
  const parked = await runQuery({
    ...{ prompt: "go", tools: [roll()], model: model(server), session: first },
    ask: () => ({ behavior: "defer" }) as const,
    canUseTool,
  });
  expect(parked.result.reason).toBe("deferred");
  await first.close();

  const second = await store.resume(first.id);
  for (const { id } of second.questions) await second.answer(id, { behavior: "allow" });
  const agent = createAgent({
    ...{ model: model(server), tools: [roll()], session: second, canUseTool },
  });
  const resumed = await agent.resume();
  expect([resumed.detail, resumed.text]).toEqual(["", "The script is gone."]);
  await agent.close();
  await second.close();
  expect(server.requests.map(({ body }) => body["container"])).toEqual([undefined, "container_1", undefined]);
  expect(messagesOf(server, 1)).toEqual([PROMPT, BEGUN, result("toolu_1", "2")]);
  expect(JSON.stringify(messagesOf(server, 2))).not.toMatch(/srvtoolu_1|caller/);
});

test("a response that broke off before it named its container gives its script up", async () => {
  const cut = { pieces: [sse(begins.slice(0, -2))], after: "break" } as const;
  const server = await served(cut, says("Again."));
  const { result: end } = await runQuery({
    ...{ prompt: "go", tools: [roll()], model: model(server) },
    retry: { attempts: 2, firstWaitMs: 1, longestWaitMs: 1, random: () => 0 },
  });
  expect(end.text).toBe("Again.");
  expect(JSON.stringify(messagesOf(server, 1))).not.toMatch(/srvtoolu_1|container/);
});

test("wrong options are named", () => {
  const wrong = (codeExecution: unknown) => () =>
    anthropic({ model: "m", codeExecution: codeExecution as ProviderCode });
  expect(wrong({})).toThrow('anthropic: "codeExecution"');
  expect(wrong({ tools: [] })).toThrow("the names of one or more tools");
  expect(wrong({ tools: ["a"], version: "code_execution_1" })).toThrow("code_execution_20260120");
  expect(wrong({ tools: ["a"], also: true })).toThrow("unknown option");
});

test("OpenAI: the program of a call and the call's caller are sent back, and the result names the caller", async () => {
  const program = { type: "program", id: "cm_1", call_id: "call_p", code: "await tools.Roll()" };
  const caller = { type: "program", caller_id: "call_p" };
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "Roll", caller };
  const whole = { ...call, arguments: '{"player":"one"}' };
  const server = await served(
    [
      { type: "response.created", response: { id: "resp_1" } },
      { type: "response.output_item.added", output_index: 0, item: { ...program, code: "" } },
      { type: "response.output_item.done", output_index: 0, item: program },
      { type: "response.output_item.added", output_index: 1, item: { ...call, arguments: "" } },
      { type: "response.output_item.done", output_index: 1, item: whole },
      {
        type: "response.completed",
        response: { id: "resp_1", status: "completed", output: [program, whole] },
      },
    ],
    { status: 400, pieces: ["{}"] },
  );
  const gpt = openai({ model: "gpt-test", apiKey: "key", baseURL: server.url, api: "responses" });
  await runQuery({ prompt: "go", tools: [roll()], model: gpt });
  expect(server.requests[1]?.body["input"]).toMatchObject([
    { role: "user" },
    program,
    whole,
    { type: "function_call_output", call_id: "call_1", output: "2", caller },
  ]);
});
