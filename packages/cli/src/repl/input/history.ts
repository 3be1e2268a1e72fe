/** The history of prompts across sessions, in one private file: one JSON line per prompt, latest last. */

import { appendFile, mkdir, open, rename, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { World } from "../../shared/world.ts";
import { runaheadHome } from "@runahead/harness";

/** Longer text was pasted, and would take the editor seconds to lay out. */
const MOST_TYPED_CHARS = 10_000;
/** A larger file is cut to its end. */
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
  /** Writes lines one after the other, in the order they were typed. */
  #writing: Promise<void> = Promise.resolve();
  #typed: Typed[] = [];
  #hasWarned = false;

  constructor(world: World, onNotice: (message: string) => void) {
    this.#path = join(runaheadHome(world), "history.jsonl");
    this.#cwd = world.cwd;
    this.#onNotice = onNotice;
  }

  /** Reads the file. If it cannot be read, a notice says so and the history lasts until the program exits. */
  async load(): Promise<void> {
    try {
      const bytes = await this.#read();
      const lines = bytes.toString("utf8").split("\n");
      this.#typed = [...lines.flatMap(typedIn), ...this.#typed];
      if (bytes.length > MOST_BYTES) await this.#shorten(lines);
    } catch (error) {
      this.#warn(error);
    }
  }

  /** Prompts from this folder, latest last. */
  get here(): readonly string[] {
    return distinct(this.#typed.filter(({ cwd }) => cwd === this.#cwd));
  }

  /** Prompts from all folders, latest last. */
  get everywhere(): readonly string[] {
    return distinct(this.#typed);
  }

  /** Returns false if the text is too long to be kept. */
  add(text: string): boolean {
    if (text.length >= MOST_TYPED_CHARS) return false;
    const typed = { cwd: this.#cwd, text };
    this.#typed.push(typed);
    this.#writing = this.#writing
      .then(async () => {
        await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
        await appendFile(this.#path, `${JSON.stringify(typed)}\n`, { mode: 0o600 });
      })
      .catch((error: unknown) => this.#warn(error));
    return true;
  }

  /** Resolves when everything is written. */
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

  /** Replaces the file in one step. A line that another process appends at this moment can be lost. */
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

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#onNotice(`Cannot save the prompt history: ${why}`);
  }
}

/** Skips lines in an unknown format. */
function typedIn(line: string): Typed[] {
  try {
    const { cwd, text } = JSON.parse(line) as Partial<Typed>;
    return typeof cwd === "string" && typeof text === "string" ? [{ cwd, text }] : [];
  } catch {
    return [];
  }
}

/** Keeps only the last of equal prompts. */
function distinct(typed: readonly Typed[]): string[] {
  const latest = new Set(typed.map(({ text }) => text).toReversed());
  return [...latest].toReversed();
}
