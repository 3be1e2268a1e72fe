/** A note on disk that a restore is running. A crash leaves it, so that the next start can report it. */

import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { shapeOf, stringOf } from "@runahead/base";

interface Restore {
  readonly id: string;
  readonly before: string;
}

export class UnfinishedRestore {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, "restoring");
  }

  /** Resolves when the note is on disk. Throws if it cannot be written; then nothing must be restored. */
  async begin({ id, before }: Restore): Promise<void> {
    const handle = await open(this.#path, "w", 0o600);
    try {
      await handle.writeFile(JSON.stringify({ id, before }));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  async end(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async find(): Promise<Restore | undefined> {
    const text = await readFile(this.#path, "utf8").catch(() => undefined);
    return text === undefined ? undefined : parsed(text);
  }
}

/** Undefined if the crash was before the note was complete: then nothing had been restored. */
function parsed(text: string): Restore | undefined {
  try {
    const shape = shapeOf(JSON.parse(text));
    const [id, before] = [stringOf(shape["id"]), stringOf(shape["before"])];
    return id === "" || before === "" ? undefined : { id, before };
  } catch {
    return undefined;
  }
}
