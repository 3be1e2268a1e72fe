/**
 * The commands that only look, by name and option: the table to check. An option that is not in it makes a command
 * one that may change something.
 */

import { baseName } from "./inner.ts";
import { mayBeOption, type OptionTable, readOptions, table } from "./options.ts";
import { GH, GIT, DOCKER, NPM, type Subcommand } from "./read-only-tools.ts";
import type { ShellWord } from "./script.ts";
import { sedEffect } from "./sed.ts";

/** `files`: operands are files that it reads; `pattern`: the first one is a pattern; `text`: they are only text. */
type Operands = "files" | "pattern" | "text" | "none";

interface Entry {
  readonly options: OptionTable;
  readonly operands: Operands;
  /** Some option of it, known here or not, writes or runs something: an unquoted pattern could become that option. */
  readonly hasSharpOptions: boolean;
}

const files = (options: OptionTable, hasSharpOptions = false): Entry => ({
  options,
  operands: "files",
  hasSharpOptions,
});
const pattern = (options: OptionTable, hasSharpOptions = false): Entry => ({
  options,
  operands: "pattern",
  hasSharpOptions,
});
const text = (options: OptionTable): Entry => ({ options, operands: "text", hasSharpOptions: false });

const GREP = table(
  "EFGPHhLlcinoqrRsvwxyzabUuT#e:A:B:C:m:d:",
  "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case invert-match word-regexp line-regexp count " +
    "files-with-matches files-without-match only-matching quiet silent no-messages line-number with-filename " +
    "no-filename recursive dereference-recursive text null color colour byte-offset no-ignore-case",
  "regexp max-count after-context before-context context include exclude exclude-dir color colour binary-files label",
);

export const READ_ONLY: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    "ls",
    files(
      table(
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1I:w:T:",
        "all almost-all author human-readable inode directory recursive reverse size classify color full-time si " +
          "group-directories-first no-group numeric-uid-gid literal",
        "color sort time time-style format ignore hide width block-size indicator-style",
      ),
    ),
  ],
  ["cat", files(table("AbeEnstTuv", "number number-nonblank show-all show-ends show-tabs squeeze-blank"))],
  ["head", files(table("#qvzn:c:", "quiet silent verbose zero-terminated", "lines bytes"))],
  [
    "tail",
    files(
      table("#fFqvrzn:c:s:", "follow quiet silent verbose retry", "lines bytes pid sleep-interval follow"),
    ),
  ],
  ["wc", files(table("clmLw", "bytes chars lines words max-line-length"))],
  ["stat", files(table("Lftxc:", "dereference file-system terse", "format printf"))],
  [
    "du",
    files(
      table(
        "0abcDhHklLmPsSxd:B:t:",
        "all apparent-size bytes total human-readable summarize si",
        "max-depth exclude threshold block-size",
      ),
    ),
  ],
  ["df", files(table("ahHiklPTxB:t:", "all human-readable inodes local print-type si total"))],
  ["nl", files(table("pa:b:d:f:h:i:l:n:s:v:w:"))],
  ["tac", files(table("brs:"))],
  ["rev", files(table())],
  [
    "cut",
    files(
      table(
        "nszb:c:d:f:",
        "complement only-delimited zero-terminated",
        "bytes characters delimiter fields output-delimiter",
      ),
    ),
  ],
  ["paste", files(table("szd:", "serial", "delimiters"))],
  ["column", files(table("txnec:s:N:o:", "table"))],
  ["comm", files(table("123z", "check-order nocheck-order total"))],
  ["cmp", files(table("blsi:n:", "silent quiet print-bytes verbose"))],
  ["md5sum", files(table("btz"))],
  ["sha1sum", files(table("btz"))],
  ["sha256sum", files(table("btz"))],
  [
    "realpath",
    files(table("eLmPqsz", "canonicalize-existing canonicalize-missing", "relative-to relative-base")),
  ],
  ["readlink", files(table("efmnqsvz", "canonicalize"))],
  ["file", files(table("bhiLNprsz0", "brief mime mime-type mime-encoding"), true)],
  ["tree", files(table("adfilpsughDFCnrtNSJXL:P:I:", "dirsfirst noreport gitignore prune", "charset"), true)],
  [
    "diff",
    files(
      table(
        "abBdeEHiNnpqrsTtuwycZ#U:C:W:x:I:L:",
        "brief unified recursive new-file ignore-all-space ignore-space-change ignore-blank-lines " +
          "ignore-case side-by-side text minimal color report-identical-files suppress-common-lines",
        "unified context color exclude label width ignore-matching-lines",
      ),
    ),
  ],
  [
    "sort",
    files(
      table(
        "bcCdfghiMnRrsuVzk:t:",
        "reverse numeric-sort unique ignore-case human-numeric-sort version-sort stable check month-sort",
        "key field-separator sort",
      ),
      true,
    ),
  ],
  ["grep", pattern(GREP)],
  ["egrep", pattern(GREP)],
  ["fgrep", pattern(GREP)],
  [
    "rg",
    pattern(
      table(
        "FHhilLnNopqsSuUvwxc.0PIaA:B:C:e:g:j:m:M:t:T:r:d:E:",
        "files hidden no-ignore ignore-case smart-case case-sensitive fixed-strings word-regexp line-regexp count " +
          "count-matches files-with-matches files-without-match only-matching line-number no-line-number no-heading " +
          "heading with-filename no-filename multiline pcre2 invert-match json stats trim vimgrep column quiet text " +
          "no-messages follow no-ignore-vcs type-list multiline-dotall no-config",
        "after-context before-context context glob iglob type type-not max-count max-depth max-columns color colors " +
          "regexp sort sortr replace max-filesize encoding threads",
      ),
      true,
    ),
  ],
  ["echo", text(table())],
  ["pwd", text(table("LP"))],
  ["true", text(table())],
  ["false", text(table())],
  [":", text(table())],
  ["which", text(table("as", "all"))],
  ["type", text(table("aftpP"))],
  ["basename", text(table("azs:", "multiple zero", "suffix"))],
  ["dirname", text(table("z", "zero"))],
  ["tr", text(table("cCdst", "complement delete squeeze-repeats truncate-set1"))],
  ["seq", text(table("wf:s:", "equal-width", "format separator"))],
]);

const FIND_TESTS = new Set(
  (
    "-name -iname -path -ipath -wholename -type -size -maxdepth -mindepth -mtime -mmin -atime -ctime -regex -iregex " +
    "-perm -user -group -newer -links -inum -regextype -printf"
  ).split(" "),
);
const FIND_ALONE = new Set(
  (
    "-print -print0 -ls -prune -not ! ( ) -o -or -a -and , -empty -true -false -depth -d -xdev -mount -follow -L -P -H " +
    "-executable -readable -writable -nouser -nogroup -daystart -noleaf -quit"
  ).split(" "),
);

/**
 * Which commands count as read-only. `strict`: only those that load no project configuration, use no network and start
 * no helpers. `confined`: also those that do, because they run in the read-only sandbox.
 */
export type Reach = "strict" | "confined";

/** What a command that only looks reads; undefined where it may do more. */
export interface Looking {
  readonly reads: readonly ShellWord[];
  /** It looks at the folder that it runs in, too. */
  readonly looksAround: boolean;
}

const NOTHING: Looking = { reads: [], looksAround: false };

export function looking(words: readonly ShellWord[], reach: Reach): Looking | undefined {
  const [first, ...rest] = words;
  if (first?.type !== "static" || baseName(first.value) !== first.value) return undefined;
  if (reach === "strict" && CONFINED_ONLY.has(first.value)) return undefined;
  const special = SPECIAL.get(first.value);
  if (special !== undefined) return special(rest);
  const entry = READ_ONLY.get(first.value);
  return entry === undefined ? undefined : byEntry(rest, entry, first.value);
}

function byEntry(words: readonly ShellWord[], entry: Entry, name: string): Looking | undefined {
  // What echo is given is printed, whatever it looks like.
  if (name === "echo") return NOTHING;
  if (entry.hasSharpOptions && words.some(({ type }) => type !== "static")) return undefined;
  const read = readOptions(words, entry.options);
  if (read === undefined || read.values.some(({ type }) => type === "dynamic")) return undefined;
  if (entry.operands === "text") return NOTHING;
  const hasPattern = read.names.some((option) => option === "e" || option === "regexp" || option === "files");
  const given = entry.operands === "pattern" && !hasPattern ? read.operands.slice(1) : read.operands;
  // What another command prints, which is judged by itself.
  const reads = given.filter(({ raw, type }) => type !== "dynamic" || !/^<\([^()]*\)$/.test(raw));
  return reads.some(({ type }) => type === "dynamic")
    ? undefined
    : { reads, looksAround: given.length === 0 };
}

function find(words: readonly ShellWord[]): Looking | undefined {
  if (words.some(({ type }) => type !== "static")) return undefined;
  const start = words.findIndex(({ value }) => /^(?:-[^LPH]|[(!])/.test(value));
  const tests = start < 0 ? [] : words.slice(start);
  const reads = (start < 0 ? words : words.slice(0, start)).filter(({ value }) => !value.startsWith("-"));
  for (let at = 0; at < tests.length; at++) {
    const { value } = tests[at] as ShellWord;
    if (FIND_TESTS.has(value)) at++;
    else if (!FIND_ALONE.has(value)) return undefined;
  }
  return { reads, looksAround: reads.length === 0 };
}

const SED = table(
  "nErsuze:l:",
  "quiet silent regexp-extended separate unbuffered null-data posix",
  "expression",
);

function sed(words: readonly ShellWord[]): Looking | undefined {
  if (words.some(({ type }) => type !== "static")) return undefined;
  const read = readOptions(words, SED);
  if (read === undefined) return undefined;
  const isGiven = read.names.some((name) => name === "e" || name === "expression");
  const scripts = isGiven ? read.values : read.operands.slice(0, 1);
  if (scripts.length === 0 || scripts.some(({ value }) => sedEffect(value).type !== "text")) return undefined;
  return { reads: isGiven ? read.operands : read.operands.slice(1), looksAround: false };
}

function printf(words: readonly ShellWord[]): Looking | undefined {
  const [format] = words;
  return format !== undefined && mayBeOption(format) ? undefined : NOTHING;
}

function test(words: readonly ShellWord[]): Looking | undefined {
  return words.some(({ value, splits }) => splits || value === "-v" || value === "-R") ? undefined : NOTHING;
}

/** The second file is one that it writes. */
function uniq(words: readonly ShellWord[]): Looking | undefined {
  const read = readOptions(
    words,
    table("cdDiuzf:s:w:", "count repeated unique ignore-case", "skip-fields skip-chars"),
  );
  return read !== undefined && read.operands.length <= 1 && words.every(({ type }) => type === "static")
    ? { reads: read.operands, looksAround: false }
    : undefined;
}

function changeFolder(words: readonly ShellWord[]): Looking | undefined {
  const operands = words.filter(({ value }) => value !== "--");
  return operands.length === 1 && operands[0]?.type === "static" && !operands[0].value.startsWith("-")
    ? { reads: operands, looksAround: false }
    : undefined;
}

function byName(words: readonly ShellWord[]): Looking | undefined {
  const [option, ...names] = words;
  const isQuery = option?.type === "static" && /^-[vV]$/.test(option.value);
  return isQuery && names.every(({ type }) => type === "static") ? NOTHING : undefined;
}

/** They load configuration that a project can bring with it, and some of that configuration names programs to run. */
const CONFINED_ONLY = new Set(["git", "gh", "docker", "npm", "rg"]);

/** A tool with subcommands: the options before the subcommand are known by name, too. */
function tool(subcommands: readonly Subcommand[], globals: ReadonlySet<string>) {
  return (words: readonly ShellWord[]): Looking | undefined => {
    if (words.some(({ type }) => type !== "static")) return undefined;
    const start = words.findIndex(({ value }) => !globals.has(value));
    const values = words.slice(Math.max(0, start)).map(({ value }) => value);
    const found = subcommands.find(({ name }) => name.every((part, at) => values[at] === part));
    if (start < 0 || found === undefined) return undefined;
    const read = readOptions(words.slice(start + found.name.length), found.options);
    return read !== undefined && found.isAllowed(read)
      ? { reads: found.readsFiles ? read.operands : [], looksAround: true }
      : undefined;
  };
}

const SPECIAL = new Map<string, (words: readonly ShellWord[]) => Looking | undefined>([
  ["find", find],
  ["sed", sed],
  ["printf", printf],
  ["test", test],
  ["[", test],
  ["uniq", uniq],
  ["cd", changeFolder],
  ["command", byName],
  ["git", tool(GIT, new Set(["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"]))],
  ["gh", tool(GH, new Set())],
  ["docker", tool(DOCKER, new Set())],
  ["npm", tool(NPM, new Set())],
]);
