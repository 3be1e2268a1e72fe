/** The first lines of a search in the order of paths, while it gives its files in any order: flat memory. */

export interface Entry {
  /** In its file, from 1; 0 where it is not about a line. */
  readonly line: number;
  readonly text: string;
}

export interface Group {
  readonly path: string;
  readonly entries: readonly Entry[];
}

const FILE: Entry = { line: 0, text: "" };

interface Kept {
  readonly path: string;
  readonly entries: Entry[];
}

export class SortedHead {
  readonly #most: number;
  readonly #order: "by-path" | "as-they-come";
  #groups: Kept[] = [];
  /** The entries that are kept in them. */
  #kept = 0;
  /** The file that the last entry was of, and where it goes; undefined where it is too far behind to be kept. */
  #path: string | undefined;
  #group: Kept | undefined;
  /** What comes behind this is not wanted. */
  #last: string | undefined;
  /** All entries, kept or not. */
  total = 0;

  /** By path, letter by letter, as git does; or in the order in which they come. */
  constructor(most: number, order: "by-path" | "as-they-come" = "by-path") {
    this.#most = most;
    this.#order = order;
  }

  /** Entries of one file come one after the other. */
  add(path: string, entry: Entry): void {
    this.total++;
    if (path !== this.#path) this.#begin(path);
    if (this.#group === undefined || this.#group.entries.length >= this.#most) return;
    this.#group.entries.push(entry);
    this.#kept++;
  }

  /** Files of which there is nothing more to say: as fast as can be, for there are many. */
  addFiles(paths: readonly string[]): void {
    this.total += paths.length;
    const last = this.#last;
    for (const path of paths) if (last === undefined || path < last) this.#addFile(path);
  }

  #addFile(path: string): void {
    this.#groups.push({ path, entries: [FILE] });
    this.#kept++;
    if (this.#kept > this.#most * 4) this.#shrink();
  }

  /** In order, and no more than asked for, to the end of a file. */
  groups(): readonly Group[] {
    this.#shrink();
    return this.#groups;
  }

  #begin(path: string): void {
    this.#path = path;
    if (this.#kept > this.#most * 4) this.#shrink();
    const isWanted = this.#last === undefined || path < this.#last;
    this.#group = isWanted ? { path, entries: [] } : undefined;
    if (this.#group !== undefined) this.#groups.push(this.#group);
  }

  #shrink(): void {
    if (this.#order === "by-path") this.#groups.sort((one, other) => (one.path < other.path ? -1 : 1));
    let kept = 0;
    let at = 0;
    for (; at < this.#groups.length && kept < this.#most; at++)
      kept += (this.#groups[at] as Kept).entries.length;
    this.#groups.length = at;
    this.#kept = kept;
    if (kept >= this.#most && this.#order === "by-path") this.#last = this.#groups.at(-1)?.path;
  }
}
