/** Hand-made faults in the cache: the random worlds must notice each of them. */

export interface CacheMutant {
  readonly title: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const CACHE = "cache/tool-cache.ts";
const WRITTEN = "cache/written.ts";

export const CACHE_MUTANTS: readonly CacheMutant[] = [
  {
    title: "the start of a write does not count",
    file: CACHE,
    find: "    this.#note(writer);\n    this.#writers.add(writer);",
    replace: "    this.#writers.add(writer);",
  },
  {
    title: "a write that is under way does not count",
    file: CACHE,
    find: "    for (const writer of this.#writers) if (claimsConflict(writer.claims, claims)) return false;",
    replace: "",
  },
  {
    title: "the end of a write does not count",
    file: CACHE,
    find: "      this.#writers.delete(writer);\n      this.#note(writer);",
    replace: "      this.#writers.delete(writer);",
  },
  {
    title: "a failed write counts as under way no longer, and not as a write",
    file: CACHE,
    find: "ending.then(end, end);",
    replace: "ending.then(end, () => this.#writers.delete(writer));",
  },
  {
    title: "commands in the background do not count",
    file: CACHE,
    find: "    if (this.#isBusy()) this.#written.write(WRITES_EVERYTHING);",
    replace: "",
  },
  {
    title: "what was read before a command in the background is used after it",
    file: CACHE,
    find: "if (this.#isBusy()) this.#written.write(WRITES_EVERYTHING);",
    replace: "if (this.#isBusy()) return false;",
  },
  {
    title: "a result is kept although something was written while it was read",
    file: CACHE,
    find: "watched.hasChanged || !isStill || !this.#isUntouched(claims, since)",
    replace: "watched.hasChanged",
  },
  {
    title: "a result counts as read when the tool has ended",
    file: CACHE,
    find: "{ claims, since, stamp, output }, { ...reading",
    replace: "{ claims, since: this.#written.now, stamp, output }, { ...reading",
  },
  {
    title: "the stamp is not compared",
    file: CACHE,
    find: "kept.stamp === stamp && ",
    replace: "",
  },
  {
    title: "a kept result is used without a look at what was written",
    file: CACHE,
    find: " && this.#isUntouched(claims, kept.since)",
    replace: "",
  },
  {
    title: "the input is not part of the key",
    file: CACHE,
    find: "${JSON.stringify(context.cwd)} ${of}`",
    replace: "${JSON.stringify(context.cwd)}`",
  },
  {
    title: "a write to a place above does not count",
    file: WRITTEN,
    find: "      last = Math.max(last, node.at);",
    replace: "",
  },
  {
    title: "a write to everything does not count",
    file: WRITTEN,
    find: "let last = node.at;",
    replace: "let last = 0;",
  },
  {
    title: "a write to a place below does not count",
    file: WRITTEN,
    find: "return Math.max(last, node.below);",
    replace: "return last;",
  },
];
