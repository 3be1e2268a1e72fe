/** Runs ripgrep: no shell, no configuration file. It starts no process of its own, so that to kill it is enough. */

import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { Refusal } from "./refusal.ts";

export interface Search {
  readonly args: readonly string[];
  readonly cwd: string;
  /** What ends one record of its output. */
  readonly separator: "\n" | "\0";
  /** Gets records as they come; false: enough, it is stopped. */
  readonly take: (records: readonly string[]) => boolean;
  readonly signal: AbortSignal;
}

export interface SearchEnd {
  /** 0: found, 1: nothing found, 2: something went wrong; null where it was stopped. */
  readonly code: number | null;
  /** Its own words. */
  readonly errors: string;
}

const ERROR_CHARS = 4_000;

/** For every search: hidden files too, but no version control's own; `.gitignore` counts, also outside a repository. */
const ALWAYS = [
  "--no-config",
  "--color=never",
  // What is wrong in an ignore file is not the search's to show: another process can put a link in its place.
  "--no-ignore-messages",
  "--hidden",
  "--no-require-git",
  ...[".git", ".hg", ".svn", ".jj"].map((name) => `--glob=!${name}`),
];

export async function ripgrep(search: Search): Promise<SearchEnd> {
  const { args, cwd, signal } = search;
  signal.throwIfAborted();
  const program = await programPath();
  const child = spawn(program, [...ALWAYS, ...args], {
    cwd,
    env: withoutConfig(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(0, ERROR_CHARS);
  });
  const records = new Records(search.separator);
  child.stdout.on("data", (bytes: Buffer) => {
    if (!signal.aborted && !search.take(records.add(bytes))) kill();
  });
  signal.addEventListener("abort", kill, { once: true });
  try {
    const code = await new Promise<number | null>((done, fail) => {
      child.once("error", (error) => fail(new Refusal(`ripgrep cannot be started: ${error.message}`)));
      child.once("close", done);
    });
    signal.throwIfAborted();
    search.take(records.end());
    return { code, errors };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

async function programPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (error) {
    throw new Refusal(`ripgrep is not installed for this system: ${(error as Error).message}`);
  }
}

function withoutConfig(): NodeJS.ProcessEnv {
  const { RIPGREP_CONFIG_PATH: _config, ...env } = process.env;
  return env;
}

/** Pieces of output become whole records. */
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

/** Searches are given `./`, so every name that comes out begins with it. */
export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/** One thing that ripgrep complained of. */
export type Complaint =
  | { readonly type: "search"; readonly words: string }
  | { readonly type: "unreadable" | "other-file"; readonly path: string; readonly words: string };

/** By its `./` what is said of a file is told from what is said of the search. */
export function complaintsOf({ code, errors }: SearchEnd): Complaint[] {
  if (code !== 2) return [];
  const parts = errors.split(/^rg: /m).map((part) => part.trim());
  return parts.filter((part) => part !== "").map(complaintOf);
}

function complaintOf(words: string): Complaint {
  if (!words.startsWith("./")) return { type: "search", words };
  const unreadable = /^\.\/(.*): [^:]* \(os error \d+\)$/s.exec(words);
  if (unreadable !== null)
    return { type: "unreadable", path: unreadable[1] as string, words: words.slice(2) };
  const path = /^\.\/(.*?): /s.exec(words)?.[1] ?? words;
  return { type: "other-file", path, words: words.slice(2) };
}
