/** Runs ripgrep without a shell or configuration file. It has no child processes, so killing it is enough. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { StringDecoder } from "node:string_decoder";
import { withoutOwnKeys } from "@runahead/base";
import { Refusal } from "../shared/refusal.ts";

export interface Search {
  /** Options, including the pattern. */
  readonly args: readonly string[];
  /** What to search: `./`, or a file in the folder with `./` in front. */
  readonly path: string;
  readonly cwd: string;
  /** The separator of output records. */
  readonly separator: "\n" | "\0";
  /** Receives records as they arrive. Return false to stop the search. */
  readonly take: (records: readonly string[]) => boolean;
  readonly signal: AbortSignal;
}

export interface SearchEnd {
  /** 0: found, 1: nothing found, 2: error; null if it was stopped. */
  readonly code: number | null;
  /** Errors about files. */
  readonly complaints: readonly Complaint[];
  /** Error about the pattern or the options; undefined if they are valid. */
  readonly invalid: string | undefined;
}

/** An error of ripgrep about a file. */
export interface Complaint {
  readonly type: "unreadable" | "other";
  readonly path: string;
  readonly words: string;
}

const ERROR_CHARS = 4_000;

/** Every search includes hidden files except version control folders, and applies `.gitignore` outside repositories too. */
const ALWAYS = [
  "--no-config",
  "--color=never",
  "--no-ignore-messages",
  "--hidden",
  "--no-require-git",
  ...[".git", ".hg", ".svn", ".jj"].map((name) => `--glob=!${name}`),
];

export async function ripgrep(search: Search): Promise<SearchEnd> {
  const { args, path, cwd, signal } = search;
  signal.throwIfAborted();
  const program = await programPath();
  const child = spawn(program, [...ALWAYS, ...args, "--", path], {
    cwd,
    env: withoutConfig(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    errors = (errors + part).slice(0, ERROR_CHARS);
  });
  const records = new Records(search.separator);
  child.stdout.on("data", (bytes: Buffer) => {
    if (!signal.aborted && !search.take(records.add(bytes))) kill();
  });
  signal.addEventListener("abort", kill, { once: true });
  try {
    const code = await new Promise<number | null>((done, fail) => {
      child.once("error", (error) => fail(new Refusal(`Cannot start ripgrep: ${error.message}`)));
      child.once("close", done);
    });
    signal.throwIfAborted();
    search.take(records.end());
    const parts = code === 2 ? partsOf(errors) : [];
    const isAllOfFiles = parts.every((part) => part.startsWith("./"));
    return {
      code,
      complaints: parts.filter((part) => part.startsWith("./")).map(complaintOf),
      invalid: isAllOfFiles ? undefined : await optionError(program, args, signal),
    };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

async function programPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (error) {
    throw new Refusal(`ripgrep is not installed for this platform: ${(error as Error).message}`);
  }
}

function withoutConfig(): NodeJS.ProcessEnv {
  const { RIPGREP_CONFIG_PATH: _config, ...env } = withoutOwnKeys(process.env);
  return env;
}

/** Joins pieces of output into whole records. */
class Records {
  readonly #separator: string;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  constructor(separator: string) {
    this.#separator = separator;
  }

  add(bytes: Buffer): string[] {
    const records = (this.#rest + this.#decoder.write(bytes)).split(this.#separator);
    this.#rest = records.pop() as string;
    return records;
  }

  end(): string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    return rest === "" ? [] : [rest];
  }
}

/** Searches run on `./`, so every printed name begins with it. */
export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

function partsOf(errors: string): string[] {
  return errors
    .split(/^rg: /m)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Searches run on `./`, so every error about a file begins with it. ripgrep has no codes for its errors. */
function complaintOf(said: string): Complaint {
  const words = said.slice(2);
  const unreadable = /^(.*): [^:]* \(os error \d+\)$/s.exec(words);
  if (unreadable !== null) return { type: "unreadable", path: unreadable[1] as string, words };
  return { type: "other", path: /^(.*?): /s.exec(words)?.[1] ?? words, words };
}

/**
 * Returns the error about the pattern or the options by running ripgrep on empty input. The error of the search itself
 * can quote an ignore file, which another process could replace with a link to a secret file.
 */
async function optionError(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const child = spawn(program, [...ALWAYS, "--no-ignore", ...args, "--", "-"], {
    cwd: "/",
    env: withoutConfig(),
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return code === 2 ? partsOf(errors.slice(0, ERROR_CHARS)).join("\n") : undefined;
}
