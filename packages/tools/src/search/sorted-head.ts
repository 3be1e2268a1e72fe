/** Keeps the first results of a search in path order with constant memory, while they arrive in any order. */

export interface Entry {
  /** Line number from 1; 0 if the entry is about the whole file. */
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
  /** Number of entries in the groups. */
  #kept = 0;
  /** The file of the last entry and its group; undefined if it sorts too late to be kept. */
  #path: string | undefined;
  #group: Kept | undefined;
  /** Later paths are not kept. */
  #last: string | undefined;
  /** Number of all entries, kept or not. */
  total = 0;

  /** Orders by path, byte by byte as git does, or keeps the order of arrival. */
  constructor(most: number, order: "by-path" | "as-they-come" = "by-path") {
    this.#most = most;
    this.#order = order;
  }

  /** Entries of one file must be added one after the other. */
  add(path: string, entry: Entry): void {
    this.total++;
    if (path !== this.#path) this.#begin(path);
    if (this.#group === undefined || this.#group.entries.length >= this.#most) return;
    this.#group.entries.push(entry);
    this.#kept++;
  }

  /** Adds files without lines. Separate from `add` because there can be very many. */
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

  /** Returns the kept groups in order; the last one can exceed the limit. */
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
