/** What tar is told to do, by its words: the archives that it writes, the folders that it fills, what it runs. */

import { isUnknown, longOption, maySay } from "./options.ts";
import type { ShellWord } from "./script.ts";

interface Option {
  /** A letter, or a long name as it is written. */
  readonly name: string;
  readonly value: ShellWord | undefined;
}

export interface TarCall {
  /** It runs a program that it is told, or takes its options from where they are not to be seen. */
  readonly isSharp: boolean;
  readonly writes: readonly ShellWord[];
}

const TAKES = "bCfFgHIKLNTVX";
const SHARP_LETTERS = "IFT";
const SHARP_LONG =
  "to-command checkpoint-action use-compress-program info-script new-volume-script rsh-command rmt-command files-from".split(
    " ",
  );
const HARMLESS = new Set(["checkpoint", "file"]);
const LOOKS = ["extract", "get", "list", "diff", "compare"];

export function readTar(words: readonly ShellWord[]): TarCall {
  const end = words.findIndex(({ value, type }) => type === "static" && value === "--");
  const options = end < 0 ? words : words.slice(0, end);
  const given = optionsOf(options);
  const is = (letter: string, ...names: string[]): Option[] =>
    given.filter(({ name }) => (name.length === 1 ? name === letter : maySay(`--${name}`, names)));
  const archives = is("f", "file").flatMap(({ value }) => value ?? []);
  const isExtracting = is("x", "extract", "get").length > 0;
  const isLooking = isExtracting || is("t", ...LOOKS).length > 0 || is("d").length > 0;
  return {
    isSharp:
      options.some(isUnknown) ||
      given.some(({ name }) => isSharpName(name)) ||
      archives.some(({ value }) => value.includes(":")),
    writes: [
      ...(isLooking ? [] : archives),
      ...is("g", "listed-incremental", "index-file").flatMap(({ value }) => value ?? []),
      ...(isExtracting ? is("C", "directory").flatMap(({ value }) => value ?? []) : []),
    ],
  };
}

function isSharpName(name: string): boolean {
  if (name.length === 1) return SHARP_LETTERS.includes(name);
  return !HARMLESS.has(name) && maySay(`--${name}`, SHARP_LONG);
}

function optionsOf(words: readonly ShellWord[]): Option[] {
  const [first] = words;
  // The old way: letters without a dash, and then their values in turn.
  const isOld = first !== undefined && !first.value.startsWith("-");
  const old = isOld ? [...first.value] : [];
  const values = words.slice(1);
  const olds = old.map(
    (name): Option => ({ name, value: TAKES.includes(name) ? values.shift() : undefined }),
  );
  return [...olds, ...words.flatMap((word, at) => (isOld && at === 0 ? [] : optionsIn(word, words[at + 1])))];
}

function optionsIn(word: ShellWord, next: ShellWord | undefined): Option[] {
  const long = longOption(word.value);
  if (long !== undefined)
    return [{ name: long.name, value: long.value === undefined ? next : { ...word, value: long.value } }];
  if (!/^-./s.test(word.value)) return [];
  const found: Option[] = [];
  for (let at = 1; at < word.value.length; at++) {
    const name = word.value[at] as string;
    const rest = word.value.slice(at + 1);
    if (!TAKES.includes(name)) found.push({ name, value: undefined });
    else return [...found, { name, value: rest === "" ? next : { ...word, value: rest } }];
  }
  return found;
}
