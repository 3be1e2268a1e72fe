import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
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
import type { Session } from "../session/session.ts";
import { sessions } from "../session/sessions.ts";
import { agentTools } from "./task-tools.ts";
import { addWorktree } from "./worktree.ts";
import { WorktreeFolder, type WorktreeSearch, limitWorktreeSearch } from "./worktree-folder.ts";
import { Worktrees } from "./worktrees.ts";

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
  expect(seen[0]).toMatch(/home\/projects\/[^/]+\/s1\/worktrees\/agent-1\/sub$/);
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

const store = () => sessions({ home: join(world, "home"), cwd: repo });
const options: LoopOptions = {
  model: scripted([]),
  tools: [],
  get cwd() {
    return repo;
  },
};
const swept = (session: Session | undefined): Promise<readonly string[]> =>
  new Worktrees(session).sweep(options);
/** After a crash nobody holds the lock. */
async function crashed(folder: WorktreeFolder): Promise<void> {
  await folder.close();
}

test("after a crash, unchanged worktrees are removed and those with changes are kept", async () => {
  const session = await store().create("s1");
  const folder = new WorktreeFolder(session, repo);
  const [clean, changed, committed] = [
    await addWorktree("agent-1", repo, { folder }),
    await addWorktree("agent-2", repo, { folder }),
    await addWorktree("agent-3", repo, { folder }),
  ];
  writeFileSync(join(changed.path, "new.txt"), "x");
  execFileSync(
    "git",
    ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "--allow-empty", "-qm", "second"],
    {
      cwd: committed.path,
    },
  );
  await crashed(folder);
  expect(await swept(session)).toEqual([changed.path, committed.path]);
  expect([clean, changed, committed].map(({ path }) => existsSync(path))).toEqual([false, true, true]);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(3);
  await session.close();
});

test("a worktree that was being made or removed when the process was killed is removed with its branch", async () => {
  const session = await store().create("s1");
  const folder = new WorktreeFolder(session, repo);
  const [making, removing, gone] = [
    await addWorktree("agent-1", repo, { folder }),
    await addWorktree("agent-2", repo, { folder }),
    await addWorktree("agent-3", repo, { folder }),
  ];
  // Half of the files are there, which looks like changes; git's own lock is left by a kill too.
  rmSync(join(making.path, "sub"), { recursive: true });
  git("worktree", "lock", making.path);
  rmSync(join(removing.path, ".git"));
  rmSync(gone.path, { recursive: true });
  for (const { path } of [making, removing, gone]) writeFileSync(`${path}.unfinished`, repo);
  await crashed(folder);
  expect(await swept(session)).toEqual([]);
  expect([
    readdirSync(join(making.path, "..")),
    git("worktree", "list").trim().split("\n").length,
    git("branch", "--list", "runahead/*"),
  ]).toEqual([[], 1, ""]);
  await session.close();
});

test("the worktrees of a session that another process uses are left alone", async () => {
  const [one, other] = [await store().create("s1"), await store().create("s2")];
  const folder = new WorktreeFolder(other, repo);
  const worktree = await addWorktree("agent-1", repo, { folder });
  await swept(one);
  expect(existsSync(worktree.path)).toBe(true);
  await crashed(folder);
  await swept(one);
  expect(existsSync(worktree.path)).toBe(false);
  await Promise.all([one.close(), other.close()]);
});

test("an agent looks for the worktrees that its process wants it to look for", async () => {
  const [ended, own] = [await store().create("s1"), await store().create("s2")];
  const folders = [ended, own].map((session) => new WorktreeFolder(session, repo));
  const made = await Promise.all(folders.map((folder) => addWorktree("agent-1", repo, { folder })));
  await Promise.all(folders.map(crashed));
  const left = async (search: WorktreeSearch): Promise<boolean[]> => {
    limitWorktreeSearch(own, search);
    await swept(own);
    return made.map(({ path }) => existsSync(path));
  };
  expect(await left("none")).toEqual([true, true]);
  expect(await left("own")).toEqual([true, false]);
  expect(await left("all")).toEqual([false, false]);
  await Promise.all([ended.close(), own.close()]);
});

test("a session in another folder of the repository removes them too", async () => {
  const inSub = await sessions({ home: join(world, "home"), cwd: join(repo, "sub") }).create("s1");
  const folder = new WorktreeFolder(inSub, join(repo, "sub"));
  const worktree = await addWorktree("agent-1", repo, { folder });
  await crashed(folder);
  await inSub.close();
  const session = await store().create("s2");
  await swept(session);
  expect(existsSync(worktree.path)).toBe(false);
  await session.close();
});

test("so does one in a worktree of the user, with a home that is a link", async () => {
  const session = await store().create("s1");
  const folder = new WorktreeFolder(session, repo);
  const left = await addWorktree("agent-1", repo, { folder });
  await crashed(folder);
  await session.close();
  const linked = join(world, "linked");
  git("worktree", "add", "-q", "--detach", linked);
  symlinkSync(join(world, "home"), join(world, "link"));
  const other = await sessions({ home: join(world, "link"), cwd: linked }).create("s2");
  await new Worktrees(other).sweep({ ...options, cwd: linked });
  expect(existsSync(left.path)).toBe(false);
  await other.close();
});

test("without a session, worktrees are in a folder of the home, and the next process removes what is left", async () => {
  process.env["RUNAHEAD_HOME"] = join(world, "other-home");
  try {
    const folder = new WorktreeFolder(undefined, repo);
    const worktree = await addWorktree("agent-1", repo, { folder });
    expect(worktree.path).toMatch(/other-home\/projects\/[^/]+\/without-session-[^/]+\/worktrees\/agent-1$/);
    await crashed(folder);
    await swept(undefined);
    expect(existsSync(worktree.path)).toBe(false);
  } finally {
    delete process.env["RUNAHEAD_HOME"];
  }
});

test("linked folders are real folders of the repository: links that lead elsewhere are left out", async () => {
  const outside = join(world, "outside");
  mkdirSync(outside);
  mkdirSync(join(repo, "node_modules"));
  symlinkSync(outside, join(repo, "away"));
  symlinkSync(join(repo, ".git"), join(repo, "inner"));
  symlinkSync(join(repo, "node_modules"), join(repo, "alias"));
  const symlinkDirectories = ["node_modules", "alias", "away", "inner", ".git", "../outside", ".", "missing"];
  const session = await store().create("s1");
  const folder = new WorktreeFolder(session, repo);
  const worktree = await addWorktree("agent-1", repo, { folder, settings: { symlinkDirectories } });
  const { path } = worktree;
  expect(readdirSync(path).toSorted()).toEqual([".git", "alias", "node_modules", "sub"]);
  expect(realpathSync(join(path, "alias"))).toBe(join(repo, "node_modules"));
  expect(await worktree.finish()).toContain("removed");
  expect(existsSync(join(repo, "node_modules"))).toBe(true);
  await folder.close();
  await session.close();
});

test("a folder without a repository is refused", async () => {
  await expect(
    addWorktree("agent-1", world, { folder: new WorktreeFolder(undefined, world) }),
  ).rejects.toThrow("isolation needs a git repository");
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
  const folder = new WorktreeFolder(session, repo);
  const worktree = await addWorktree("agent-1", repo, { folder });
  await worktree.finish();
  await folder.close();
  expect(existsSync(ran)).toBe(false);
  await session.close();
});
