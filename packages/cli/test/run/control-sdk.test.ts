/** What programs written with the Claude Agent SDK rely on, beyond single requests. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Line, host as hostOf, isResult } from "./host.ts";
import { Shell, refused, said, uses } from "./shell.ts";

const SERVER = fileURLToPath(new URL("../../../mcp/test/support/talking-server.mjs", import.meta.url));

let shell: Shell;
beforeEach(() => {
  shell = new Shell();
});
afterEach(() => shell.close());

test("MCP servers in initialize are those of the start, and the answer says so", async () => {
  const run = await hostOf(shell, { answers: [said("Hello.")], args: ["--await-initialize"] });
  const mcpServers = { talker: { command: process.execPath, args: [SERVER] } };
  const initialize = async (servers: object, id: string): Promise<unknown> =>
    (await run.host.request({ subtype: "initialize", mcpServers: servers }, id))["response"];
  expect(await initialize(mcpServers, "1")).toMatchObject({ mcp_servers_applied: true });
  expect(await initialize({ other: { command: "x" } }, "2")).toMatchObject({ mcp_servers_applied: false });
  run.host.prompt("hi");
  await run.host.until(isResult);
  run.host.end();
  await run.ended;
  const begun = run.host.lines.find(({ subtype }) => subtype === "init");
  expect(begun?.["mcp_servers"]).toEqual([{ name: "talker", status: "connected" }]);
});

test("hooks of SessionEnd are called although the host has closed its output", async () => {
  const run = await hostOf(shell, { answers: [said("Hello.")] });
  const hooks = { SessionEnd: [{ hookCallbackIds: ["bye"] }] };
  await run.host.request({ subtype: "initialize", hooks }, "1");
  run.host.prompt("hi");
  await run.host.until(isResult);
  run.host.end();
  expect((await run.ended).code).toBe(0);
  expect(run.host.asked.at(-1)).toMatchObject({
    subtype: "hook_callback",
    callback_id: "bye",
    input: { hook_event_name: "SessionEnd" },
  });
});

test("between two prompts, the host reads how background commands ended", async () => {
  const start = (command: string, id: string) => uses("Bash", { command, run_in_background: true }, id);
  const answers = [
    start("exit 3", "toolu_1"),
    start("sleep 60", "toolu_2"),
    said("Started."),
    said("Ended."),
  ];
  const run = await hostOf(shell, { answers, args: ["--allowedTools", "Bash"] });
  const ended = (status: string): Promise<Line> =>
    run.host.until((line) => line["subtype"] === "task_notification" && line["status"] === status);
  run.host.prompt("start");
  await run.host.until(isResult);
  expect(await ended("failed")).toMatchObject({ description: "exit 3", summary: "exit 3: failed" });
  const started = [...(run.server.requests[2]?.text ?? "").matchAll(/in the background as (\w+)/g)];
  const task_id = started.at(-1)?.[1] ?? "";
  await run.host.request({ subtype: "stop_task", task_id }, "1");
  expect(await ended("stopped")).toMatchObject({ task_id, kind: "command", description: "sleep 60" });
  run.host.end();
  await run.ended;
});

test("a message is printed when its response is complete, while its calls run", async () => {
  const command = "until [ -e go ]; do sleep 0.02; done; echo gone";
  const answers = [uses("Bash", { command }), said("Done.")];
  const args = ["--allowedTools", "Bash", "--include-partial-messages"];
  const run = await hostOf(shell, { answers, args });
  run.host.prompt("wait");
  const message = await run.host.until(({ type }) => type === "assistant");
  expect(message).toMatchObject({
    message: { content: [{ type: "tool_use", id: "toolu_1", name: "Bash" }], stop_reason: "tool_use" },
  });
  expect(run.host.lines.at(-1)).toBe(message);
  expect(run.host.lines.at(-2)).toMatchObject({ type: "stream_event", event: { type: "message_stop" } });
  writeFileSync(join(shell.root, "project/go"), "");
  await run.host.until(isResult);
  run.host.end();
  await run.ended;
  const kinds = run.host.lines.flatMap(({ type }) => (type === "stream_event" ? [] : [type]));
  expect(kinds).toEqual(["system", "assistant", "user", "assistant", "result"]);
});

test("numbers and names of messages are those that the types of the SDK promise", async () => {
  const answers = [refused(529, "overloaded"), said("Here.")];
  const run = await hostOf(shell, { answers, args: ["--model", "anthropic/of-nobody"] });
  run.host.prompt("hi");
  const result = await run.host.until(isResult);
  run.host.end();
  await run.ended;
  const usage = {
    cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: "standard",
  };
  // The price of the model is unknown.
  expect(result).toMatchObject({ total_cost_usd: 0, terminal_reason: "completed", usage });
  expect(Object.values(result["modelUsage"] as object)).toMatchObject([{ costUSD: 0, costBasis: "unknown" }]);
  expect(run.host.lines.find(({ type }) => type === "assistant")).toMatchObject({
    message: { usage, stop_details: null, container: null, context_management: null },
  });
  expect(run.host.lines.find(({ subtype }) => subtype === "api_retry")).toMatchObject({
    attempt: 1,
    max_retries: 9,
    error_status: 529,
    error: "overloaded",
    message: expect.stringContaining("529") as string,
  });
});
