import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Workplace, commands, newWorkplace } from "../../test/support/hook-scripts.ts";
import type { HookQuestion, HookToolCall } from "./remote.ts";

let place: Workplace;
beforeEach(async () => {
  place = await newWorkplace();
});
afterEach(async () => {
  expect(await place.leave()).toEqual([]);
});

const entry = (event: string, hook: object): object => ({ [event]: [{ hooks: [hook] }] });

/** A server that answers every request with this status and text. */
async function webServer(status: number, answer: string) {
  const heard: { body: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      heard.push({ body, headers: request.headers });
      response.writeHead(status).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, heard, close: () => new Promise((resolve) => server.close(resolve)) };
}

test("an http hook gets the event, fills in only the variables that it names, and its answer counts", async () => {
  const server = await webServer(200, '{"decision":"block","reason":"not today"}');
  const headers = { "x-token": "Bearer $TOKEN", "x-other": "${SECRET}" };
  const hook = { type: "http", url: server.url, headers, allowedEnvVars: ["TOKEN"] };
  const runner = place.hooks(entry("UserPromptSubmit", hook), { env: { TOKEN: "t1", SECRET: "s1" } });
  const { blocked } = await runner.userPromptSubmit("Hello");
  await server.close();
  expect(blocked).toEqual({ reason: "not today" });
  expect(JSON.parse(server.heard[0]?.body ?? "")).toMatchObject({ prompt: "Hello", session_id: "session-1" });
  expect([server.heard[0]?.headers["x-token"], server.heard[0]?.headers["x-other"]]).toEqual([
    "Bearer t1",
    "",
  ]);
});

test("an http hook that answers with an error, or cannot be reached, makes no decision, and blocks if it is set to", async () => {
  const server = await webServer(500, "oops");
  const hook = { type: "http", url: server.url };
  const open = place.hooks(entry("UserPromptSubmit", hook));
  expect((await open.userPromptSubmit("Hello")).blocked).toBeUndefined();
  await server.close();
  const strict = place.hooks(entry("UserPromptSubmit", { ...hook, onFailure: "block" }));
  expect((await strict.userPromptSubmit("Hello")).blocked?.reason).toContain("ECONNREFUSED");
  expect(place.notices[0]).toContain("it answered with HTTP 500: oops");
});

test("a prompt hook asks a model, and its no blocks; an answer without JSON is a failure", async () => {
  const asked: HookQuestion[] = [];
  const answers = ['Sure:\n```json\n{"ok": false, "reason": "tests fail"}\n```', '{"ok": true}', "yes"];
  const askModel = async (question: HookQuestion): Promise<string> => {
    asked.push(question);
    return answers.shift() ?? "";
  };
  const hook = { type: "prompt", prompt: "Is this done? $ARGUMENTS", model: "haiku" };
  const runner = place.hooks(entry("Stop", hook), { askModel });
  const facts = { lastAssistantMessage: "All done.", isActive: false };
  const blocked = [];
  for (let round = 0; round < 3; round++) blocked.push((await runner.stop(facts)).blocked);
  expect(blocked).toEqual([{ reason: "tests fail" }, undefined, undefined]);
  expect(asked[0]).toMatchObject({ type: "prompt", model: "haiku" });
  expect(asked[0]?.prompt).toContain('"last_assistant_message":"All done."');
  expect(place.notices[0]).toContain("the model answered without JSON: yes");
});

test("an mcp_tool hook calls the tool with members of the event, and its text is read like output", async () => {
  const calls: HookToolCall[] = [];
  const callMcpTool = async (call: HookToolCall): Promise<string> => {
    calls.push(call);
    return '{"decision":"block","reason":"by the server"}';
  };
  const input = { text: "${prompt}", all: ["${session_id}"], none: "${no.such}" };
  const hook = { type: "mcp_tool", server: "guard", tool: "check", input };
  const runner = place.hooks(entry("UserPromptSubmit", hook), { callMcpTool });
  expect((await runner.userPromptSubmit("Hello")).blocked).toEqual({ reason: "by the server" });
  expect(calls).toEqual([
    { server: "guard", tool: "check", input: { text: "Hello", all: ["session-1"], none: "" } },
  ]);
});

test("hooks that need a model or a server fail without one", async () => {
  const runner = place.hooks({
    Stop: [
      {
        hooks: [
          { type: "agent", prompt: "?" },
          { type: "mcp_tool", server: "a", tool: "b" },
        ],
      },
    ],
  });
  await runner.stop({ lastAssistantMessage: "", isActive: false });
  expect(place.notices.map((text) => text.split("failed: ")[1])).toEqual([
    "no model is available to hooks. It made no decision.",
    "no MCP servers are available to hooks. It made no decision.",
  ]);
});

test("once: a hook runs for the first event only", async () => {
  const runner = place.hooks(commands("UserPromptSubmit", { command: "echo first", once: true }));
  const first = await runner.userPromptSubmit("a");
  const second = await runner.userPromptSubmit("b");
  expect([first.context, second.context]).toEqual([["first"], []]);
});

test("statusMessage is shown while the hook runs", async () => {
  const shown: (string | undefined)[] = [];
  const runner = place.hooks(commands("Stop", { command: "true", statusMessage: "Checking" }), {
    onStatus: (text) => shown.push(text),
  });
  await runner.stop({ lastAssistantMessage: "", isActive: false });
  expect(shown).toEqual(["Checking", undefined]);
});

test("async: what the hook says at its end reaches the model and the user; asyncRewake wakes the agent", async () => {
  let woken = (_text: string): void => {};
  const waking = new Promise<string>((resolve) => (woken = resolve));
  const late = { systemMessage: "for you", hookSpecificOutput: { additionalContext: "for the model" } };
  const runner = place.hooks(
    commands(
      "UserPromptSubmit",
      { command: `echo '${JSON.stringify(late)}'`, async: true },
      { command: "sleep 0.5; echo broken >&2; exit 2", asyncRewake: true },
    ),
    { onRewake: (text) => woken(text) },
  );
  expect((await runner.userPromptSubmit("a")).blocked).toBeUndefined();
  expect(await waking).toBe("broken");
  expect(runner.takeContext()).toEqual(["for the model"]);
  expect(runner.takeContext()).toEqual([]);
  expect(place.notices).toEqual(["UserPromptSubmit hook: for you"]);
});

test("hooks of SessionStart get CLAUDE_ENV_FILE, and others do not", async () => {
  const envFile = `${place.folder}/env`;
  let read = 0;
  const runner = place.hooks(
    {
      ...commands("SessionStart", 'echo "$CLAUDE_ENV_FILE"'),
      ...commands("Stop", 'echo "$CLAUDE_ENV_FILE" > stop'),
    },
    { envFile, onEnvFile: () => void read++ },
  );
  expect((await runner.sessionStart("startup")).context).toEqual([envFile]);
  await runner.stop({ lastAssistantMessage: "", isActive: false });
  expect([await place.read("stop"), read]).toEqual(["\n", 1]);
});

test("PermissionRequest: a deny wins over an allow, and exit 2 decides nothing", async () => {
  const decision = (answer: object): string =>
    `echo '${JSON.stringify({ hookSpecificOutput: { decision: answer } })}'`;
  const call = { toolName: "Bash", input: { command: "ls" } };
  const both = place.hooks(
    commands(
      "PermissionRequest",
      decision({ behavior: "allow", updatedInput: { command: "pwd" } }),
      decision({ behavior: "deny", message: "no" }),
    ),
  );
  expect(await both.permissionRequest(call)).toEqual({ behavior: "deny", message: "no", interrupt: false });
  const allow = place.hooks(
    commands("PermissionRequest", decision({ behavior: "allow", updatedInput: { command: "pwd" } })),
  );
  expect(await allow.permissionRequest(call)).toEqual({
    behavior: "allow",
    updatedInput: { command: "pwd" },
  });
  const two = place.hooks(
    commands("PermissionRequest", `${decision({ behavior: "allow" })}; exit 2`, "exit 2"),
  );
  expect(await two.permissionRequest(call)).toBeUndefined();
});
