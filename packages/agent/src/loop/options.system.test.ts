import { rmSync, symlinkSync } from "node:fs";
import { type CanUseTool, runTools } from "@runahead/engine";
import { expect, test } from "vitest";
import { TestFolder } from "../../../tools/test/support/file-tool-calls.ts";
import { scripted } from "../model/scripted.ts";
import { fileTools } from "../../../tools/src/files/file-tools.ts";
import { createPermissionGate } from "../gate/gate.ts";
import { type PermissionRules, judgeOf } from "./options.ts";

/** One call, judged by rules. */
async function judgedCall(
  cwd: string,
  permissions: PermissionRules,
  [name, input]: [string, object],
): Promise<unknown> {
  const tools = fileTools();
  const canUseTool = judgeOf({ permissions, tools, model: scripted([]) }) as CanUseTool;
  for await (const update of runTools([{ id: "1", name, input }], { tools, canUseTool, context: { cwd } }))
    if (update.type === "result") return update.result.content;
  throw new Error("the call has no result");
}

test.each([
  ["Read", { file_path: "link/a.txt" }],
  ["Write", { file_path: "link/new.txt", content: "" }],
  ["Grep", { pattern: "x", path: "link" }],
  ["Glob", { pattern: "*", path: "link" }],
])(
  "class 9: %s is refused if the verdict was about a different file than the one it opens",
  async (...call) => {
    const folder = new TestFolder();
    folder.write("secret/a.txt", "x");
    folder.write("judged/a.txt", "x");
    const relink = (target: string): void => {
      rmSync(folder.at("link"), { force: true });
      symlinkSync(target, folder.at("link"));
    };
    relink("secret");
    const settings = { mode: "acceptEdits", sources: [] };
    const gate = createPermissionGate({ settings, cwd: folder.path });
    // The claims and the call see one folder, and only the verdict sees the other.
    const decide: PermissionRules["decide"] = (...about) => {
      relink("judged");
      const verdict = gate.decide(...about);
      relink("secret");
      return verdict;
    };
    expect(await judgedCall(folder.path, { decide }, call)).toMatch(
      /^Error: link\S* now resolves to \S*\/secret\S*, but permission was checked for \S*\/judged\S*: /,
    );
  },
);

test("a search that is judged by a parent folder still searches the requested folder", async () => {
  const folder = new TestFolder();
  folder.write("sub/a..b", "");
  const settings = { mode: "bypassPermissions", sources: [] };
  const gate = createPermissionGate({ settings, cwd: folder.path });
  expect(await judgedCall(folder.path, gate, ["Glob", { pattern: "a..b", path: "sub" }])).toBe("sub/a..b");
});
