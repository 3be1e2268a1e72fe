/** What a verdict looks up in the file system, beside where links lead: names in folders, and what is at a path. */

import { type Dirent, lstatSync, opendirSync, type Stats } from "node:fs";

/** What an entry of a folder is; a link is not followed. */
export type EntryType = "file" | "folder" | "link" | "other";

/** One name in a folder. */
export interface DiskEntry {
  /** The name without its folder. */
  readonly name: string;
  /** What it is; a link is not followed. */
  readonly type: EntryType;
}

/** What is at a path. */
export interface DiskStat {
  /** What it is; a link is not followed. */
  readonly type: EntryType;
  /** How many names the file has. */
  readonly links: number;
  /** The same for every name of one file. */
  readonly id: string;
}

/** The file system as the judge sees it. Paths are absolute and can contain `..`, which is resolved after links. */
export interface Files {
  /** What is in a folder, at most `limit` entries; links to the folder are followed. Undefined: it cannot be listed. */
  list(path: string, limit: number): readonly DiskEntry[] | undefined;
  /** What is at a path; a link in its last name is not followed. Undefined: nothing. */
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
      const found = lstatSync(path);
      return { type: typeOf(found), links: found.nlink, id: `${found.dev}:${found.ino}` };
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

/** A file system that has these links and nothing else. */
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

/** Folder entries that one verdict looks at; beyond them it asks. */
export const MAX_ENTRIES = 20_000;

/** The file system during one verdict: each place is looked at once, and no more than `limit` entries in all. */
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
