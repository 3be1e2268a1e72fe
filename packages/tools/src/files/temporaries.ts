/**
 * Records the temporary files of writes before they are created, so that those that a killed agent leaves in the
 * workspace are removed at the next start.
 */

import { randomUUID } from "node:crypto";
import { appendFileSync, lstatSync, rmSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { leftFolders, makeOwnFolder, ownFolderName, readText, usableHome } from "../shared/owner-folder.ts";

const FOLDER = "writes";
const LIST = "temporary-files";
/** The only names that are removed. */
const NAME = /^\.runahead-[0-9a-f]{12}\.tmp$/;

export class Temporaries {
  readonly #folder: string;
  #isOpen = false;

  constructor(home: string) {
    this.#folder = join(usableHome(home), FOLDER, ownFolderName(randomUUID()));
  }

  /** Records a file that is about to be created. If that fails, the file is only not found after a crash. */
  note(path: string): void {
    try {
      this.#open();
      appendFileSync(join(this.#folder, LIST), `${JSON.stringify(path)}\n`, { mode: 0o600 });
    } catch {
      // The write itself reports what is wrong with the disk.
    }
  }

  #open(): void {
    if (this.#isOpen) return;
    makeOwnFolder(this.#folder);
    this.#isOpen = true;
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }
}

/** Removes the temporary files of agents that no longer run. */
export function removeTemporaries(home: string): void {
  for (const { path } of leftFolders(join(home, FOLDER))) {
    for (const line of readText(join(path, LIST)).split("\n")) removeListed(line);
    rmSync(path, { recursive: true, force: true });
  }
}

function removeListed(line: string): void {
  try {
    const path: unknown = JSON.parse(line);
    if (typeof path !== "string" || !NAME.test(basename(path))) return;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true && found.uid === process.getuid?.()) unlinkSync(path);
  } catch {
    // A line that was cut by the crash, or a file that cannot be removed.
  }
}
