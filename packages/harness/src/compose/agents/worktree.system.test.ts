import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptWorld, calls, requestsOf, says } from "../../../test/support/prompt-world.ts";

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "one\n");
  world.write("secret/key", "s3cret\n");
  world.write(".claude/settings.json", JSON.stringify({ permissions: { deny: ["Read(./secret/**)"] } }));
  world.commitAll();
});
afterEach(() => world.remove());

test("a sub-agent in a worktree edits and runs commands there without a question, under the rules of the workspace", async () => {
  const answers = [
    calls("Agent", { description: "d", prompt: "go", isolation: "worktree" }),
    calls("Bash", { command: "cat a.txt && node -e 'require(`fs`).writeFileSync(`b.txt`, `two`)'" }),
    calls("Write", { file_path: "c.txt", content: "three" }),
    calls("Read", { file_path: "secret/key" }),
    calls("Bash", { command: "cat secret/key" }),
    says("in"),
    says("out"),
  ];
  const { agent, server } = await world.start(answers, { permissionMode: "acceptEdits", sandbox: true });
  await agent.send("go");
  const [path = ""] = world.worktrees();
  expect(["b.txt", "c.txt"].map((name) => readFileSync(join(path, name), "utf8"))).toEqual(["two", "three"]);
  expect(["b.txt", "c.txt"].filter((name) => existsSync(join(world.project, name)))).toEqual([]);
  const sent = JSON.stringify(requestsOf(server).at(-2)?.messages);
  expect(sent).not.toContain("s3cret");
  expect(sent.match(/denied|deny rule/gi)?.length).toBeGreaterThanOrEqual(2);
  const result = JSON.stringify(requestsOf(server).at(-1)?.messages.at(-1));
  expect(result).toContain(`Its changes are in the git worktree ${path} on branch runahead/`);
  expect(result).toContain("2 files changed");
});
