/** Runs ripgrep: no shell, no configuration file. It starts no process of its own, so that to kill it is enough. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { StringDecoder } from "node:string_decoder";
import { withoutOwnKeys } from "@runahead/base";
import { Refusal } from "../shared/refusal.ts";

export interface Search {
  /** Options, among them the pattern. */
  readonly args: readonly string[];
  /** What to search: `./`, or a file of the folder with `./` in front. */
  readonly path: string;
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
  /** What it said of files. */
  readonly complaints: readonly Complaint[];
  /** What it said of the pattern and the options; undefined: nothing is wrong with them. */
  readonly invalid: string | undefined;
}

/** Something that ripgrep could not do with a file. */
export interface Complaint {
  readonly type: "unreadable" | "other";
  readonly path: string;
  readonly words: string;
}

const ERROR_CHARS = 4_000;

/** For every search: hidden files too, but no version control's own; `.gitignore` counts, also outside a repository. */
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
      child.once("error", (error) => fail(new Refusal(`ripgrep cannot be started: ${error.message}`)));
      child.once("close", done);
    });
    signal.throwIfAborted();
    search.take(records.end());
    const parts = code === 2 ? partsOf(errors) : [];
    const isAllOfFiles = parts.every((part) => part.startsWith("./"));
    return {
      code,
      complaints: parts.filter((part) => part.startsWith("./")).map(complaintOf),
      invalid: isAllOfFiles ? undefined : await saidOfOptions(program, args, signal),
    };
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
  const { RIPGREP_CONFIG_PATH: _config, ...env } = withoutOwnKeys(process.env);
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

function partsOf(errors: string): string[] {
  return errors
    .split(/^rg: /m)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Searches are given `./`, so what is said of a file begins with it. */
function complaintOf(said: string): Complaint {
  const words = said.slice(2);
  const unreadable = /^(.*): [^:]* \(os error \d+\)$/s.exec(words);
  if (unreadable !== null) return { type: "unreadable", path: unreadable[1] as string, words };
  return { type: "other", path: /^(.*?): /s.exec(words)?.[1] ?? words, words };
}

/**
 * What is wrong with the pattern or the options, found out on no input at all. What the search itself said can quote
 * an ignore file, and another process can put a link in its place.
 */
async function saidOfOptions(
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
