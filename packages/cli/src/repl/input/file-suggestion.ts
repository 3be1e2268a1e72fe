/** `fileSuggestion` of the settings: a command that completes file names after an `@`. */

import { spawn } from "node:child_process";
import { type CodingAgent, withoutOwnKeys } from "@runahead/harness";
import type { World } from "../../shared/world.ts";

/** Resolves with paths, the best one first. */
export type FileSuggester = (query: string, signal: AbortSignal | undefined) => Promise<readonly string[]>;

const LIMIT_MS = 5000;
const MOST_CHARS = 100_000;

/** Undefined if the setting names no command. */
export function suggesterOf(
  setting: unknown,
  { root, env, passEnv }: Pick<CodingAgent["settings"], "root" | "env" | "passEnv">,
  world: World,
): FileSuggester | undefined {
  const { type = "command", command } = (setting ?? {}) as {
    readonly type?: unknown;
    readonly command?: unknown;
  };
  if (type !== "command" || typeof command !== "string" || command.trim() === "") return undefined;
  const ownEnv = { ...withoutOwnKeys(world.env, passEnv), ...env, CLAUDE_PROJECT_DIR: root };
  return (query, signal) => run({ command, cwd: world.cwd, env: ownEnv, query }, signal);
}

interface Run {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly query: string;
}

/** A command that fails suggests nothing. */
function run({ command, cwd, env, query }: Run, signal: AbortSignal | undefined): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd,
      env,
      timeout: LIMIT_MS,
      stdio: ["pipe", "pipe", "ignore"],
      ...(signal === undefined ? {} : { signal }),
    });
    let printed = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => (printed = (printed + text).slice(0, MOST_CHARS)));
    // A command that does not read its input closes the pipe.
    child.stdin.on("error", () => {});
    child.stdin.end(`${JSON.stringify({ query })}\n`);
    child.once("error", () => resolve([]));
    child.once("close", (code) => resolve(code === 0 ? linesIn(printed) : []));
  });
}

function linesIn(printed: string): string[] {
  const lines = printed.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ""))];
}
