import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { askedModel } from "../repl/answers.ts";
import { Editor, choose, newFolder } from "./editor.ts";

const run = promisify(execFile);

const DEFERS = JSON.stringify({
  hooks: {
    PreToolUse: [
      {
        matcher: "Write",
        hooks: [
          {
            type: "command",
            command: `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" } })}'`,
          },
        ],
      },
    ],
  },
});

test("a question that another program deferred is asked in the editor after an empty message, and its call runs", async () => {
  const folder = newFolder();
  const model = await askedModel();
  onTestFinished(() => model.close());
  const parked = run(
    process.execPath,
    [inject("program"), "-p", "write", "--output-format", "json", "--settings", DEFERS],
    {
      cwd: join(folder, "project"),
      env: {
        PATH: process.env["PATH"],
        HOME: join(folder, "home"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: model.url,
      },
    },
  );
  parked.child.stdin?.end();
  (await model.asked()).calls(["Write", { file_path: "later.txt", content: "x" }]);
  const result = JSON.parse((await parked).stdout) as Record<string, unknown>;
  expect(result).toMatchObject({ stop_reason: "tool_deferred" });

  const editor = await Editor.open({ url: model.url, folder, answer: choose("once") });
  onTestFinished(() => editor.end());
  const [sessionId, cwd] = [String(result["session_id"]), editor.project];
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  await editor.sees(() => JSON.stringify(editor.updates).includes("1 call waits for an answer."));
  expect([editor.questions.length, existsSync(join(cwd, "later.txt"))]).toEqual([0, false]);

  const continued = editor.say(sessionId, "");
  (await model.asked()).says("Written.");
  expect(await continued).toBe("end_turn");
  expect([editor.questions.length, existsSync(join(cwd, "later.txt"))]).toEqual([1, true]);
});
