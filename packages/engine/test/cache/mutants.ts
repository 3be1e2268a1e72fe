/**
 * Hand-made faults in the cache: the random worlds must notice each of them. Some of its checks cover each other, so some
 * mutants lack more than one.
 */

export interface CacheMutant {
  readonly title: string;
  readonly file: string;
  readonly edits: readonly (readonly [find: string, replace: string])[];
}

const CACHE = "cache/tool-cache.ts";
const WRITTEN = "cache/written.ts";

const UNDER_WAY =
  "    for (const writer of this.#writers) if (claimsConflict(writer.claims, claims)) return false;";
const AT_END = "      this.#writers.delete(writer);\n      this.#note(writer);";

export const CACHE_MUTANTS: readonly CacheMutant[] = [
  {
    title: "writes count only while they run",
    file: CACHE,
    edits: [["if (this.#entries.size > 0 || this.#readers > 0) this.#written.write(writer.claims);", ""]],
  },
  {
    title: "writes count only when they start",
    file: CACHE,
    edits: [
      [UNDER_WAY, ""],
      [AT_END, "      this.#writers.delete(writer);"],
    ],
  },
  {
    title: "commands in the background do not count",
    file: CACHE,
    edits: [["    if (this.#isBusy()) this.#written.write(WRITES_EVERYTHING);", ""]],
  },
  {
    title: "what was read before a command in the background is used after it",
    file: CACHE,
    edits: [
      ["if (this.#isBusy()) this.#written.write(WRITES_EVERYTHING);", "if (this.#isBusy()) return false;"],
    ],
  },
  {
    title: "a result counts as read when its tool has ended",
    file: CACHE,
    edits: [
      ["watched.hasChanged || !isStill || !this.#isUntouched(claims, since)", "watched.hasChanged"],
      [
        "{ claims, since, stamp, output }, { ...reading",
        "{ claims, since: this.#written.now, stamp, output }, { ...reading",
      ],
    ],
  },
  {
    title: "a call that was stopped while its stamp was taken runs",
    file: CACHE,
    edits: [["      if (context.signal.aborted) throw context.signal.reason;\n", ""]],
  },
  { title: "the stamp is not compared", file: CACHE, edits: [["kept.stamp === stamp && ", ""]] },
  {
    title: "a kept result is used without a look at what was written",
    file: CACHE,
    edits: [[" && this.#isUntouched(claims, kept.since)", ""]],
  },
  {
    title: "the input is not part of the key",
    file: CACHE,
    edits: [["${JSON.stringify(context.cwd)} ${of}`", "${JSON.stringify(context.cwd)}`"]],
  },
  {
    title: "a write to a place above does not count",
    file: WRITTEN,
    edits: [["      last = Math.max(last, node.at);", ""]],
  },
  {
    title: "a write to everything does not count",
    file: WRITTEN,
    edits: [["let last = node.at;", "let last = 0;"]],
  },
  {
    title: "a write to a place below does not count",
    file: WRITTEN,
    edits: [["return Math.max(last, node.below);", "return last;"]],
  },
];
