/** A parsed sed command line: scripts, files, and what happens to the files. */

import { isUnknown, longOption } from "./options.ts";
import type { ShellWord } from "./script.ts";

export interface SedCall {
  readonly scripts: readonly ShellWord[];
  /** Script files, whose content is not visible. */
  readonly scriptFiles: readonly ShellWord[];
  readonly files: readonly ShellWord[];
  readonly isInPlace: boolean;
  /** The suffixes of backup files. */
  readonly suffixes: readonly string[];
  /** It has an unknown option, or a word that could be one. */
  readonly isUnclear: boolean;
}

type Kind = "alone" | "script" | "scriptFile" | "value" | "suffix";

const LETTERS = new Map<string, Kind>([
  ...[..."nErsuzb"].map((letter): [string, Kind] => [letter, "alone"]),
  ["e", "script"],
  ["f", "scriptFile"],
  ["l", "value"],
  ["i", "suffix"],
]);
const LONG = new Map<string, Kind>([
  ["expression", "script"],
  ["file", "scriptFile"],
  ["line-length", "value"],
  ["in-place", "suffix"],
  ...(
    "quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox " +
    "follow-symlinks binary help version"
  )
    .split(" ")
    .map((name): [string, Kind] => [name, "alone"]),
]);

interface Draft {
  readonly given: Record<Kind, ShellWord[]>;
  readonly operands: ShellWord[];
  isUnclear: boolean;
}

export function readSed(words: readonly ShellWord[]): SedCall {
  const draft: Draft = {
    given: { alone: [], script: [], scriptFile: [], value: [], suffix: [] },
    operands: [],
    isUnclear: false,
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.type === "static" && word.value === "--") {
      draft.operands.push(...words.slice(at + 1));
      break;
    }
    if (takeWord(word, words[at + 1], draft)) at++;
  }
  return finished(draft);
}

/** Returns whether the next word was consumed too. */
function takeWord(word: ShellWord, next: ShellWord | undefined, draft: Draft): boolean {
  if (isUnknown(word)) draft.isUnclear = true;
  if (!word.value.startsWith("-") || word.value === "-") {
    draft.operands.push(word);
    return false;
  }
  const { kind, attached } = word.value.startsWith("--") ? long(word.value) : short(word.value);
  if (kind === undefined) draft.isUnclear = true;
  if (kind === undefined || kind === "alone") return false;
  if (attached !== "" || kind === "suffix") {
    draft.given[kind].push({ ...word, value: attached });
    return false;
  }
  if (next !== undefined) draft.given[kind].push(next);
  return true;
}

interface Found {
  readonly kind: Kind | undefined;
  readonly attached: string;
}

function long(value: string): Found {
  const option = longOption(value);
  const names = [...LONG.keys()].filter((name) => name.startsWith(option?.name ?? "-"));
  const kinds = names.map((name) => LONG.get(name) as Kind);
  // sed rejects an ambiguous abbreviation; assume the most dangerous option.
  return { kind: kinds.find((kind) => kind !== "alone") ?? kinds[0], attached: option?.value ?? "" };
}

/** Combined letters, up to one that takes the rest: `-ne`, `-i.bak`. */
function short(value: string): Found {
  for (let at = 1; at < value.length; at++) {
    const kind = LETTERS.get(value[at] as string);
    if (kind !== "alone") return { kind, attached: value.slice(at + 1) };
  }
  return { kind: "alone", attached: "" };
}

function finished({ given, operands, isUnclear }: Draft): SedCall {
  const isGiven = given.script.length > 0 || given.scriptFile.length > 0;
  const isInPlace = given.suffix.length > 0;
  // On other systems `-i` takes the next word: `sed -i '' script file`.
  const isApart = isInPlace && operands[0]?.value === "";
  const count = isGiven ? 0 : isApart ? 2 : 1;
  return {
    scripts: [...given.script, ...operands.slice(0, count)],
    scriptFiles: given.scriptFile,
    files: operands.slice(count),
    isInPlace,
    suffixes: given.suffix.map(({ value }) => value).filter((suffix) => suffix !== ""),
    isUnclear,
  };
}

/**
 * The backups that sed makes of a file; a star in the suffix stands for the file's name, a slash leads to another
 * folder.
 */
export function backupsOf(file: ShellWord, suffixes: readonly string[]): ShellWord[] {
  const slash = file.value.lastIndexOf("/") + 1;
  const [folder, name] = [file.value.slice(0, slash), file.value.slice(slash)];
  return suffixes.flatMap((suffix) => {
    const copy = suffix.includes("*") ? suffix.replaceAll("*", name) : name + suffix;
    const places = suffix.includes("/") ? [copy, folder + copy] : [folder + copy];
    return places.map((value) => ({ ...file, value }));
  });
}
