import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyTool } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runQuery } from "../../test/support/run-query.ts";
import type { Block } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { shellTools } from "../../../tools/src/shell/bash-tools.ts";
import { fileTools } from "../../../tools/src/files/file-tools.ts";
import { webTools } from "../../../tools/src/web/web-tools.ts";
import { createPermissionGate } from "../gate/gate.ts";
import type { PersonQuestion } from "../gate/gate-options.ts";

let folder = "";
let cwd = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runahead-check-"));
  cwd = join(folder, "project");
  mkdirSync(cwd);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Call = readonly [name: string, input: object];

interface Ran {
  /** The names of the tools that a person was asked about. */
  readonly asked: string[];
  readonly results: string[];
}

/** Each list of calls is a turn. A person is asked and allows everything. */
async function run(
  turns: readonly (readonly Call[])[],
  more: Partial<{ ask: string[]; cwd: string; onAsked: (count: number) => void }> = {},
): Promise<Ran> {
  const asked: string[] = [];
  const askPerson = ({ toolName }: PersonQuestion) => {
    asked.push(toolName);
    more.onAsked?.(asked.length);
    return { type: "once" } as const;
  };
  const sources = [{ name: "settings.json", root: cwd, trusted: true, ask: more.ask ?? [] }];
  const gate = createPermissionGate({ settings: { mode: "default", sources }, cwd, home: folder, askPerson });
  const shell = shellTools({
    root: cwd,
    env: process.env,
    home: join(folder, "state"),
    outputFolder: join(folder, "out"),
  });
  const tools: AnyTool[] = [...fileTools(), ...shell.tools, ...webTools()];
  let id = 0;
  const blocks = turns.map((calls) =>
    calls.map(([name, input]): Block => ({ type: "tool_use", id: String(id++), name, input })),
  );
  const model = scripted([...blocks, [{ type: "text", text: "Done." }]]);
  const { result } = await runQuery({ prompt: "go", model, tools, permissions: gate, cwd: more.cwd ?? cwd });
  await shell.close();
  const results = result.messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => String(block["content"])),
  );
  return { asked, results };
}

const edit = (path: string, old_string: string): Call => [
  "Edit",
  { file_path: path, old_string, new_string: "new" },
];
const read = (path: string): Call => ["Read", { file_path: path }];

test("an edit that cannot succeed gets an error without a question", async () => {
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\ntwo\n");
  const { asked, results } = await run([
    [edit("a.txt", "one")],
    [read("a.txt")],
    [edit("a.txt", "three")],
    [edit("a.txt", "two")],
    [edit("a.txt", "new")],
    [edit("missing.txt", "x")],
    [["Write", { file_path: "b.txt", content: "x" }]],
    [edit("a.txt", "one")],
  ]);
  expect(asked).toEqual(["Write", "Edit"]);
  expect(results[0]).toContain("has not been read yet");
  expect(results[2]).toMatch(/^Error: .*not/);
  expect(results[4]).toContain("identical");
  expect(results[5]).toContain("does not exist");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("new\ntwo\ntwo\n");
});

test("a write to a file that was not read, or changed since, gets an error without a question", async () => {
  writeFileSync(join(cwd, "a.txt"), "one");
  const write: Call = ["Write", { file_path: "a.txt", content: "x" }];
  const { asked, results } = await run([
    [write],
    [read("a.txt")],
    [["Bash", { command: "echo two > a.txt" }]],
    [write],
    [edit("a.txt", "one")],
  ]);
  expect(asked).toEqual(["Bash"]);
  expect([results[0], results[3], results[4]]).toEqual([
    expect.stringContaining("has not been read yet"),
    expect.stringContaining("changed since you read it"),
    expect.stringMatching(/was not found.*changed since you read it/s),
  ]);
});

test("a missing cell, a missing file and an invalid URL get an error without a question", async () => {
  const cells = [
    { cell_type: "code", id: "a", metadata: {}, source: "1", outputs: [], execution_count: null },
  ];
  writeFileSync(
    join(cwd, "n.ipynb"),
    JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  );
  const { asked, results } = await run(
    [
      [read("n.ipynb")],
      [["NotebookEdit", { notebook_path: "n.ipynb", cell_id: "missing", new_source: "2" }]],
      [read("nowhere.txt")],
      [["WebFetch", { url: "file:///etc/passwd", prompt: "x" }]],
      [["WebFetch", { url: "no address", prompt: "x" }]],
    ],
    { ask: ["Read(nowhere.txt)"] },
  );
  expect([asked, results.length]).toEqual([[], 5]);
  expect(results[2]).toContain("does not exist");
});

test("a command in a deleted folder gets an error, and the next one runs in the project", async () => {
  const touch: Call = ["Bash", { command: "touch a" }];
  const { asked, results } = await run([[touch], [touch]], { cwd: join(cwd, "gone") });
  expect(asked).toEqual(["Bash"]);
  expect(results[0]).toContain("no longer exists");
  expect(readFileSync(join(cwd, "a"), "utf8")).toBe("");
});

test("a call that needs an earlier call of the same turn is asked about, and works", async () => {
  const { asked, results } = await run([
    [["Write", { file_path: "a.txt", content: "one" }], edit("a.txt", "one")],
  ]);
  expect(asked).toEqual(["Write", "Edit"]);
  expect(results[1]).toContain("Edited");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("new");
});

test("an edit of a file that is read in the same turn gets an error without a question if its text is missing", async () => {
  writeFileSync(join(cwd, "a.txt"), "one\n");
  const { asked, results } = await run([[read("a.txt"), edit("a.txt", "three")]]);
  expect([asked, results[1]]).toEqual([[], expect.stringMatching(/^Error: .*not/)]);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
});

test("of several edits of one file in a turn, only those that can still succeed are asked about", async () => {
  writeFileSync(join(cwd, "a.txt"), "one two\n");
  const { asked, results } = await run([
    [read("a.txt"), edit("a.txt", "one"), edit("a.txt", "one two"), edit("a.txt", "two")],
  ]);
  expect(asked).toEqual(["Edit", "Edit"]);
  expect(results.map((text) => text.startsWith("Error"))).toEqual([false, false, true, false]);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("new new\n");
});

test("a command is asked about while an earlier one runs", async () => {
  const { asked } = await run(
    [
      [
        ["Bash", { command: "touch one; while ! test -e go; do sleep 0.02; done", timeout: 10_000 }],
        ["Bash", { command: "touch late" }],
      ],
    ],
    { onAsked: (count) => count === 2 && writeFileSync(join(cwd, "go"), "") },
  );
  expect(asked).toEqual(["Bash", "Bash"]);
});

test("promise 3: whether a file outside the workspace exists is not revealed before the user allows it", async () => {
  writeFileSync(join(folder, "there.txt"), "one");
  const paths = ["there.txt", "not-there.txt"].map((name) => join(folder, name));
  const { asked } = await run(
    paths.flatMap((path) => [[read(path)], [["Write", { file_path: path, content: "x" }] as Call]]),
  );
  expect(asked).toEqual(["Read", "Write", "Read", "Write"]);
});
