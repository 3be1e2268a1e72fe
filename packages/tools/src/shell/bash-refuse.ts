/**
 * Refuses commands that would kill the agent itself (F15). Commands run in their own session, so signals to a group do
 * not reach the agent. A kill by name can only be recognised in the text, and only if it is written plainly.
 */

import { basename } from "node:path";
import { readFileSync } from "node:fs";
import { type ShellCommand, type ShellWord, readShell } from "@runahead/permissions";

/** The process that must not be killed. */
export interface Self {
  readonly pid: number;
  readonly names: readonly string[];
  readonly commandLine: string;
}

export function thisProcess(): Self {
  const { pid, execPath, execArgv, argv } = process;
  const name = basename(execPath);
  const own = readName();
  const names = own === "" || own === name ? [name] : [name, own];
  return { pid, names, commandLine: [execPath, ...execArgv, ...argv.slice(1)].join(" ") };
}

function readName(): string {
  try {
    return readFileSync("/proc/self/comm", "utf8").trim();
  } catch {
    return "";
  }
}

/** Returns why the command is refused; undefined if it is not. */
export function endsAgent(command: string, cwd: string, self: Self): string | undefined {
  if (!/kill|pgrep|pidof/.test(command)) return undefined;
  const { commands } = readShell(command, { cwd, home: "/" });
  const found = commands.find((one) => isFatal(one, self)) ?? foundAndKilled(commands, self);
  if (found === undefined) return undefined;
  const words = found.words.map(({ raw }) => raw).join(" ");
  return (
    `Not run: \`${words}\` would also kill this agent (process ${self.pid}, ${self.names[0]}). ` +
    "Kill the process you mean by its id (kill <pid>), or end a background job with KillShell."
  );
}

function isFatal({ words }: ShellCommand, self: Self): boolean {
  const [name, ...args] = words;
  switch (basename(name?.value ?? "")) {
    case "killall":
      return operands(args).some(({ value }) => self.names.includes(basename(value)));
    case "pkill":
      return matches(args, self);
    case "kill":
      return args.some((word, at) => isAgent(word, at, self));
    default:
      return false;
  }
}

/** `kill $(pgrep node)`, `pgrep node | xargs kill`. */
function foundAndKilled(commands: readonly ShellCommand[], self: Self): ShellCommand | undefined {
  const named = (name: string): ShellCommand[] =>
    commands.filter(({ words }) => basename(words[0]?.value ?? "") === name);
  if (named("kill").length === 0) return undefined;
  return (
    named("pgrep").find(({ words }) => matches(words.slice(1), self)) ??
    named("pidof").find(({ words }) =>
      operands(words.slice(1)).some(({ value }) => self.names.includes(value)),
    )
  );
}

/** Options that limit a pattern to certain children, groups, sessions, terminals or a pid file. */
const NARROWED = /^(?:-[Pgst]|-F|--(?:parent|pgroup|session|terminal|pidfile))/;
const TAKES_VALUE = /^(?:-[uUGr]|--(?:euid|uid|group|signal|runstates))$/;

function matches(args: readonly ShellWord[], self: Self): boolean {
  if (args.some(({ value }) => NARROWED.test(value))) return false;
  const options = args.map(({ value }) => value).filter((value) => value.startsWith("-"));
  const isWhole = options.some((value) => /^-\w*f/.test(value) || value === "--full");
  const isExact = options.some((value) => /^-\w*x/.test(value) || value === "--exact");
  const texts = isWhole ? [self.commandLine] : self.names;
  return operands(args).some(({ value }) =>
    texts.some((text) => (isExact ? text === value : isFound(value, text))),
  );
}

function isFound(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return text.includes(pattern);
  }
}

function operands(args: readonly ShellWord[]): ShellWord[] {
  return args.filter(({ value }, at) => {
    const before = args[at - 1]?.value ?? "";
    return !value.startsWith("-") && !TAKES_VALUE.test(before);
  });
}

/** The shell's parent is this process. A first `-1` is a signal; a later one means every process. */
function isAgent({ raw, value }: ShellWord, at: number, { pid }: Self): boolean {
  if (/^"?\$(?:PPID|\{PPID\})"?$/.test(raw)) return true;
  return value === String(pid) || (value === `-${pid}` && at > 0) || (value === "-1" && at > 0);
}
