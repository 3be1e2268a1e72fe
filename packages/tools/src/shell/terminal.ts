/** Runs a command in a terminal of the client, such as an editor, where the user sees it. */

import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, limitedSignal, messageOf, withoutOwnKeys } from "@runahead/base";
import { CANNOT_READ, showText } from "./bash-result.ts";
import type { Ended, Folder } from "./process-run.ts";
import { SHELL, SHELL_NAME } from "./shell-program.ts";
import { Refusal } from "../shared/refusal.ts";

/** A program to start in a terminal. */
export interface TerminalRequest {
  /** The call that it belongs to. */
  readonly callId: string;
  /** Absolute path of the program. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Its working directory. */
  readonly cwd: string;
  /** Variables in addition to those of the terminal. */
  readonly env: Readonly<Record<string, string>>;
  /** How much of the end of its output is kept. */
  readonly outputBytes: number;
}

/** A program in a terminal of the client. */
export interface ClientTerminal {
  /** Resolves when the program has ended. */
  exited(): Promise<{
    /** Exit code; null or undefined if a signal ended it. */
    readonly exitCode?: number | null | undefined;
    /** Name of the signal that ended it. */
    readonly signal?: string | null | undefined;
  }>;
  /** Resolves with its output so far. */
  output(): Promise<{
    /** The output, or its end. */
    readonly output: string;
    /** Whether the beginning is missing. */
    readonly truncated: boolean;
  }>;
  /** Ends the program. */
  kill(): Promise<void>;
  /** Frees the terminal. The client can go on showing its output. */
  release(): Promise<void>;
}

/** Terminals of the client. */
export interface ClientTerminals {
  /** Starts a program in a new terminal. Rejects if that is not possible. */
  create(request: TerminalRequest): Promise<ClientTerminal>;
}

interface Running extends Pick<TerminalRequest, "callId" | "cwd"> {
  readonly command: string;
  readonly env: Environment;
  readonly added: Environment;
  readonly passEnv: readonly string[] | undefined;
  /** Name and value of the variable that marks our processes. */
  readonly mark: readonly [string, string];
  /** Folder for the report of the working directory. */
  readonly folder: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface TerminalEnd {
  readonly ended: Ended | { readonly type: "timed-out" } | { readonly type: "stopped" };
  readonly text: string;
  readonly folder: Folder;
}

const OUTPUT_BYTES = 1_000_000;
const SCRIPT =
  'report=$2; eval_this=$1; set --; trap \'command pwd -P >"$report" 2>/dev/null\' EXIT; eval "$eval_this"';
const WAIT_MS = 2_000;

export async function runInTerminal(terminals: ClientTerminals, running: Running): Promise<TerminalEnd> {
  const { command, callId, cwd, folder, limitMs, signal } = running;
  const report = join(folder, `${randomUUID()}.folder`);
  const request = {
    callId,
    command: SHELL,
    args: ["-c", SCRIPT, SHELL_NAME, command, report],
    cwd,
    env: variables(running),
    outputBytes: OUTPUT_BYTES,
  };
  const terminal = await terminals.create(request).catch((error: unknown) => {
    throw new Refusal(`The editor did not open a terminal: ${wordsOf(error)}. The command was not run.`);
  });
  try {
    const limit = limitedSignal(signal, limitMs);
    const ended = await Promise.race([terminal.exited().then(endedBy), aborted(limit, signal)]);
    if (ended.type === "timed-out" || ended.type === "stopped") {
      await terminal.kill().catch(() => {});
      await Promise.race([terminal.exited().catch(() => {}), aborted(AbortSignal.timeout(WAIT_MS), signal)]);
    }
    const { output, truncated } = await terminal.output();
    const { text } = showText(output, { where: "The terminal has all of it.", advice: CANNOT_READ });
    const cut = truncated ? "[The beginning of the output is missing.]\n" : "";
    return { ended, text: `${cut}${text}`, folder: await folderIn(report) };
  } catch (error) {
    await terminal.kill().catch(() => {});
    throw new Refusal(
      `The editor lost the terminal of the command: ${wordsOf(error)}. The command ran and may have had effects.`,
    );
  } finally {
    await terminal.release().catch(() => {});
    await rm(report, { force: true });
  }
}

function wordsOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, "");
}

/** The terminal has the environment of the client. API keys that we know are emptied there. */
function variables({ env, added, passEnv, mark }: Running): Record<string, string> {
  const passed = withoutOwnKeys(env, passEnv);
  const keys = Object.keys(env).filter((name) => env[name] !== undefined && passed[name] === undefined);
  const all = { ...Object.fromEntries(keys.map((name) => [name, ""])), ...added, [mark[0]]: mark[1] };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function endedBy({ exitCode, signal }: Awaited<ReturnType<ClientTerminal["exited"]>>): Ended {
  return typeof exitCode === "number"
    ? { type: "exited", code: exitCode }
    : { type: "killed", signal: signal ?? "an unknown signal" };
}

function aborted(limit: AbortSignal, stop: AbortSignal): Promise<{ readonly type: "timed-out" | "stopped" }> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ type: stop.aborted ? "stopped" : "timed-out" });
    if (limit.aborted) end();
    else limit.addEventListener("abort", end, { once: true });
  });
}

async function folderIn(report: string): Promise<Folder> {
  const text = await readFile(report, "utf8").catch(() => "");
  const path = text.replace(/\n$/, "");
  return path.startsWith("/") ? { type: "path", path } : { type: "unknown" };
}
