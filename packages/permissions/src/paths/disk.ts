/** What a verdict looks up in the file system besides the targets of links: names in folders, and what is at a path. */

import { type Dirent, lstatSync, opendirSync, type Stats } from "node:fs";

/** The type of a folder entry; links are not followed. */
export type EntryType = "file" | "folder" | "link" | "other";

/** One entry of a folder. */
export interface DiskEntry {
  /** The name without its folder. */
  readonly name: string;
  /** The type of the entry; links are not followed. */
  readonly type: EntryType;
}

/** What is at a path. */
export interface DiskStat {
  /** The type of the entry; links are not followed. */
  readonly type: EntryType;
  /** The number of hard links to the file. */
  readonly links: number;
  /** The same for all hard links to one file. */
  readonly id: string;
}

/** The file system as the judge sees it. Paths are absolute and can contain `..`, which is resolved after links. */
export interface Files {
  /** Lists a folder, at most `limit` entries; links to the folder are followed. Undefined if it cannot be listed. */
  list(path: string, limit: number): readonly DiskEntry[] | undefined;
  /** Inspects a path; a link in its last name is not followed. Undefined if nothing is there. */
  stat(path: string): DiskStat | undefined;
}

function typeOf(entry: Dirent | Stats): EntryType {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

export const FILES_ON_DISK: Files = {
  list: (path, limit) => {
    try {
      return entriesOf(path, limit);
    } catch {
      return undefined;
    }
  },
  stat: (path) => {
    try {
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found && { type: typeOf(found), links: found.nlink, id: `${found.dev}:${found.ino}` };
    } catch {
      return undefined;
    }
  },
};

function entriesOf(path: string, limit: number): DiskEntry[] {
  const folder = opendirSync(path, { bufferSize: 256 });
  const entries: DiskEntry[] = [];
  try {
    for (let entry = folder.readSync(); entry !== null && entries.length < limit; entry = folder.readSync())
      entries.push({ name: entry.name, type: typeOf(entry) });
  } finally {
    folder.closeSync();
  }
  return entries;
}

/** A file system that contains only these links. */
export function filesOfLinks(links: Readonly<Record<string, string>>): Files {
  const paths = Object.keys(links);
  return {
    list: (path) => {
      const folder = path.replace(/\/+$/, "");
      const names = paths.flatMap((link): DiskEntry[] => {
        const [name = "", ...below] = link.startsWith(`${folder}/`)
          ? link.slice(folder.length + 1).split("/")
          : [];
        return name === "" ? [] : [{ name, type: below.length === 0 ? "link" : "folder" }];
      });
      return names.length === 0
        ? undefined
        : names.filter((one, at) => names.findIndex(({ name }) => name === one.name) === at);
    },
    stat: (path) =>
      paths.includes(path)
        ? { type: "link", links: 1, id: path }
        : paths.some((link) => link.startsWith(`${path}/`))
          ? { type: "folder", links: 1, id: path }
          : undefined,
  };
}

export type Listing = readonly DiskEntry[] | "too many" | undefined;

/** The maximum number of folder entries for one verdict; beyond it, the verdict is ask. */
export const MAX_ENTRIES = 20_000;

/** The file system during one verdict: each place is looked up once, and at most `limit` entries in total. */
export class Look {
  readonly #files: Files;
  readonly #lists = new Map<string, Listing>();
  readonly #stats = new Map<string, DiskStat | undefined>();
  #left: number;

  constructor(files: Files, limit: number) {
    this.#files = files;
    this.#left = limit;
  }

  list(path: string): Listing {
    if (!this.#lists.has(path)) this.#lists.set(path, this.#read(path));
    return this.#lists.get(path);
  }

  stat(path: string): DiskStat | undefined {
    if (!this.#stats.has(path)) this.#stats.set(path, this.#files.stat(path));
    return this.#stats.get(path);
  }

  #read(path: string): Listing {
    const entries = this.#files.list(path, this.#left + 1);
    if (entries !== undefined && entries.length > this.#left) {
      this.#left = 0;
      return "too many";
    }
    this.#left -= entries?.length ?? 0;
    return entries;
  }
}
