/** What git knows of the workspace when a conversation begins. */

import { execFile } from "node:child_process";
import { type OwnGit, ownGit } from "@runahead/base";
import type { Surroundings } from "../surroundings.ts";
import type { GitBranches } from "./environment.ts";

/** The state of a repository, bounded: a large status is cut and says so. */
export interface GitState extends GitBranches {
  readonly status: string;
  readonly commits: readonly string[];
}

const LIMIT_MS = 3_000;
const MOST_BYTES = 1_000_000;
const STATUS_LINES = 40;
const LINE_CHARS = 200;
const COMMITS = 5;

/** Undefined outside of a repository, or where git is missing. */
export async function gitState({ cwd, env }: Surroundings): Promise<GitState | undefined> {
  const git = await ownGit(cwd, env).catch(() => undefined);
  if (git === undefined) return undefined;
  const run = runner(git, cwd);
  const quiet = runner(
    { ...git, env: { ...git.env, ...withoutFilters(await run("config", ...FILTERS)) } },
    cwd,
  );
  const [branch, remote, local, status, log] = await Promise.all([
    run("symbolic-ref", "--quiet", "--short", "HEAD"),
    run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"),
    run("for-each-ref", "--format=%(refname:short)", "refs/heads/main", "refs/heads/master"),
    quiet("status", "--porcelain", "--ignore-submodules=all"),
    run("log", `-${COMMITS}`, "--no-show-signature", "--format=%h %s"),
  ]);
  return {
    branch: line(branch ?? ""),
    defaultBranch: line(remote?.replace(/^origin\//, "") ?? local?.split("\n", 1)[0] ?? ""),
    status: status === undefined ? "(git status failed or took too long)" : bounded(status),
    commits: (log ?? "").split("\n").filter(Boolean).map(line),
  };
}

type Run = (...args: readonly string[]) => Promise<string | undefined>;

/** Undefined if git fails, prints too much or takes too long. */
function runner({ program, options, env }: OwnGit, cwd: string): Run {
  const limits = { cwd, env, timeout: LIMIT_MS, maxBuffer: MOST_BYTES };
  return (...args) =>
    new Promise((resolve) => {
      execFile(program, [...options, ...args], limits, (error, stdout) =>
        resolve(error === null ? stdout.trimEnd() : undefined),
      );
    });
}

const FILTERS = ["--null", "--name-only", "--get-regexp", String.raw`^filter\..*\.(clean|smudge|process)$`];

/** `git status` runs the filters that a repository's configuration names, so every one is switched off. */
function withoutFilters(listed: string | undefined): Record<string, string> {
  const names = [...new Set((listed ?? "").split("\0").filter(Boolean))];
  const settings = names.flatMap((key) => [
    [key, ""],
    [key.replace(/[^.]+$/, "required"), "false"],
  ]);
  const pairs = settings.flatMap(([key = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

function bounded(status: string): string {
  if (status === "") return "(clean)";
  const lines = status.split("\n");
  const more = lines.length - STATUS_LINES;
  const shown = lines.slice(0, STATUS_LINES).map(line);
  return [...shown, ...(more > 0 ? [`… ${more} more`] : [])].join("\n");
}

function line(text: string): string {
  return text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text;
}
