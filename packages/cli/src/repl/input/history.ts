/** What was typed, kept across sessions in one private file: a line of JSON for each, the latest last. */

import { appendFile, mkdir, open, rename, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { World } from "../../shared/world.ts";
import { runaheadHome } from "@runahead/harness";

/** What is longer was pasted; the editor would lay it out for seconds. */
const MOST_TYPED_CHARS = 10_000;
/** Of a file that has grown beyond this, the end is kept. */
const MOST_BYTES = 2_000_000;
const KEPT_BYTES = 1_000_000;

interface Typed {
  readonly cwd: string;
  readonly text: string;
}

export class History {
  readonly #path: string;
  readonly #cwd: string;
  readonly #onNotice: (message: string) => void;
  /** One line after the other, as they were typed. */
  #writing: Promise<void> = Promise.resolve();
  #typed: Typed[] = [];
  #isTold = false;

  constructor(world: World, onNotice: (message: string) => void) {
    this.#path = join(runaheadHome(world), "history.jsonl");
    this.#cwd = world.cwd;
    this.#onNotice = onNotice;
  }

  /** Reads the file. One that cannot be read is told of, and what is typed is kept as long as the program runs. */
  async load(): Promise<void> {
    try {
      const bytes = await this.#read();
      const lines = bytes.toString("utf8").split("\n");
      this.#typed = [...lines.flatMap(typedIn), ...this.#typed];
      if (bytes.length > MOST_BYTES) await this.#shorten(lines);
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Of this folder, the latest last. */
  get here(): readonly string[] {
    return distinct(this.#typed.filter(({ cwd }) => cwd === this.#cwd));
  }

  /** Of all folders, the latest last. */
  get everywhere(): readonly string[] {
    return distinct(this.#typed);
  }

  /** False for what is too long to be kept. */
  add(text: string): boolean {
    if (text.length >= MOST_TYPED_CHARS) return false;
    const typed = { cwd: this.#cwd, text };
    this.#typed.push(typed);
    this.#writing = this.#writing
      .then(async () => {
        await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
        await appendFile(this.#path, `${JSON.stringify(typed)}\n`, { mode: 0o600 });
      })
      .catch((error: unknown) => this.#tell(error));
    return true;
  }

  /** Resolves when all of it is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #read(): Promise<Buffer> {
    const file = await open(this.#path, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    try {
      return (await file?.readFile()) ?? Buffer.alloc(0);
    } finally {
      await file?.close();
    }
  }

  /** What another program appends at this moment may be lost; what is there is never half. */
  async #shorten(lines: readonly string[]): Promise<void> {
    let bytes = 0;
    const kept = lines.toReversed().filter((line) => (bytes += Buffer.byteLength(line) + 1) < KEPT_BYTES);
    const draft = `${this.#path}.${randomBytes(6).toString("hex")}`;
    try {
      await appendFile(draft, `${kept.toReversed().join("\n").trim()}\n`, { flag: "wx", mode: 0o600 });
      await rename(draft, this.#path);
    } finally {
      await rm(draft, { force: true });
    }
  }

  #tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#onNotice(`What you type is not kept for later: ${why}`);
  }
}

/** A line that is none of ours is passed over. */
function typedIn(line: string): Typed[] {
  try {
    const { cwd, text } = JSON.parse(line) as Partial<Typed>;
    return typeof cwd === "string" && typeof text === "string" ? [{ cwd, text }] : [];
  } catch {
    return [];
  }
}

/** Of what was typed more than once, the last. */
function distinct(typed: readonly Typed[]): string[] {
  const latest = new Set(typed.map(({ text }) => text).toReversed());
  return [...latest].toReversed();
}
