/** Commands that read whole folders: what they show, and whether they follow links. */

import { operandsOf, touchesOf } from "./files.ts";
import { baseName } from "./inner.ts";
import { isUnknown, maySay } from "./options.ts";
import { looking } from "./read-only.ts";
import type { ShellWord } from "./script.ts";
import { readTar } from "./tar.ts";

export interface Recursion {
  /** `content`: the content of files; `names`: only file names. */
  readonly shows: "content" | "names";
  readonly follows: boolean;
  /** The folders where it starts. */
  readonly roots: readonly ShellWord[];
  /** It can also start in the folder that it runs in. */
  readonly isHere: boolean;
}

interface Options {
  readonly words: readonly ShellWord[];
  /** Whether one of these letters, or an abbreviation of one of these long options, is given. */
  readonly has: (letters: string, ...long: readonly string[]) => boolean;
}

interface Walker {
  readonly shows: Recursion["shows"];
  recurses(options: Options): boolean;
  follows(options: Options): boolean;
}

const always = (): boolean => true;
const GREP: Walker = {
  shows: "content",
  recurses: ({ has, words }) =>
    has("rR", "recursive", "dereference-recursive", "directories") ||
    words.some(({ value }) => value.endsWith("recurse")),
  follows: ({ has }) => has("R", "dereference-recursive"),
};
const RG: Walker = { shows: "content", recurses: always, follows: ({ has }) => has("L", "follow") };
const ACK: Walker = { shows: "content", recurses: always, follows: ({ has }) => has("f", "follow") };
const FD: Walker = { shows: "names", recurses: always, follows: ({ has }) => has("L", "follow") };
const ARCHIVER: Walker = { shows: "content", recurses: always, follows: always };

const WALKERS = new Map<string, Walker>([
  ...["grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "zipgrep", "zegrep", "zfgrep"].map(
    (name): [string, Walker] => [name, GREP],
  ),
  ["rgrep", { ...GREP, recurses: always }],
  ["rg", RG],
  ["rga", RG],
  ["ugrep", { ...RG, follows: ({ has }) => has("RS", "dereference-recursive", "dereference-files") }],
  ["ag", ACK],
  ["ack", ACK],
  ["pt", ACK],
  ["fd", FD],
  ["fdfind", FD],
  [
    "find",
    {
      shows: "names",
      recurses: always,
      follows: ({ words }) => words.some(({ value }) => value === "-L" || value === "-follow"),
    },
  ],
  [
    "ls",
    {
      shows: "names",
      recurses: ({ has }) => has("R", "recursive"),
      follows: ({ has }) => has("L", "dereference"),
    },
  ],
  ["tree", { shows: "names", recurses: always, follows: ({ has }) => has("l") }],
  ["du", { shows: "names", recurses: always, follows: ({ has }) => has("L", "dereference") }],
  // diff compares two folders with links followed, even without -r.
  ["diff", { shows: "content", recurses: always, follows: always }],
  ["tar", { shows: "content", recurses: creates, follows: ({ has }) => has("h", "dereference") }],
  ["zip", ARCHIVER],
  ["7z", ARCHIVER],
  ["rsync", ARCHIVER],
  ["scp", ARCHIVER],
]);

/** Commands that need operands, unless an option names a list of files. */
const NEED_OPERANDS = new Set(["diff", "tar", "zip", "7z", "rsync", "scp"]);

function creates({ words, has }: Options): boolean {
  return /^-?[a-zA-Z]*[cruA]/.test(words[0]?.value ?? "") || has("cruA", "create", "append", "update");
}

/** Undefined if the command reads no folder, as far as known. */
export function recursionOf(words: readonly ShellWord[]): Recursion | undefined {
  const [first, ...rest] = words;
  if (first === undefined || first.type === "dynamic") return undefined;
  const name = baseName(first.value);
  const walker = WALKERS.get(name);
  const options = optionsOf(rest);
  if (walker?.recurses(options) !== true) return undefined;
  const looks = looking(words, "confined");
  const roots = looks?.reads ?? touchesOf(words).flatMap(({ mode, word }) => (mode === "read" ? [word] : []));
  return {
    shows: name === "rg" && options.has("", "files", "type-list") ? "names" : walker.shows,
    follows: walker.follows(options),
    roots: looks === undefined ? packed(name, rest, roots) : roots,
    isHere:
      looks?.looksAround ?? (!NEED_OPERANDS.has(name) || options.has("T@", "files-from", "names-stdin")),
  };
}

/** What an archiver or a copier reads, without what it makes. */
function packed(
  name: string,
  words: readonly ShellWord[],
  roots: readonly ShellWord[],
): readonly ShellWord[] {
  if (name === "zip") return operandsOf(words).slice(1);
  // The last operand is where it copies to, and `host:path` is on another machine.
  if (name === "rsync" || name === "scp")
    return operandsOf(words)
      .slice(0, -1)
      .filter(({ value }) => !/^[^/]+:/.test(value));
  if (name !== "tar") return roots;
  const archives = new Set(readTar(words).archives.map(({ value }) => value));
  return roots.filter(({ value }) => !archives.has(value));
}

/** An unknown word could be any option. */
function optionsOf(words: readonly ShellWord[]): Options {
  const end = words.findIndex(({ value, type }) => type === "static" && value === "--");
  const given = end < 0 ? words : words.slice(0, end);
  return {
    words,
    has: (letters, ...long) =>
      given.some(
        (word) =>
          isUnknown(word) ||
          (long.length > 0 && maySay(word.value, long)) ||
          (/^-[^-]/.test(word.value) && [...letters].some((letter) => word.value.includes(letter))),
      ),
  };
}
