/** Runs one Grep search: ripgrep's arguments, its streamed output, and the page that is shown. */

import type { CallContext } from "@runahead/engine";
import { excludedNotes } from "./excluded.ts";
import { onlyNamed } from "./glob.ts";
import { globPattern } from "./glob-pattern.ts";
import { ripgrep, withoutDot } from "./ripgrep.ts";
import { type SearchInput, type SearchRoot, withSearchRoot } from "./search-root.ts";
import { type MayShow, ShownFiles } from "./shown-files.ts";
import { type Entry, type Group, SortedHead } from "./sorted-head.ts";
import { type FoundEntry, entriesIn, filesIn, leftOut, searchNotes } from "./verify-found.ts";
import { LINE_BYTES } from "./verify-lines.ts";

type GrepMode = "content" | "files_with_matches" | "count";

export interface GrepWish {
  /** The input that the claims were made from. */
  readonly root: SearchInput;
  readonly pattern: string;
  readonly glob: string | undefined;
  readonly type: string | undefined;
  readonly mode: GrepMode;
  readonly before: number;
  readonly after: number;
  readonly hasNumbers: boolean;
  readonly ignoresCase: boolean;
  readonly isMultiline: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly mayShow: MayShow | undefined;
}

/** Output of the Grep tool. */
export interface GrepOutput {
  /** What is returned: lines, files or counts. */
  readonly mode: GrepMode;
  /** The returned page of the results. */
  readonly lines: Shown;
  /** How many there are. */
  readonly total: number;
  /** Whether `total` is exact. If not, the search stopped early, and there are at least as many. */
  readonly isExact: boolean;
  /** How many were skipped before the first one shown. */
  readonly offset: number;
  /** What `total` and `offset` count. */
  readonly unit: "lines" | "files";
  /** Notes for the model, for example what was left out. */
  readonly notes: readonly string[];
}

interface Shown {
  readonly texts: readonly string[];
  /** Number of results, without separator lines. */
  readonly count: number;
}

/** Above this much output the search is repeated in order up to the requested page, and the rest is not counted. */
const COUNTED_CHARS = 64_000_000;
const STATUS_CHARS = 8_000_000;

export async function grep(wish: GrepWish, context: CallContext): Promise<GrepOutput> {
  return withSearchRoot(wish.root, context.cwd, (root) => grepIn(wish, root, context));
}

async function grepIn(wish: GrepWish, root: SearchRoot, context: CallContext): Promise<GrepOutput> {
  const counted = await search({ wish, root, isSorted: false }, context);
  const found = counted.isExact ? counted : await search({ wish, root, isSorted: true }, context);
  const { mode, offset, limit } = wish;
  const page = pageOf(wish, found.head.groups());
  const entries = await verified(wish, root, page, context.signal);
  const gone = page.length - entries.length;
  const all = counted.isExact ? found.head.total : Math.min(found.head.total, offset + limit);
  const isEmpty = all === 0 && root.file === undefined;
  const excluded = isEmpty ? await excludedIn(wish, root, context.signal) : [];
  return {
    mode,
    lines: show(wish, root, entries),
    // A count would include files outside the searched folder.
    total: gone === 0 ? all : offset + entries.length,
    isExact: counted.isExact,
    offset,
    unit: mode === "content" ? "lines" : "files",
    notes: [...excluded, ...found.notes, ...leftOut(gone)],
  };
}

function excludedIn(wish: GrepWish, root: SearchRoot, signal: AbortSignal): Promise<string[]> {
  const glob = wish.glob === undefined ? undefined : globPattern(wish.glob);
  const lastName = wish.type === undefined ? glob?.lastName : undefined;
  const args = [...argumentsOf({ ...wish, mode: "files_with_matches" }), ...onlyNamed(lastName)];
  const matches = glob?.matches ?? (() => true);
  return excludedNotes({ root, mayShow: wish.mayShow, args, matches }, signal);
}

function pageOf({ offset, limit }: GrepWish, groups: readonly Group[]): FoundEntry[] {
  const all = groups.flatMap(({ path, entries }) => entries.map((entry) => ({ path, entry })));
  return all.slice(offset, offset + limit);
}

async function verified(
  { mode }: GrepWish,
  { folder }: SearchRoot,
  page: readonly FoundEntry[],
  signal: AbortSignal,
): Promise<readonly FoundEntry[]> {
  if (mode === "content") return entriesIn(folder, page, signal);
  const files = new Set(
    await filesIn(
      folder,
      page.map(({ path }) => path),
    ),
  );
  return page.filter(({ path }) => files.has(path));
}

interface Pass {
  readonly wish: GrepWish;
  readonly root: SearchRoot;
  /** Sorted and only up to the requested page, or at full speed to the end. */
  readonly isSorted: boolean;
}

interface Found {
  readonly head: SortedHead;
  readonly isExact: boolean;
  readonly notes: readonly string[];
}

async function search({ wish, root, isSorted }: Pass, { signal, progress }: CallContext): Promise<Found> {
  const most = wish.offset + wish.limit;
  const head = new SortedHead(most, isSorted ? "as-they-come" : "by-path");
  const glob = wish.glob === undefined ? undefined : globPattern(wish.glob);
  const lastName = wish.type === undefined ? glob?.lastName : undefined;
  const shown = new ShownFiles(wish.mayShow, root.folder);
  let chars = 0;
  let reported = 0;
  let isExact = true;
  const end = await ripgrep({
    args: [...argumentsOf(wish), ...onlyNamed(lastName), ...(isSorted ? ["--sort=path"] : [])],
    path: root.file ?? "./",
    cwd: root.cwd,
    separator: wish.mode === "files_with_matches" ? "\0" : "\n",
    take: (records) => {
      for (const record of records) {
        chars += record.length;
        const found = readRecord(wish.mode, record);
        if (found === undefined || glob?.matches(found.path) === false || !shown.has(found.path)) continue;
        head.add(found.path, found.entry);
      }
      if (chars - reported > STATUS_CHARS) {
        reported = chars;
        progress({ type: "status", message: `${head.total} matches so far` });
      }
      isExact &&= isSorted ? head.total <= most : chars <= COUNTED_CHARS;
      return isExact;
    },
    signal,
  });
  return {
    head,
    isExact,
    notes: [...(isExact ? await searchNotes(end, root.folder, shown) : []), ...shown.notes()],
  };
}

function argumentsOf(wish: GrepWish): string[] {
  const { pattern, type, mode, before, after } = wish;
  return [
    `--regexp=${pattern}`,
    "--engine=auto",
    "--crlf",
    "--no-heading",
    "--with-filename",
    "--null",
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...(wish.ignoresCase ? ["--ignore-case"] : []),
    ...(wish.isMultiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(mode === "files_with_matches" ? ["--files-with-matches"] : []),
    ...(mode === "count" ? ["--count"] : []),
    ...(mode === "content" ? ["--line-number", `--max-columns=${LINE_BYTES}`, "--max-columns-preview"] : []),
    ...(mode === "content" ? [`--before-context=${before}`, `--after-context=${after}`] : []),
  ];
}

/** The format is: name, NUL, line number, `:` for a match or `-` for context. */
function readRecord(mode: GrepMode, record: string): FoundEntry | undefined {
  if (mode === "files_with_matches") return { path: withoutDot(record), entry: { line: 0, text: "" } };
  const nul = record.indexOf("\0");
  if (nul === -1) return aboutBinary(record);
  const path = withoutDot(record.slice(0, nul));
  const rest = record.slice(nul + 1).replace(/\r$/, "");
  if (mode === "count") return { path, entry: { line: 0, text: `:${rest}` } };
  return { path, entry: { line: Number.parseInt(rest, 10), text: rest } };
}

/** Separator lines are dropped, since they are made again later. A binary file is only reported to match. */
function aboutBinary(record: string): FoundEntry | undefined {
  const match = /^(.*): (?:WARNING: stopped searching binary file|binary file matches)/s.exec(record);
  if (match === null) return undefined;
  return { path: withoutDot(match[1] as string), entry: { line: 0, text: ": (binary file matches)" } };
}

function show(wish: GrepWish, root: SearchRoot, shown: readonly FoundEntry[]): Shown {
  const hasContext = wish.mode === "content" && wish.before + wish.after > 0;
  const texts = shown.flatMap(({ path, entry }, at) => {
    const last = shown[at - 1];
    const isApart = last !== undefined && (last.path !== path || last.entry.line + 1 !== entry.line);
    const text = lineText(wish, root.nameOf(path), entry);
    return hasContext && isApart ? ["--", text] : [text];
  });
  return { texts, count: shown.length };
}

function lineText({ mode, hasNumbers }: GrepWish, name: string, { line, text }: Entry): string {
  if (mode !== "content" || line === 0) return `${name}${text}`;
  const digits = String(line).length;
  const sign = text[digits] as string;
  return `${name}${sign}${hasNumbers ? text : text.slice(digits + 1)}`;
}
