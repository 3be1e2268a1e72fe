/**
 * What a tar command does: the archives that it writes, the folders that it extracts into, the programs that it runs.
 */

import { isUnknown, longOption, maySay, type OptionKind } from "./options.ts";
import type { ShellWord } from "./script.ts";

interface Option {
  /** A letter, or a long name as written; empty for an operand. */
  readonly name: string;
  readonly value: ShellWord | undefined;
}

export interface TarCall {
  /** It runs a program, writes files that are not visible, or has an unknown option. */
  readonly isSharp: boolean;
  readonly writes: readonly ShellWord[];
  readonly archives: readonly ShellWord[];
}

const TAKES = "bCfFgHIKLNTVX";
/** Letters whose effect is visible in the arguments: which archive, which folder, which files. */
const SAFE_LETTERS = "ctxrudAvwzjJZapkmonOhSsWiBlbCfgHKLNVX";
const FLAGS =
  "create list extract get append update diff compare concatenate catenate verbose gzip gunzip ungzip bzip2 xz lzma lzip " +
  "lzop zstd compress uncompress auto-compress no-auto-compress preserve-permissions same-permissions " +
  "no-same-permissions same-owner no-same-owner keep-old-files skip-old-files keep-newer-files no-overwrite-dir touch " +
  "to-stdout dereference hard-dereference sparse verify utc full-time exclude-vcs exclude-vcs-ignores exclude-backups " +
  "exclude-caches exclude-caches-all one-file-system no-recursion recursion wildcards no-wildcards anchored " +
  "no-anchored ignore-case ignore-zeros numeric-owner interactive confirmation force-local null " +
  "delay-directory-restore restrict acls no-acls xattrs no-xattrs selinux no-selinux posix show-omitted-dirs " +
  "block-number seek no-seek clamp-mtime show-defaults version help usage";
const VALUES =
  "file directory exclude exclude-from exclude-tag exclude-tag-all strip-components mode mtime owner group sort format " +
  "transform xform owner-map group-map level blocking-factor record-size newer newer-mtime after-date label suffix " +
  "listed-incremental index-file warning quoting-style pax-option hole-detection";
const kindsOf = (names: string, kind: OptionKind): [string, OptionKind][] =>
  names.split(" ").map((name) => [name, kind]);
const LONG: ReadonlyMap<string, OptionKind> = new Map([
  ...kindsOf(FLAGS, "flag"),
  ...kindsOf(VALUES, "value"),
  ...kindsOf("one-top-level checkpoint totals atime-preserve", "optional"),
]);
const LOOKS = ["extract", "get", "list", "diff", "compare"];

export function readTar(words: readonly ShellWord[]): TarCall {
  const end = words.findIndex(({ value, type }) => type === "static" && value === "--");
  const options = end < 0 ? words : words.slice(0, end);
  const given = itemsOf(options);
  const is = (letter: string, ...names: string[]): Option[] =>
    given.filter(({ name }) =>
      name.length === 1 ? name === letter : name !== "" && maySay(`--${name}`, names),
    );
  const archives = is("f", "file").flatMap(({ value }) => value ?? []);
  const isUnpacking = is("x", "extract", "get").length > 0;
  const isExtracting = isUnpacking && is("O", "to-stdout").length === 0;
  const isLooking = isUnpacking || is("t", ...LOOKS).length > 0 || is("d").length > 0;
  const folders = [...is("C", "directory"), ...is("", "one-top-level")].flatMap(({ value }) => value ?? []);
  return {
    archives,
    isSharp:
      options.some(isUnknown) ||
      !given.every(({ name }) => (name.length > 1 ? LONG.has(name) : SAFE_LETTERS.includes(name))) ||
      is("", "transform", "xform").length > 0 ||
      archives.some(({ value }) => value.includes(":")) ||
      // The members of an archive are not visible: they could be any file below the folder.
      (isExtracting && !(isApart(folders) && movesFirst(given))),
    writes: [
      ...(isLooking ? [] : archives),
      ...is("g", "listed-incremental", "index-file").flatMap(({ value }) => value ?? []),
      ...(isExtracting ? [...folders, ...is("", "transform", "xform").flatMap(newNames)] : []),
    ],
  };
}

/** The names that `--transform=s,old,new,` gives to members, as far as it contains them. */
function newNames({ value: word }: Option): ShellWord[] {
  return (word?.value ?? "").split(";").flatMap((rule) => {
    const separator = /^\s*s(.)/s.exec(rule)?.[1];
    const [, , name = ""] = separator === undefined ? [] : rule.split(separator);
    return word === undefined || name === "" ? [] : [{ ...word, value: name }];
  });
}

/** Members before `-C` are extracted into the working directory. */
function movesFirst(items: readonly Option[]): boolean {
  const operand = items.findIndex(({ name }) => name === "");
  const folder = items.findIndex(({ name }) => name === "C" || /^d|^one-top-level/.test(name));
  return operand < 0 || folder < operand;
}

/** Whether archives are extracted into separate folders below the working directory. */
export function isApart(folders: readonly ShellWord[]): boolean {
  return folders.length > 0 && folders.every(isFolderBelow);
}

function isFolderBelow({ value, type, fromTilde }: ShellWord): boolean {
  const names = value.split("/").filter((name) => name !== "" && name !== ".");
  return (
    type === "static" && !fromTilde && !value.startsWith("/") && names.length > 0 && !names.includes("..")
  );
}

function itemsOf(words: readonly ShellWord[]): Option[] {
  const rest = [...words];
  const [first] = words;
  const items: Option[] = [];
  // The traditional style: letters without a dash, followed by their values in order.
  if (first !== undefined && !first.value.startsWith("-")) {
    rest.shift();
    for (const name of first.value)
      items.push({ name, value: TAKES.includes(name) ? rest.shift() : undefined });
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) items.push(...itemsIn(word, rest));
  return items;
}

/** Reads one word; takes its value from the words after it. */
function itemsIn(word: ShellWord, rest: ShellWord[]): Option[] {
  const long = longOption(word.value);
  if (long !== undefined) {
    const isAttached = long.value !== undefined;
    const takesNext = !isAttached && longKind(long.name) === "value";
    const attached = isAttached ? { ...word, value: long.value ?? "" } : undefined;
    return [{ name: long.name, value: takesNext ? rest.shift() : attached }];
  }
  if (!/^-./s.test(word.value)) return [{ name: "", value: word }];
  const found: Option[] = [];
  for (let at = 1; at < word.value.length; at++) {
    const name = word.value[at] as string;
    const attached = word.value.slice(at + 1);
    if (!TAKES.includes(name)) found.push({ name, value: undefined });
    else return [...found, { name, value: attached === "" ? rest.shift() : { ...word, value: attached } }];
  }
  return found;
}

/** By the abbreviations that tar accepts. A wildcard rule does not cover such a call, but its files are known. */
function longKind(name: string): OptionKind | undefined {
  const exact = LONG.get(name);
  return exact ?? [...LONG].find(([known]) => known.startsWith(name))?.[1];
}
