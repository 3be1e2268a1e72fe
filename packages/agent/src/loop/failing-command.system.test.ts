import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyTool } from "@runahead/engine";
import { readOnlyCommand } from "@runahead/permissions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileTools } from "../../../tools/src/files/file-tools.ts";
import { shellTools } from "../../../tools/src/shell/bash-tools.ts";
import { createTasks } from "../../../tools/src/tasks/tasks-list.ts";
import { taskTools } from "../../../tools/src/tasks/tasks.ts";
import { runQuery } from "../../test/support/run-query.ts";
import type { Block } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";

let cwd: string;

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "failing-command-")));
  writeFileSync(join(cwd, "a.txt"), "one\n");
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** The results of the calls of one response, in order. */
async function results(calls: readonly (readonly [string, object])[]): Promise<string[]> {
  const shell = shellTools({
    root: cwd,
    home: join(cwd, "home"),
    outputFolder: join(cwd, "outputs"),
    env: process.env,
    isReadOnlyCommand: readOnlyCommand,
  });
  const tools: AnyTool[] = [...fileTools(), ...shell.tools, ...taskTools(createTasks())];
  const blocks = calls.map(([name, input], id): Block => ({ type: "tool_use", id: String(id), name, input }));
  const model = scripted([blocks, [{ type: "text", text: "Done." }]]);
  const { result } = await runQuery({ prompt: "go", model, tools, cwd });
  await shell.close();
  return result.messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => String(block["content"])),
  );
}

test("a failing command skips only the later calls that write", async () => {
  const answers = await results([
    ["Bash", { command: "bash -c 'sleep 0.2; echo 2 tests failed; exit 1'" }],
    ["Read", { file_path: "a.txt" }],
    ["Grep", { pattern: "one", path: "." }],
    ["Glob", { pattern: "*.txt" }],
    ["Bash", { command: "cat a.txt" }],
    ["Bash", { command: "echo hi" }],
    ["Bash", { command: "sleep 0.1" }],
    ["TaskList", {}],
    ["Write", { file_path: "b.txt", content: "x" }],
    ["Bash", { command: "touch c.txt" }],
    ["Bash", { command: "npm --version > d.txt" }],
    ["Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }],
    ["Read", { file_path: "a.txt" }],
  ]);
  expect(answers[0]).toMatch(/^Exit code 1/);
  const isSkipped = answers.map((text) => text.startsWith("Not run"));
  expect(isSkipped.map((skipped, at) => (skipped ? at : -1)).filter((at) => at >= 0)).toEqual([8, 9, 10, 11]);
  expect(answers[1]).toContain("one");
  expect(answers[4]).toBe("one");
  expect(["b.txt", "c.txt", "d.txt"].map((name) => existsSync(join(cwd, name)))).toEqual([
    false,
    false,
    false,
  ]);
});

test("a failing command that only reads skips nothing", async () => {
  const answers = await results([
    ["Bash", { command: "cat missing.txt" }],
    ["Write", { file_path: "b.txt", content: "x" }],
  ]);
  expect(answers[1]).toMatch(/^Created/);
});
