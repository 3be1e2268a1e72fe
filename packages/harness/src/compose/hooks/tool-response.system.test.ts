import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AskUser } from "@runahead/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptWorld, calls, says } from "../../../test/support/prompt-world.ts";

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

type Line = Readonly<Record<string, unknown>>;

const settings = (value: object): string => world.write(".claude/settings.json", JSON.stringify(value));

/** What PostToolUse hooks get as `tool_response`, by the name of the tool; of several calls, the last. */
async function responsesTo(...given: readonly (readonly [tool: string, input: object])[]) {
  const log = join(world.root, "log");
  const note = { type: "command", command: `printf '%s\\n' "$(cat)" >> ${log}` };
  settings({ hooks: { PostToolUse: [{ hooks: [note] }] }, permissions: { defaultMode: "acceptEdits" } });
  const answers = given.map(([tool, input]) => calls(tool, input));
  const askUser: AskUser = async () => ({
    type: "answered",
    answers: [{ type: "chosen", labels: ["Red", "Blue"] }],
  });
  const { agent } = await world.start([...answers, says("done"), says("done")], { askUser });
  await agent.send("go");
  const responses = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
    .map(({ tool_name: name, tool_response: response }) => [name, response] as const);
  return Object.fromEntries(responses) as Record<string, unknown>;
}

test("class 6: tool_response has the documented members of the tools for files and commands", async () => {
  const path = (name: string): string => join(world.project, name);
  world.write("three.txt", "1\n2\n3\n");
  world.write("open.txt", "a\nend");
  const all = await responsesTo(
    ["Bash", { command: "echo hi" }],
    ["Read", { file_path: path("open.txt") }],
    ["Edit", { file_path: path("open.txt"), old_string: "end", new_string: "END" }],
    ["Read", { file_path: path("three.txt"), offset: 2, limit: 1 }],
    ["Write", { file_path: path("new.txt"), content: "n\n" }],
    ["Glob", { pattern: "*.txt" }],
    ["Grep", { pattern: "[0-9]", path: world.project, output_mode: "count", glob: "three.txt" }],
  );
  expect(all).toMatchObject({
    Bash: { stdout: "hi", stderr: "", interrupted: false, isImage: false },
    Read: { type: "text", file: { content: "2", numLines: 1, startLine: 2, totalLines: 3 } },
    Edit: {
      filePath: path("open.txt"),
      oldString: "end",
      newString: "END",
      originalFile: "a\nend",
      structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2 }],
      replaceAll: false,
      userModified: false,
    },
    Write: { type: "create", filePath: path("new.txt"), content: "n\n", originalFile: null },
    Glob: {
      filenames: expect.arrayContaining(["new.txt"]) as string[],
      truncated: false,
      countIsComplete: true,
    },
    Grep: { mode: "count", numFiles: 1, numMatches: 3 },
  });
});

const NOTEBOOK = {
  cells: [{ id: "one", cell_type: "code", source: ["x = 1\n", "x"], outputs: [], metadata: {} }],
  metadata: { language_info: { name: "julia" } },
  nbformat: 4,
  nbformat_minor: 5,
};

test("class 6: tool_response of notebooks, PDF and images has the cells and the bytes of the file", async () => {
  const before = JSON.stringify(NOTEBOOK, undefined, 1);
  const notebook = world.write("n.ipynb", before);
  const read = await responsesTo(["Read", { file_path: notebook }]);
  expect(read["Read"]).toMatchObject({
    type: "notebook",
    file: { filePath: notebook, cells: NOTEBOOK.cells },
  });
  const { NotebookEdit } = await responsesTo(
    ["Read", { file_path: notebook }],
    ["NotebookEdit", { notebook_path: notebook, cell_id: "one", new_source: "y" }],
  );
  expect(NotebookEdit).toMatchObject({
    notebook_path: notebook,
    cell_id: "one",
    new_source: "y",
    old_source: "x = 1\nx",
    cell_type: "code",
    language: "julia",
    edit_mode: "replace",
    original_file: before,
    updated_file: readFileSync(notebook, "utf8"),
  });
});

test("class 6: tool_response of tasks, questions and sub-agents has the documented members", async () => {
  const agent = { description: "look", prompt: "Look around." };
  const question = { question: "Which?", options: [{ label: "Red" }, { label: "Blue" }], multiSelect: true };
  const all = await responsesTo(
    ["TaskCreate", { subject: "Test it", description: "With a test." }],
    ["TaskUpdate", { id: "1", status: "in_progress" }],
    ["TaskList", {}],
    ["AskUser", { questions: [question] }],
    ["Agent", agent],
  );
  expect(all).toMatchObject({
    TaskCreate: { task: { id: "1", subject: "Test it", description: "With a test." } },
    TaskUpdate: {
      success: true,
      taskId: "1",
      updatedFields: ["status"],
      statusChange: { from: "pending", to: "in_progress" },
    },
    TaskList: { tasks: [{ id: "1", subject: "Test it", status: "in_progress", blockedBy: [] }] },
    AskUser: { questions: [question], answers: { "Which?": "Red, Blue" } },
    Agent: {
      status: "completed",
      agentId: "agent-1",
      agentType: "general-purpose",
      prompt: "Look around.",
      content: [{ type: "text", text: expect.stringContaining("done") as string }],
      totalToolUseCount: 0,
      totalTokens: expect.any(Number) as number,
      usage: { output_tokens: expect.any(Number) as number },
    },
  });
});

test("class 6: tool_response of a sub-agent in the background says that it works", async () => {
  const all = await responsesTo(["Agent", { description: "look", prompt: "Look.", run_in_background: true }]);
  expect(all["Agent"]).toMatchObject({
    status: "async_launched",
    isAsync: true,
    agentId: "agent-1",
    outputFile: "",
  });
});
