/**
 * Large outputs of a session in a store. Tools read them as files, which exist on one machine only. So each file that a result
 * names is kept in the store too, and written again when a later call names it on another machine.
 */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, readFile, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Around, Results } from "@runahead/engine";
import { codeOf, isShape, messageOf } from "@runahead/base";
import { type Notice, makePrivateFolder } from "./folder.ts";
import { safeName } from "./results.ts";

/** The name of the state that says under which name the store has each file. */
export const OUTPUTS = "stored-outputs";
/** Larger files stay on the machine that wrote them. */
const MOST_BYTES = 64_000_000;
/** How deep a member of an input can be. */
const DEPTH = 4;

export interface StoredOutputsOptions {
  /** The folder of the session on this machine. */
  readonly folder: string;
  /** Stores a text, and resolves with its name. */
  readonly keep: (item: { readonly callId: string; readonly text: string }) => Promise<string>;
  /** Resolves with a stored text; undefined if there is none. */
  readonly read: (name: string) => Promise<string | undefined>;
  /** The state of the session: the names of the texts by the names of the files. */
  readonly names: () => Readonly<Record<string, unknown>>;
  /** Changes that state. */
  readonly note: (set: Readonly<Record<string, string>>) => void;
  readonly onNotice: Notice;
}

export class StoredOutputs implements Results {
  readonly #options: StoredOutputsOptions;
  /** The files that results have named, with their sizes when they were stored. */
  readonly #sizes = new Map<string, number>();
  readonly #path: RegExp;

  constructor(options: StoredOutputsOptions) {
    this.#options = options;
    this.#path = new RegExp(`${escaped(options.folder)}/([\\w./-]+)`, "g");
  }

  async store({ callId, text }: { readonly callId: string; readonly text: string }): Promise<string> {
    const file = `results/${safeName(callId)}-${randomUUID()}.txt`;
    const name = await this.#options.keep({ callId, text });
    this.#options.note({ [file]: name });
    this.#sizes.set(file, Buffer.byteLength(text));
    // If it cannot be written here, the call that names it tries again.
    await this.#write(file, text).catch(() => {});
    return join(this.#options.folder, file);
  }

  /** Brings back the files that a call names, and keeps those that its output names. */
  readonly around: Around = async ({ input }, next) => {
    for (const file of this.#named(textsIn(input))) await this.#restore(file);
    try {
      const output = await next();
      for (const file of this.#named(textsIn(output))) await this.#keep(file);
      return output;
    } catch (error) {
      for (const file of this.#named([messageOf(error)])) await this.#keep(file);
      throw error;
    }
  };

  /** Keeps what background commands have written since, and removes the files of this machine. */
  async settle(): Promise<void> {
    for (const file of this.#sizes.keys()) await this.#keep(file);
    const { folder } = this.#options;
    // Most sessions have none, and `rm` takes much longer to find that out.
    if (existsSync(folder)) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }

  #named(texts: readonly string[]): ReadonlySet<string> {
    const { folder } = this.#options;
    const files = texts
      .filter((text) => text.includes(folder))
      .flatMap((text) => [...text.matchAll(this.#path)].map(([, file = ""]) => file.replace(/\.+$/, "")));
    return new Set(files.filter((file) => !file.split("/").includes("..")));
  }

  async #keep(file: string): Promise<void> {
    const { folder, keep, note, onNotice } = this.#options;
    try {
      const { size } = await stat(join(folder, file));
      if (size === this.#sizes.get(file)) return;
      if (size > MOST_BYTES) throw new Error(`it has ${size} bytes (limit ${MOST_BYTES})`);
      const name = await keep({ callId: file, text: await readFile(join(folder, file), "utf8") });
      note({ [file]: name });
      this.#sizes.set(file, size);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return;
      onNotice(`Cannot keep the output ${file} in the store: ${messageOf(error)}`);
    }
  }

  /** Throws if it should be there and is not: the tool would say only that there is no such file. */
  async #restore(file: string): Promise<void> {
    const { folder, names } = this.#options;
    const name = names()[file];
    const path = join(folder, file);
    if (typeof name !== "string" || (await exists(path))) return;
    const text = await this.#textOf(path, name);
    await this.#write(file, text);
    this.#sizes.set(file, Buffer.byteLength(text));
  }

  async #textOf(path: string, name: string): Promise<string> {
    try {
      const text = await this.#options.read(name);
      if (text !== undefined) return text;
    } catch (error) {
      throw failure(`Cannot read ${path} from the store of the session: ${messageOf(error)}`);
    }
    throw failure(`${path} was deleted from the store of the session.`);
  }

  async #write(file: string, text: string): Promise<void> {
    const path = join(this.#options.folder, file);
    await this.#makeFolder(dirname(path));
    const unfinished = join(dirname(path), `.${randomUUID()}.unfinished`);
    await writeFile(unfinished, text, { flag: "wx", mode: 0o600 });
    await rename(unfinished, path);
  }

  /** Makes the folders from that of the tenant on. */
  async #makeFolder(path: string): Promise<void> {
    if (path !== dirname(this.#options.folder)) await this.#makeFolder(dirname(path));
    await makePrivateFolder(path);
  }
}

/** The model reads the message, and has no use for where it was thrown. */
function failure(message: string): Error {
  const error = new Error(message);
  error.stack = "";
  return error;
}

/** The texts in the members of a value. */
function textsIn(value: unknown, depth = DEPTH): readonly string[] {
  if (typeof value === "string") return [value];
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  const members: readonly unknown[] = Array.isArray(value)
    ? value
    : isShape(value)
      ? Object.values(value)
      : [];
  return members.flatMap((member) => textsIn(member, depth - 1));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Removes what sessions have left that ended without settling, such as because their process was killed. */
export async function removeOldOutputs(folder: string, beforeMs: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Before what is in it is removed, which makes it newer.
    const isOld = (await changedAt(path)) < beforeMs;
    if (!entry.isDirectory()) {
      if (isOld) await rm(path, { force: true }).catch(() => {});
      continue;
    }
    await removeOldOutputs(path, beforeMs);
    // Fails if something is left in it.
    if (isOld) await rmdir(path).catch(() => {});
  }
}

async function changedAt(path: string): Promise<number> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
