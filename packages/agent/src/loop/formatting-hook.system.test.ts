import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileTools } from "../../../tools/src/files/file-tools.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { createHooks } from "../hooks/hooks.ts";
import type { Block } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";

let cwd = "";
beforeEach(() => (cwd = realpathSync(mkdtempSync(join(tmpdir(), "formatting-hook-")))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

test("what a formatter in a PostToolUse hook changes is in the result, counts as read, and stops no later edit", async () => {
  writeFileSync(join(cwd, "format.sh"), "tr a-z A-Z < a.txt > b.txt && mv b.txt a.txt\n");
  const hooks = createHooks({
    configs: [
      {
        source: "settings.json",
        root: cwd,
        trusted: true,
        hooks: {
          PostToolUse: [{ matcher: "Write|Edit", hooks: [{ type: "command", command: "sh format.sh" }] }],
        },
      },
    ],
    projectDir: cwd,
    cwd,
    env: process.env,
    sessionId: "s1",
    transcriptPath: "",
    permissionMode: () => "default",
    onNotice: () => {},
  });
  const calls: readonly (readonly [string, object])[] = [
    ["Write", { file_path: "a.txt", content: "one\n" }],
    ["Edit", { file_path: "a.txt", old_string: "ONE", new_string: "two\nthree" }],
    ["Write", { file_path: "a.txt", content: "FOUR\n" }],
  ];
  const turns = calls.map(([name, input], id): Block[] => [
    { type: "tool_use", id: String(id), name, input },
  ]);
  const model = scripted([...turns, [{ type: "text", text: "Done." }]]);
  const { result } = await runQuery({ prompt: "go", model, tools: fileTools(), hooks, cwd });
  await hooks.close();
  const results = result.messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((block) => (block.type === "tool_result" ? [String(block["content"])] : [])),
  );
  const path = join(cwd, "a.txt");
  expect(results).toEqual([
    `Created ${path}: 4 bytes.\nA hook changed ${path} afterwards (+1 −1 lines):\n@@ line 1 @@\n-one\n+ONE`,
    `Edited ${path} in 1 place, line 1 (+2 −1 lines).\nA hook changed ${path} afterwards (+2 −2 lines):\n@@ line 1–2 @@\n-two\n-three\n+TWO\n+THREE`,
    `Wrote ${path}: 5 bytes (+1 −2 lines).`,
  ]);
  expect(readFileSync(path, "utf8")).toBe("FOUR\n");
});
