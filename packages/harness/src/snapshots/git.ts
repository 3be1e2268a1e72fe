/**
 * Git as a store of files. It uses no configuration except the settings below, runs no hooks and no filters, and is
 * independent of the workspace's own repository.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { QUIET_ENVIRONMENT, QUIET_OPTIONS, findGit } from "@runahead/base";
import { SnapshotFailure } from "./failure.ts";

const SETTINGS: readonly string[] = [
  "core.bare=false",
  "core.attributesFile=/dev/null",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.autocrlf=false",
  "core.safecrlf=false",
  "core.fileMode=true",
  "core.symlinks=true",
  "core.ignoreCase=false",
  "core.precomposeUnicode=false",
  "core.protectHFS=false",
  "core.protectNTFS=false",
  "gc.auto=0",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

const WORDS_CHARS = 300;
/** The first version whose `update-index` adds all files of one run to one pack. */
const PACKING = [2, 37] as const;

export interface GitPlaces {
  readonly program: string;
  /** The folder of the store. */
  readonly store: string;
  readonly index: string;
  /** The folder whose files it reads. */
  readonly tree: string;
}

/** Throws if git is not installed. */
export async function snapshotGit(workspace: string): Promise<string> {
  const program = findGit(workspace);
  if (program === undefined) throw new SnapshotFailure("git is not installed; snapshots need it");
  return program;
}

export class Git {
  readonly #places: GitPlaces;
  readonly #signal: AbortSignal;

  constructor(places: GitPlaces, signal: AbortSignal) {
    this.#places = places;
    this.#signal = signal;
  }

  /** Returns the same store for another folder. */
  on(tree: string): Git {
    return new Git({ ...this.#places, tree }, this.#signal);
  }

  /** Whether `update-index` can write many files to one pack. Older versions would make a pack for each file. */
  async packsMany(): Promise<boolean> {
    const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(await this.run(["--version"])) ?? [];
    return Number(major) > PACKING[0] || (Number(major) === PACKING[0] && Number(minor) >= PACKING[1]);
  }

  /** Returns the output. Throws with the error output if git fails. */
  async run(args: readonly string[], input = ""): Promise<string> {
    const talk = this.talk(args);
    talk.say(input);
    return talk.end();
  }

  /** Starts a git process that answers requests. Its `end` must be awaited. */
  talk(args: readonly string[]): Talk {
    this.#signal.throwIfAborted();
    const { program } = this.#places;
    // Outside of the tree, git reads paths as relative to the tree.
    const child = spawn(program, [...QUIET_OPTIONS, ...SETTINGS, ...args], {
      cwd: "/",
      env: this.#environment(),
    });
    return new Talk(child, args[0] ?? "", this.#signal);
  }

  #environment(): Record<string, string> {
    const { store, tree, index } = this.#places;
    return {
      PATH: "/usr/bin:/bin",
      // An empty home, so that git finds no configuration there.
      HOME: store,
      XDG_CONFIG_HOME: store,
      LC_ALL: "C",
      GIT_DIR: store,
      GIT_WORK_TREE: tree,
      GIT_INDEX_FILE: index,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      ...QUIET_ENVIRONMENT,
    };
  }
}

/** A git process that runs until its input ends or the signal aborts. */
export class Talk {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #command: string;
  readonly #signal: AbortSignal;
  readonly #ended: Promise<number | null>;
  readonly #output: AsyncIterator<Buffer>;
  readonly #stop = (): void => void this.#child.kill("SIGKILL");
  #rest: Buffer = Buffer.alloc(0);
  #words = "";

  constructor(child: ChildProcessWithoutNullStreams, command: string, signal: AbortSignal) {
    this.#child = child;
    this.#command = command;
    this.#signal = signal;
    this.#output = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    // It can exit before it has read everything; its exit code says why.
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (words: string) => {
      this.#words = `${this.#words}${words}`.slice(-WORDS_CHARS);
    });
    child.on("error", (error) => (this.#words = error.message));
    this.#ended = new Promise((resolve) => child.once("close", resolve));
    signal.addEventListener("abort", this.#stop, { once: true });
  }

  say(text: string): void {
    this.#child.stdin.write(text, "latin1");
  }

  /** Reads `count` parts, each without its terminator. */
  async readParts(end: "\n" | "\0", count: number): Promise<string[]> {
    const parts = this.#rest.toString("latin1").split(end);
    // The last one is not complete yet.
    while (parts.length <= count) {
      const piece = await this.#next();
      if (piece === undefined) throw await this.#failure();
      parts.push(...`${parts.pop() ?? ""}${piece.toString("latin1")}`.split(end));
    }
    this.#rest = Buffer.from(parts.slice(count).join(end), "latin1");
    return parts.slice(0, count);
  }

  async readBytes(count: number): Promise<Buffer> {
    const pieces = [this.#rest];
    let length = this.#rest.length;
    while (length < count) {
      const piece = await this.#next();
      if (piece === undefined) throw await this.#failure();
      pieces.push(piece);
      length += piece.length;
    }
    const all = Buffer.concat(pieces, length);
    this.#rest = all.subarray(count);
    return all.subarray(0, count);
  }

  /** Closes the input, and resolves with the rest of the output when the process has exited. */
  async end(): Promise<string> {
    this.#child.stdin.end();
    const pieces = [this.#rest];
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) pieces.push(piece);
    const code = await this.#ended;
    this.#signal.removeEventListener("abort", this.#stop);
    if (code !== 0) throw await this.#failure();
    return Buffer.concat(pieces).toString("latin1");
  }

  /** Kills the process and drops the rest of its output. */
  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    this.#child.stdout.resume();
    await this.#ended;
    this.#signal.removeEventListener("abort", this.#stop);
  }

  async #next(): Promise<Buffer | undefined> {
    const next = await this.#output.next();
    return next.done === true ? undefined : next.value;
  }

  async #failure(): Promise<Error> {
    await this.#ended;
    if (this.#signal.aborted) return this.#signal.reason as Error;
    const words = this.#words.trim().replaceAll(/\s*\n\s*/g, "; ");
    return new SnapshotFailure(`git ${this.#command} failed: ${words === "" ? "no error message" : words}`);
  }
}
