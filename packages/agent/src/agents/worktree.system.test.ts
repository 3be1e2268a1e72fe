import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, defineTool } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../loop/agent.ts";
import type { LoopOptions } from "../loop/options.ts";
import type { Block } from "../model/message.ts";
import { type ScriptedTurn, scripted } from "../model/scripted.ts";
import { sessions } from "../session/sessions.ts";
import { agentTools } from "./task-tools.ts";
import { addWorktree, sweepWorktrees } from "./worktree.ts";

let world = "";
let repo = "";

beforeEach(() => {
  world = realpathSync(mkdtempSync(join(tmpdir(), "runahead-worktree-")));
  repo = join(world, "repo");
  mkdirSync(join(repo, "sub"), { recursive: true });
  git("init", "-q", "-b", "main");
  writeFileSync(join(repo, "sub", "a.txt"), "one\n");
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first");
});
afterEach(() => rmSync(world, { recursive: true, force: true }));

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: repo, encoding: "utf8" });
}

const text = (said: string): Block => ({ type: "text", text: said });
const use = (id: string, name: string, input: object = {}): Block => ({ type: "tool_use", id, name, input });

async function resultOf(turns: readonly ScriptedTurn[], tool: AnyTool): Promise<string> {
  const session = await sessions({ home: join(world, "home"), cwd: repo }).create("s1");
  const options: LoopOptions = { model: scripted(turns), tools: [tool], cwd: join(repo, "sub") };
  const model = scripted([
    [use("a", "Agent", { description: "work", prompt: "go", isolation: "worktree" })],
    [text("Done.")],
  ]);
  const agent = createAgent({ ...options, model, session, tools: [tool, ...agentTools({ options })] });
  const { messages } = await agent.send("go");
  await agent.close();
  return JSON.stringify(messages[2]?.content);
}

function writer(seen: string[]): AnyTool {
  return defineTool({
    name: "Write",
    description: "Writes b.txt.",
    inputSchema: z.object({}).loose(),
    call: (_input, { cwd }) => {
      seen.push(cwd);
      writeFileSync(join(cwd, "b.txt"), "two\n");
      return "written";
    },
  });
}

test("a sub-agent in a worktree changes nothing of the caller's folder, and its result names branch and changes", async () => {
  const seen: string[] = [];
  const result = await resultOf([[use("1", "Write")], [text("Written.")]], writer(seen));
  expect(seen[0]).toMatch(/repo\/\.runahead\/worktrees\/s1-agent-1\/sub$/);
  expect(git("status", "--porcelain")).toBe("");
  expect(result).toMatch(
    /Its changes are in the git worktree .*agent-1 on branch runahead\/s1-agent-1:\\n sub\/b\.txt \| 1 \+/,
  );
  expect(existsSync(join(seen[0] ?? "", "b.txt"))).toBe(true);
});

test("an unchanged worktree is removed with its branch", async () => {
  const seen: string[] = [];
  const look = defineTool({
    name: "Look",
    description: "Looks.",
    inputSchema: z.object({}).loose(),
    call: (_input, { cwd }) => {
      seen.push(cwd);
      return readdirSync(cwd).join();
    },
  });
  const result = await resultOf([[use("1", "Look")], [text("Seen.")]], look);
  expect(result).toContain("Its git worktree was unchanged and is removed.");
  expect([
    existsSync(seen[0] ?? ""),
    git("branch", "--list", "runahead/*"),
    git("worktree", "list").trim().split("\n").length,
  ]).toEqual([false, "", 1]);
});

test("after a crash, unchanged worktrees are removed and those with changes are kept", async () => {
  const session = await sessions({ home: join(world, "home"), cwd: repo }).create("s1");
  const [clean, changed, committed] = [
    await addWorktree("agent-1", repo, { session }),
    await addWorktree("agent-2", repo, { session }),
    await addWorktree("agent-3", repo, { session }),
  ];
  writeFileSync(join(changed.path, "new.txt"), "x");
  execFileSync(
    "git",
    ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "--allow-empty", "-qm", "second"],
    {
      cwd: committed.path,
    },
  );
  expect(await sweepWorktrees(repo, session)).toEqual([changed.path, committed.path]);
  expect([clean, changed, committed].map(({ path }) => existsSync(path))).toEqual([false, true, true]);
  await session.close();
});

test("the worktrees of a session that another process uses are left alone", async () => {
  const store = sessions({ home: join(world, "home"), cwd: repo });
  const [one, other] = [await store.create("s1"), await store.create("s2")];
  const worktree = await addWorktree("agent-1", repo, { session: other });
  await sweepWorktrees(repo, one);
  expect(existsSync(worktree.path)).toBe(true);
  await other.close();
  await sweepWorktrees(repo, one);
  expect(existsSync(worktree.path)).toBe(false);
  await one.close();
});

test("a folder without a repository is refused", async () => {
  await expect(addWorktree("agent-1", world, { session: undefined })).rejects.toThrow(
    "isolation needs a git repository",
  );
});

test("programs that the repository's configuration names do not run", async () => {
  const ran = join(world, "ran");
  git("config", "filter.evil.smudge", `touch ${ran}`);
  git("config", "core.fsmonitor", `touch ${ran}`);
  writeFileSync(join(repo, ".git", "hooks", "post-checkout"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  writeFileSync(join(repo, ".gitattributes"), "* filter=evil\n");
  git("add", ".gitattributes");
  git("-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.fsmonitor=false", "commit", "-qm", "evil");
  rmSync(ran, { force: true });
  const session = await sessions({ home: join(world, "home"), cwd: repo }).create("s1");
  const worktree = await addWorktree("agent-1", repo, { session });
  await worktree.finish();
  expect(existsSync(ran)).toBe(false);
  await session.close();
});
