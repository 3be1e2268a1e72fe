/** A workspace, folders that its tools must not read or write, and a process that exchanges the two. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { namesBelow } from "../support/names-below.ts";

/** In every forbidden file, and in the names of those that have no counterpart in the workspace. */
export const MARK = "forbidden7secret";

export class RaceWorld {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-race-")));
  readonly work = join(this.root, "work");
  /** Outside the workspace, and inside it with a rule that denies it. */
  readonly #forbidden = [join(this.root, "outside"), join(this.work, "denied")];
  /** What the racer exchanges: folders, folders in the middle of a path, files. */
  readonly #pairs: string[] = [];
  readonly #before: readonly string[];

  constructor() {
    for (const [at, folder] of ["one", "two"].entries()) {
      const forbidden = this.#forbidden[at] as string;
      fill(join(this.work, folder), "inside");
      fill(forbidden, MARK);
      for (const name of ["", "mid/"]) write(join(forbidden, `${name}${MARK}.txt`), `needle ${MARK}\n`);
      write(join(forbidden, ".gitignore"), `[z-a]${MARK}\n`);
      this.#pair(this.work, folder, forbidden);
      this.#pair(join(this.work, folder), "mid", join(forbidden, "mid"));
      for (const name of ["a.txt", "a.ipynb"])
        this.#pair(join(this.work, folder, "mid"), name, join(forbidden, "mid", name));
    }
    this.#before = this.#state();
  }

  #pair(folder: string, name: string, target: string): void {
    symlinkSync(target, join(folder, `${name}-link`));
    this.#pairs.push(folder, name, `${name}-link`);
  }

  /** Runs a job beside the racer. */
  async racing<Value>(job: () => Promise<Value>): Promise<Value> {
    const script = fileURLToPath(new URL("racer.py", import.meta.url));
    const racer = spawn("python3", [script, ...this.#pairs], { stdio: ["pipe", "pipe", "inherit"] });
    try {
      await once(racer.stdout, "data");
      return await job();
    } finally {
      await end(racer);
    }
  }

  /** What was made, changed or removed where nothing may be. */
  changes(): string[] {
    const now = this.#state();
    const made = now.filter((line) => !this.#before.includes(line));
    const gone = this.#before.filter((line) => !now.includes(line));
    return [...made.map((line) => `written: ${line}`), ...gone.map((line) => `lost: ${line}`)];
  }

  /** With times and numbers: a change that was undone shows, too. */
  #state(): string[] {
    return this.#forbidden.flatMap((folder) =>
      namesBelow(folder).map((path) => {
        const stats = lstatSync(path);
        const content = stats.isFile() ? readFileSync(path, "utf8") : "";
        return [path, stats.mtimeMs, stats.ctimeMs, stats.ino, content].join(" ");
      }),
    );
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function end(racer: ChildProcess): Promise<void> {
  if (racer.exitCode !== null || racer.signalCode !== null) return;
  const closed = once(racer, "close");
  racer.kill("SIGKILL");
  await closed;
}

function fill(folder: string, text: string): void {
  for (const name of ["a.txt", "mid/a.txt", "mid/deep/a.txt"])
    write(join(folder, name), `${text}\nneedle ${text}\n`);
  const cells = [{ cell_type: "markdown", id: "first", metadata: {}, source: text }];
  const notebook = JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
  for (const name of ["a.ipynb", "mid/a.ipynb"]) write(join(folder, name), notebook);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
