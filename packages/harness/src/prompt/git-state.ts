/** The state of the repository when a conversation starts. */

import { execFile } from "node:child_process";
import { type OwnGit, ownGit } from "@runahead/base";
import type { Surroundings } from "../surroundings.ts";
import type { GitBranches } from "./environment.ts";

/** The state of a repository. A long status is cut, and its last line says so. */
export interface GitState extends GitBranches {
  readonly status: string;
  readonly commits: readonly string[];
}

const LIMIT_MS = 3_000;
const MAX_BYTES = 1_000_000;
const STATUS_LINES = 40;
const LINE_CHARS = 200;
const COMMITS = 5;
const STATUS_FAILED = "(not available: git status failed or took too long)";

/**
 * Reads branch, status and last commits. Runs no program that the repository's configuration names. Resolves with
 * undefined if the folder is not in a repository or git is not installed.
 */
export async function gitState({ cwd, env }: Surroundings): Promise<GitState | undefined> {
  const git = await ownGit(cwd, env).catch(() => undefined);
  if (git === undefined) return undefined;
  const run = runner(git, cwd);
  if ((await run("rev-parse", "--git-dir")).type !== "done") return undefined;
  const [branch, remote, local, status, log] = await Promise.all([
    run("symbolic-ref", "--quiet", "--short", "HEAD"),
    run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"),
    run("for-each-ref", "--format=%(refname:short)", "refs/heads/main", "refs/heads/master"),
    statusOf(git, cwd),
    run("log", `-${COMMITS}`, "--no-show-signature", "--format=%h %s"),
  ]);
  return {
    branch: line(textOf(branch)),
    defaultBranch: line(textOf(remote).replace(/^origin\//, "") || (textOf(local).split("\n", 1)[0] ?? "")),
    status,
    commits: textOf(log).split("\n").filter(Boolean).map(line),
  };
}

type Ran =
  | { readonly type: "done"; readonly text: string }
  /** It printed more than is read. */
  | { readonly type: "cut"; readonly text: string }
  | { readonly type: "failed"; readonly code: unknown };

type Run = (...args: readonly string[]) => Promise<Ran>;

function runner({ program, options, env }: OwnGit, cwd: string): Run {
  const limits = { cwd, env, timeout: LIMIT_MS, maxBuffer: MAX_BYTES };
  return (...args) =>
    new Promise<Ran>((resolve) => {
      execFile(program, [...options, ...args], limits, (error, stdout) => {
        if (error === null) resolve({ type: "done", text: stdout.trimEnd() });
        else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") resolve({ type: "cut", text: stdout });
        else resolve({ type: "failed", code: error.code });
      });
      // Thrown, and not reported to the callback, if the arguments or variables are too long.
    }).catch((error: unknown) => ({ type: "failed", code: error }));
}

function textOf(ran: Ran): string {
  return ran.type === "done" ? ran.text : "";
}

async function statusOf(git: OwnGit, cwd: string): Promise<string> {
  const off = withoutFilters(await runner(git, cwd)("config", ...FILTERS));
  if (off === undefined) return STATUS_FAILED;
  const run = runner({ ...git, env: { ...git.env, ...off } }, cwd);
  const status = await run("-c", "core.quotePath=false", "status", "--porcelain", "--ignore-submodules=all");
  return status.type === "failed" ? STATUS_FAILED : bounded(status);
}

const FILTERS = ["--null", "--name-only", "--get-regexp", String.raw`^filter\..*\.(clean|smudge|process)$`];
const NO_MATCH = 1;

/**
 * Returns the variables that turn off every filter, because `git status` runs those that the configuration names.
 * Returns undefined if a filter could be missed: then the status must not run.
 */
function withoutFilters(listed: Ran): Record<string, string> | undefined {
  if (listed.type === "failed" && listed.code === NO_MATCH) return {};
  // A name that is not UTF-8 cannot be passed on as it is.
  if (listed.type !== "done" || listed.text.includes("\uFFFD")) return undefined;
  const names = [...new Set(listed.text.split("\0").filter(Boolean))];
  const settings = names.flatMap((key) => [
    [key, ""],
    [`${key.slice(0, key.lastIndexOf("."))}.required`, "false"],
  ]);
  const pairs = settings.flatMap(([key = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

function bounded(status: Exclude<Ran, { type: "failed" }>): string {
  if (status.text === "") return "(clean)";
  const lines = status.text.split("\n");
  const more = lines.length - STATUS_LINES;
  const shown = lines.slice(0, STATUS_LINES).map(line);
  const count = status.type === "cut" ? `more than ${more}` : String(more);
  return [...shown, ...(more > 0 ? [`… ${count} more`] : [])].join("\n");
}

function line(text: string): string {
  return text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text;
}
