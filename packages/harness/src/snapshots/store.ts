/**
 * Stores snapshots in a separate git store that is independent of the workspace's repository. A snapshot is a tree with
 * two entries: the files, and a manifest of what git does not store. Equal workspaces have equal snapshots.
 */

import { randomUUID } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "@runahead/base";
import { SnapshotFailure } from "./failure.ts";
import type { Git } from "./git.ts";
import { type Manifest, fromText, manifestOf, toText } from "./manifest.ts";
import type { Found } from "./walk.ts";

/** Files are stored byte for byte, whatever the workspace's attributes say. */
const ATTRIBUTES = "* -text -crlf -eol -ident -filter !working-tree-encoding\n";
const PRIVATE = 0o700;
const ATTEMPTS = 2;
/** Above this number, new files are written to one pack: a file for each of them takes several times as long. */
const MANY_FILES = 500;
const PACKED = ["-c", "core.bigFileThreshold=1"];
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const ID = /^[0-9a-f]{40,64}$/;
const SHOWN_CHARS = 80;

export interface Snapshot {
  readonly id: string;
  readonly manifest: Manifest;
  /** Files and links. */
  readonly files: ReadonlyMap<string, Kept>;
}

export interface Kept {
  /** Git's mode: 100644, 100755, or 120000 for a link. */
  readonly mode: string;
  readonly blob: string;
}

/** Creates the folder. Throws if it belongs to another user or another workspace. */
export async function prepareFolder(folder: string, workspace: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE });
  const { mode, uid } = await lstat(folder).then((found) => {
    if (!found.isDirectory()) throw new SnapshotFailure(`${folder} is not a folder`);
    return found;
  });
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new SnapshotFailure(`${folder} belongs to another user`);
  if ((mode & 0o777) !== PRIVATE) await chmod(folder, PRIVATE);
  const note = join(folder, "workspace");
  await writeFile(note, workspace, { flag: "wx", mode: 0o600 }).catch(async (error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
    const other = await readFile(note, "utf8");
    // It can be empty after a crash.
    if (other === "") return writeFile(note, workspace);
    if (other !== workspace) throw new SnapshotFailure(`${folder} contains the snapshots of ${other}`);
  });
}

/** The index is only a cache, so one that a crash left is deleted. */
export async function borrowIndex(store: string): Promise<{ path: string; giveBack: () => Promise<void> }> {
  const path = join(store, `index.${randomUUID()}`);
  await mkdir(store, { recursive: true, mode: PRIVATE });
  const left = (await readdir(store)).filter((name) => name.startsWith("index."));
  await Promise.all(left.map((name) => rm(join(store, name), { force: true })));
  await rename(join(store, "index"), path).catch(() => {});
  return { path, giveBack: () => rename(path, join(store, "index")).catch(() => {}) };
}

export class Store {
  readonly #git: Git;
  readonly #folder: string;
  readonly #index: string;

  constructor(git: Git, folder: string, index: string) {
    this.#git = git;
    this.#folder = folder;
    this.#index = index;
  }

  async prepare(): Promise<void> {
    const isMade = await stat(join(this.#folder, "HEAD")).catch(() => undefined);
    if (isMade === undefined) await this.#git.run(["init", "--quiet", "--template="]);
    await mkdir(join(this.#folder, "info"), { recursive: true });
    await mkdir(join(this.#folder, "refs", "snapshots"), { recursive: true });
    await writeFile(join(this.#folder, "info", "attributes"), ATTRIBUTES);
    await rm(join(this.#folder, "HEAD.lock"), { force: true });
  }

  /** Writes the current files. Resolves with the id of the snapshot. */
  async write(found: Found): Promise<string> {
    const tree = await this.#writeFiles(found);
    const text = await this.#git.run(["hash-object", "-w", "--stdin"], toText(manifestOf(found)));
    const entries = `040000 tree ${tree}\tfiles\n100644 blob ${text.trim()}\tmanifest\n`;
    return (await this.#git.run(["mktree"], entries)).trim();
  }

  /** Git can fail if a file changes while it is read, or if the index is damaged, so it is tried twice. */
  async #writeFiles({ files }: Found): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#updateIndex(files);
        return (await this.#git.run(["write-tree"])).trim();
      } catch (error) {
        if (!(error instanceof SnapshotFailure) || attempt === ATTEMPTS) throw error;
        await rm(this.#index, { force: true });
        await rm(`${this.#index}.lock`, { force: true });
      }
    }
  }

  /** Reads only files that seem to have changed since the last snapshot. */
  async #updateIndex(files: Found["files"]): Promise<void> {
    const known = split(await this.#git.run(["ls-files", "--cached", "-z"]));
    const written = await stat(this.#index).catch(() => undefined);
    // Git compares times by the second, so a file that changed in the second of the last look may have changed after it.
    const unsureMs = Math.floor((written?.mtimeMs ?? 0) / SECOND_MS) * SECOND_MS;
    const gone = known.filter((path) => (files.get(path)?.ctimeMs ?? Infinity) >= unsureMs);
    const update = async (how: readonly string[], list: readonly string[]): Promise<void> => {
      const input = list.map((path) => `${path}\0`).join("");
      if (list.length > 0) await this.#git.run([...how, "-z", "--stdin"], input);
    };
    await update(["update-index", "--force-remove"], gone);
    const isLarge = files.size - (known.length - gone.length) > MANY_FILES;
    const pack = isLarge && (await this.#git.packsMany()) ? PACKED : [];
    await update([...pack, "update-index", "--add", "--remove", "--replace"], [...files.keys()]);
  }

  /** Protects the snapshot from being pruned. */
  async keep(id: string): Promise<void> {
    const path = this.#keeper(id);
    const now = new Date();
    await utimes(path, now, now).catch(() => writeFile(path, `${id}\n`));
  }

  /** Throws if there is no snapshot with this id. */
  async checkKept(id: string): Promise<void> {
    const keeper = ID.test(id) ? await stat(this.#keeper(id)).catch(() => undefined) : undefined;
    if (keeper === undefined)
      throw new SnapshotFailure(`there is no snapshot ${JSON.stringify(id.slice(0, SHOWN_CHARS))}`);
  }

  async read(id: string): Promise<Snapshot> {
    const text = await this.#git.run(["cat-file", "blob", `${id}:manifest`]);
    return { id, manifest: fromText(text), files: await this.#files(id) };
  }

  /** Deletes snapshots that were not used for this many days, and the content that only they had. */
  async tidy(keepDays: number): Promise<void> {
    const folder = join(this.#folder, "refs", "snapshots");
    let hasOld = false;
    for (const name of await readdir(folder)) {
      const { mtimeMs } = await stat(join(folder, name));
      if (Date.now() - mtimeMs < keepDays * DAY_MS) continue;
      await rm(join(folder, name));
      hasOld = true;
    }
    if (!hasOld) return;
    // Pruning deletes only loose objects.
    const packs = await readdir(join(this.#folder, "objects", "pack")).catch(() => []);
    if (packs.length > 0) await this.#git.run(["repack", "-a", "-d", "--quiet"]);
    await this.#git.run(["prune", "--expire=now"]);
  }

  async #files(id: string): Promise<ReadonlyMap<string, Kept>> {
    const lines = split(await this.#git.run(["ls-tree", "-r", "-z", "--full-tree", `${id}:files`]));
    return new Map(
      lines.map((line) => {
        const [about, path] = cut(line, "\t");
        const [mode = "", , blob = ""] = about.split(" ");
        return [path, { mode, blob }];
      }),
    );
  }

  #keeper(id: string): string {
    return join(this.#folder, "refs", "snapshots", id);
  }
}

function split(output: string): string[] {
  return output.split("\0").slice(0, -1);
}

function cut(line: string, at: string): [string, string] {
  const index = line.indexOf(at);
  return [line.slice(0, index), line.slice(index + 1)];
}
