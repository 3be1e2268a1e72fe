/** The environment section of the system prompt. */

import { platform, release } from "node:os";

/** The facts of the environment section, fixed when the agent starts. */
export interface Environment {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Undefined outside of a git repository. */
  readonly git: GitBranches | undefined;
  /** The shell that runs commands, such as `bash`. */
  readonly shell: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly model: string;
  readonly mode: string;
  /** Whether a user can answer questions in this run. */
  readonly canAsk: boolean;
}

/** The branches of a repository. */
export interface GitBranches {
  /** Empty with a detached HEAD. */
  readonly branch: string;
  /** Empty if git does not know it. */
  readonly defaultBranch: string;
}

export function environmentSection(environment: Environment): string {
  const { cwd, additionalDirectories, shell, date, model, mode, canAsk } = environment;
  return [
    "# Environment",
    `Working directory: ${cwd}`,
    ...(additionalDirectories.length === 0
      ? []
      : [`Additional directories: ${additionalDirectories.join(", ")}`]),
    `Git: ${gitLine(environment.git)}`,
    `Platform: ${platform()} ${release()}, shell ${shell}`,
    `Date: ${date}`,
    `Model: ${model}`,
    `Permission mode: ${mode}`,
    canAsk ? "The user can answer questions." : "Nobody can answer questions in this run.",
  ].join("\n");
}

function gitLine(git: GitBranches | undefined): string {
  if (git === undefined) return "not a repository";
  const branch = git.branch === "" ? "no branch (detached HEAD)" : `branch ${git.branch}`;
  return git.defaultBranch === "" || git.defaultBranch === git.branch
    ? branch
    : `${branch}, default branch ${git.defaultBranch}`;
}

/** The local date as YYYY-MM-DD. */
export function today(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
