import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { runQuery } from "../../test/support/run-query.ts";
import { createHooks } from "../hooks/hooks.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { createAgent } from "./agent.ts";

let folder = "";
const notices: string[] = [];
const runners: HookRunner[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runahead-hooking-"));
  notices.length = 0;
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** Hooks as they stand in a settings file: one command for each event. */
function hooksOf(commands: Readonly<Record<string, string>>): HookRunner {
  const hooks = Object.fromEntries(
    Object.entries(commands).map(([event, command]) => [event, [{ hooks: [{ type: "command", command }] }]]),
  );
  const runner = createHooks({
    configs: [{ source: "settings.json", root: folder, trusted: true, hooks }],
    projectDir: folder,
    cwd: folder,
    env: process.env,
    sessionId: "s1",
    transcriptPath: "",
    permissionMode: () => "default",
    onNotice: (message) => notices.push(message),
  });
  runners.push(runner);
  return runner;
}

/** Says the texts one after the other, and notes what it was asked. */
function saying(...texts: readonly string[]) {
  const requests: ModelRequest[] = [];
  const turns = texts.map((text) => (request: ModelRequest): Block[] => {
    requests.push(request);
    return [{ type: "text", text }];
  });
  return { model: scripted(turns), requests };
}

test("a hook can refuse a prompt: it is not sent, and the reason is reported", async () => {
  const { model, requests } = saying("No.");
  const hooks = hooksOf({ UserPromptSubmit: "echo 'no secrets here' >&2; exit 2" });
  const { result, events } = await runQuery({ model, tools: [], hooks, prompt: "my password is x" });
  expect(result).toMatchObject({ reason: "hook_stopped", messages: [] });
  expect(result.detail).toContain("no secrets here");
  expect(requests).toEqual([]);
  expect(JSON.stringify(events)).toContain("A hook refused the prompt");
});

test("context that hooks add to a prompt or to the start of a session reaches the model", async () => {
  const { model, requests } = saying("Fine.");
  const said = (event: string, text: string) =>
    `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })}'`;
  const hooks = hooksOf({
    SessionStart: said("SessionStart", "The branch is main."),
    UserPromptSubmit: said("UserPromptSubmit", "It is Monday."),
  });
  await runQuery({ model, tools: [], hooks, prompt: "go" });
  const sent = JSON.stringify(requests[0]?.messages);
  expect(["The branch is main.", "go", "It is Monday."].map((text) => sent.includes(text))).toEqual([
    true,
    true,
    true,
  ]);
});

test("D14: a Stop hook that always blocks can block eight times", async () => {
  const { model, requests } = saying(...Array.from({ length: 20 }, () => "Done."));
  const hooks = hooksOf({ Stop: "echo 'run the tests first' >&2; exit 2" });
  const { result } = await runQuery({ model, tools: [], hooks, prompt: "go" });
  expect(result.reason).toBe("completed");
  expect(requests).toHaveLength(9);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("run the tests first");
  expect(notices.join("\n")).toMatch(/8|eight/);
});

test("a hook can block compaction", async () => {
  const { model } = saying(`At length. ${"word ".repeat(5_000)}`, "A summary.");
  const agent = createAgent({ model, tools: [], hooks: hooksOf({ PreCompact: "exit 2" }) });
  await agent.send("go");
  expect(await agent.compact()).toBe(false);
  await agent.close();
});

test("SessionStart and SessionEnd hooks run once", async () => {
  const log = join(folder, "log");
  writeFileSync(log, "");
  const hooks = hooksOf({ SessionStart: `echo start >> ${log}`, SessionEnd: `echo end >> ${log}` });
  const agent = createAgent({ model: saying("One.", "Two.").model, tools: [], hooks });
  await agent.send("one");
  await agent.send("two");
  await agent.close();
  expect(readFileSync(log, "utf8")).toBe("start\nend\n");
});

test("D13: if a hook ends the run while a call fails, the call has its result, and the loop ends", async () => {
  const tool = defineTool({
    name: "Work",
    description: "Fails",
    inputSchema: z.object({}),
    call: () => {
      throw new Error("broken");
    },
  });
  const model = scripted([[{ type: "tool_use", id: "1", name: "Work", input: {} }], []]);
  const hooks = hooksOf({
    PostToolUseFailure: `echo '${JSON.stringify({ continue: false, stopReason: "enough" })}'`,
  });
  const { result } = await runQuery({ model, tools: [tool], hooks, prompt: "go" });
  expect(result.reason).toBe("hook_stopped");
  expect(result.detail).toContain("enough");
  expect(result.messages.at(-1)?.content).toMatchObject([{ type: "tool_result", is_error: true }]);
});
