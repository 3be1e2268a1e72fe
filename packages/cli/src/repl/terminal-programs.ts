/** Programs that need the whole terminal, so that `!vim notes.md` works. */

import { spawn } from "node:child_process";
import { SHELL } from "./own-command.ts";
import type { World } from "../shared/world.ts";

/** Editors, pagers, monitors and the like. */
const SCREENS = setOf(
  "vi vim nvim nano pico emacs micro hx helix kak joe less more most man info top htop btop atop glances watch mosh " +
    "tmux screen zellij lazygit tig gitui fzf ranger nnn mc vifm ncdu gdb lldb",
);
/** They take over the terminal only without arguments. */
const PROMPTS = setOf(
  "bash zsh fish sh python python3 ipython node deno irb ghci psql mysql sqlite3 redis-cli mongosh",
);
/** Forms of git that open an editor or ask. */
const GIT =
  /^git (?:commit(?! .*(?:-\w*m|--message|-F|-C|--no-edit))|rebase .*(?:-i|--interactive)|add .*(?:-p|-i)\b)/;

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

/** Whether the command takes over the terminal. Only a single command does: a list or a pipe prints. */
export function needsTerminal(command: string): boolean {
  if (/[|&;<>\n]/.test(command)) return false;
  const words = command
    .trim()
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word));
  const [first = "", ...rest] = words[0] === "sudo" ? words.slice(1) : words;
  const name = first.replace(/^.*\//, "");
  if (name === "git") return GIT.test([name, ...rest].join(" "));
  if (name === "ssh") return rest.filter((word) => !word.startsWith("-")).length === 1;
  return SCREENS.has(name) || (PROMPTS.has(name) && rest.length === 0);
}

/** Runs the command with the terminal. Resolves with why it failed, or an empty string. */
export function runInTerminal(command: string, { cwd, env }: World): Promise<string> {
  const child = spawn(SHELL, ["-c", command], { cwd, env, stdio: "inherit" });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? "" : signal === null ? `exit code ${code}` : `killed by ${signal}`),
    );
  });
}
