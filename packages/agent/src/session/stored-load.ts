/** Loads a session from a store: from the last compaction, or from the beginning if that cannot be read. */

import { type Line, VERSION, parseLine } from "./entry.ts";
import { NoSuchSession, SessionTooNew } from "./error.ts";
import type { Notice } from "./folder.ts";
import { type Loaded, Loading } from "./load.ts";
import type { SessionStore, StoredLine } from "./store.ts";

export interface StoredJournal {
  readonly loaded: Loaded;
  /** The end of the journal. */
  readonly end: number;
}

export interface JournalPlace {
  readonly store: SessionStore;
  readonly id: string;
  readonly journal?: string;
}

export async function loadStored(place: JournalPlace, onNotice: Notice): Promise<StoredJournal> {
  const { store, id, journal } = place;
  const header = await readHeader(place);
  const label = `session ${id} in ${store.name}`;
  for (let from = await store.lastCompaction(id, journal); ; from = 0) {
    const loading = new Loading();
    let end = from;
    for await (const { line, next } of linesFrom(place, from)) {
      loading.take({ bytes: Buffer.from(line), hasEnd: true, isTooLong: false });
      end = next;
    }
    // An unreadable compaction is ignored: the history that it replaced still counts.
    if (from > 0 && !loading.startsCompacted) continue;
    const loaded = loading.end(label, onNotice);
    if (loading.damaged.length > 0)
      onNotice(`Skipped ${loading.damaged.length} lines of ${label}: their checksums do not match.`);
    return { loaded: { header, ...loaded }, end };
  }
}

/** Yields the lines of a journal from a position to its current end. */
export async function* linesFrom(
  { store, id, journal }: JournalPlace,
  from: number,
): AsyncGenerator<StoredLine, void, undefined> {
  for (let at = from; ; ) {
    const lines = await store.read(id, { from: at, ...(journal === undefined ? {} : { journal }) });
    if (lines.length === 0) return;
    yield* lines;
    at = lines.at(-1)?.next ?? at;
  }
}

/** Throws `SessionTooNew` if the journal has a newer format. */
async function readHeader({ store, id, journal }: JournalPlace): Promise<Line | undefined> {
  const lines = await store.read(id, journal === undefined ? {} : { journal });
  const header = lines
    .map(({ line }) => parseLine(Buffer.from(line)))
    .find((line) => line?.type === "session");
  const version = Number(header?.["version"] ?? VERSION);
  if (Math.trunc(version) > VERSION)
    throw new SessionTooNew(`Session ${id} in ${store.name}`, String(version), VERSION);
  return header;
}

/** Throws `NoSuchSession` if the store has no session with this id. */
export async function requireSession(store: SessionStore, id: string): Promise<void> {
  if ((await store.ends([id])).has(id)) return;
  throw new NoSuchSession(id, store.name, []);
}
