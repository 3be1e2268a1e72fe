/** The worktree of a sub-agent: made by git, or by WorktreeCreate hooks. */

import { execFile } from "node:child_process";
import { isAbsolute } from "node:path";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { messageOf } from "@runahead/base";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { LoopOptions } from "../loop/options.ts";
import { Refused } from "./refused.ts";
import type { WorktreeFolder } from "./worktree-folder.ts";
import { type Worktree, type WorktreeSettings, addWorktree } from "./worktree.ts";

interface Wanted {
  readonly id: string;
  readonly cwd: string;
  readonly folder: WorktreeFolder;
  readonly hooks: LoopOptions["hooks"];
  readonly settings: WorktreeSettings | undefined;
}

/** Hooks that create worktrees replace git. */
export async function worktreeFor({ id, cwd, folder, hooks, settings = {} }: Wanted): Promise<Worktree> {
  const runner = hooks !== undefined && "happen" in hooks ? hooks : undefined;
  if (runner?.has("WorktreeCreate") === true) return hookedWorktree(id, cwd, runner);
  const made = await addWorktree(id, cwd, { folder, settings });
  return { ...made, finish: async () => reported(await made.finish(), made.path, runner) };
}

async function hookedWorktree(id: string, cwd: string, hooks: HookRunner): Promise<Worktree> {
  const facts = { name: id, worktree_name: id };
  const { blocked, context, specific = [], messages } = await hooks.happen("WorktreeCreate", facts, { cwd });
  const named = specific.flatMap(({ worktreePath }) =>
    typeof worktreePath === "string" ? [worktreePath] : [],
  );
  const path = [...named, ...context].at(-1)?.trim().split("\n").at(-1)?.trim() ?? "";
  const why = blocked?.reason ?? messages.join(" ");
  if (blocked !== undefined || !isAbsolute(path) || !(await isFolder(path)))
    throw new Refused(
      `Not started: the WorktreeCreate hook did not print the path of a folder.${why === "" ? "" : ` ${why}`}`,
    );
  return { path, cwd: path, finish: () => finished(path, cwd, hooks) };
}

const run = promisify(execFile);

/** With changes it is kept; otherwise WorktreeRemove hooks remove it. */
async function finished(path: string, cwd: string, hooks: HookRunner): Promise<string> {
  const kept = `[Its changes are in ${path}.]`;
  try {
    const { stdout } = await run("git", ["-C", path, "status", "--porcelain"], { timeout: 60_000 });
    if (stdout.trim() !== "") return kept;
  } catch (error) {
    return `${kept.slice(0, -1)} It could not be compared: ${messageOf(error)}]`;
  }
  if (!hooks.has("WorktreeRemove")) return kept;
  await hooks.happen("WorktreeRemove", { worktree_path: path }, { cwd });
  return `[Its worktree ${path} was unchanged, and the WorktreeRemove hook ran.]`;
}

/** Reports that git's worktree was removed. */
async function reported(text: string, path: string, hooks: HookRunner | undefined): Promise<string> {
  const isRemoved = !(await isFolder(path));
  if (isRemoved && hooks?.has("WorktreeRemove") === true)
    await hooks.happen("WorktreeRemove", { worktree_path: path });
  return text;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
