/** Loads a session from a store: from the last compaction, or from the beginning if that cannot be read. */

import { type Line, VERSION, parseLine } from "./entry.ts";
import { NoSuchSession, SessionTooNew } from "./error.ts";
import type { Notice } from "./folder.ts";
import { type Loaded, Loading, NOTHING_LOADED } from "./load.ts";
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
  /** The end of the journal, if it is known. */
  readonly end?: number;
}

/** The header is the first line, unless that was lost and written again. */
const HEADER_LINES = 200;

export async function loadStored(place: JournalPlace, onNotice: Notice): Promise<StoredJournal> {
  const { store, id, journal, end: known } = place;
  if (known === 0) return { loaded: NOTHING_LOADED, end: 0 };
  const label = `session ${id} in ${store.name}`;
  for (let from = await store.lastCompaction(id, journal); ; from = 0) {
    const loading = new Loading();
    const first: string[] = [];
    let end = from;
    for await (const { line, next } of linesFrom(place, from)) {
      if (first.length < HEADER_LINES) first.push(line);
      loading.take({ bytes: Buffer.from(line), hasEnd: true, isTooLong: false });
      end = next;
    }
    // An unreadable compaction is ignored: the history that it replaced still counts.
    if (from > 0 && !loading.startsCompacted) continue;
    const header = headerIn(from === 0 ? first : await firstLines(place), label);
    const loaded = loading.end(label, onNotice);
    if (loading.damaged.length > 0)
      onNotice(`Skipped ${loading.damaged.length} lines of ${label}: their checksums do not match.`);
    return { loaded: { header, ...loaded }, end };
  }
}

/** Yields the lines of a journal from a position to its current end. */
export async function* linesFrom(
  { store, id, journal, end = Number.POSITIVE_INFINITY }: JournalPlace,
  from: number,
): AsyncGenerator<StoredLine, void, undefined> {
  for (let at = from; at < end; ) {
    const lines = await store.read(id, { from: at, ...(journal === undefined ? {} : { journal }) });
    if (lines.length === 0) return;
    yield* lines;
    at = lines.at(-1)?.next ?? at;
  }
}

async function firstLines({ store, id, journal }: JournalPlace): Promise<readonly string[]> {
  const lines = await store.read(id, journal === undefined ? {} : { journal });
  return lines.map(({ line }) => line);
}

/** Throws `SessionTooNew` if the journal has a newer format. */
function headerIn(lines: readonly string[], label: string): Line | undefined {
  const header = lines.map((line) => parseLine(Buffer.from(line))).find((line) => line?.type === "session");
  const version = Number(header?.["version"] ?? VERSION);
  if (Math.trunc(version) > VERSION) throw new SessionTooNew(`The ${label}`, String(version), VERSION);
  return header;
}

/** Throws `NoSuchSession` if the store has no session with this id. */
export async function requireSession(store: SessionStore, id: string): Promise<void> {
  if ((await store.ends([id])).has(id)) return;
  throw new NoSuchSession(id, store.name, []);
}
