/** Approvals that come later: with hooks in `-p`, and over the control protocol. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ScriptedAnswer } from "../../../agent/test/support/model-server.ts";
import { host, isResult } from "./host.ts";
import { Shell, said, uses } from "./shell.ts";

const shell = new Shell();
afterAll(() => shell.close());

const made = (name: string): boolean => existsSync(join(shell.root, "project", name));

function deciding(decision: string): string {
  const answer = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: decision } };
  const command = `echo '${JSON.stringify(answer)}'`;
  return JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command }] }] },
  });
}

test("-p: a hook defers a call, and a later run without a prompt continues with its answer", async () => {
  const write = uses("Write", { file_path: "later.txt", content: "x" }, "toolu_1");
  const first = await shell.run({
    args: ["-p", "write", "--output-format", "json", "--settings", deciding("defer")],
    answers: [write],
  });
  const [result = {}] = first.lines();
  expect(first.code).toBe(0);
  expect(result).toMatchObject({
    subtype: "success",
    is_error: false,
    stop_reason: "tool_deferred",
    terminal_reason: "tool_deferred",
    deferred_tool_use: { id: "toolu_1", name: "Write", input: { file_path: "later.txt", content: "x" } },
    permission_denials: [],
  });
  expect(made("later.txt")).toBe(false);
  const id = String(result["session_id"]);
  const again = await shell.run({
    args: ["-p", "--resume", id, "--output-format", "json", "--settings", deciding("defer")],
  });
  expect(again.lines()[0]).toMatchObject({ stop_reason: "tool_deferred" });
  const last = await shell.run({
    args: ["-p", "--resume", id, "--settings", deciding("allow")],
    answers: [said("Written.")],
  });
  expect([last.code, last.out.trim(), made("later.txt")]).toEqual([0, "Written.", true]);
});

test("control protocol: a host defers a call, and is asked again after an empty prompt", async () => {
  const replies = [{ behavior: "defer" }, { behavior: "allow" }];
  const run = await host(
    shell,
    {
      answers: [uses("Write", { file_path: "asked.txt", content: "x" }, "toolu_1"), said("Written.")],
      args: ["--permission-prompt-tool=stdio"],
    },
    ({ subtype }) => (subtype === "can_use_tool" ? replies.shift() : {}),
  );
  run.host.prompt("write");
  expect(await run.host.until(isResult)).toMatchObject({
    subtype: "success",
    stop_reason: "tool_deferred",
    deferred_tool_use: { id: "toolu_1", name: "Write" },
  });
  expect(made("asked.txt")).toBe(false);
  run.host.prompt("");
  await run.host.until(({ result }) => result === "Written.");
  run.host.end();
  expect((await run.ended).code).toBe(0);
  expect(made("asked.txt")).toBe(true);
});

test("control protocol: another process is asked about the call after a restart, once, and rules that deny it win", async () => {
  const asked: unknown[] = [];
  const again = async (id: string, settings: object, answers: readonly ScriptedAnswer[]) => {
    const args = ["--permission-prompt-tool=stdio", "--resume", id, "--settings", JSON.stringify(settings)];
    const run = await host(shell, { answers, args }, (request) => {
      if (request["subtype"] !== "can_use_tool") return {};
      asked.push(request["tool_use_id"]);
      return { behavior: "allow" };
    });
    run.host.prompt("");
    return run;
  };
  const parkedAt = async (name: string): Promise<string> => {
    const { lines } = await shell.run({
      args: ["-p", "write", "--output-format", "json", "--settings", deciding("defer")],
      answers: [uses("Write", { file_path: name, content: "x" }, "toolu_1")],
    });
    return String(lines()[0]?.["session_id"]);
  };

  const asks = await again(await parkedAt("restarted.txt"), {}, [said("Written.")]);
  await asks.host.until(({ result }) => result === "Written.");
  asks.host.end();
  expect([(await asks.ended).code, asked, made("restarted.txt")]).toEqual([0, ["toolu_1"], true]);

  const rules = { permissions: { deny: ["Write"] } };
  const denied = await again(await parkedAt("denied.txt"), rules, [said("It is denied.")]);
  await denied.host.until(({ result }) => result === "It is denied.");
  denied.host.end();
  expect([(await denied.ended).code, asked, made("denied.txt")]).toEqual([0, ["toolu_1"], false]);
});
