/** A command's arguments, read by the options that it is known to have. */

import type { ShellWord } from "./script.ts";

export interface OptionTable {
  /** Letters that stand alone and may be written together: `-la`. */
  readonly letters: string;
  /** Letters that take a value: `-n 5`, `-n5`. */
  readonly valueLetters: string;
  readonly long: ReadonlySet<string>;
  /** Long options with a value: `--lines=5`, `--lines 5`. */
  readonly valueLong: ReadonlySet<string>;
  /** `-5` */
  readonly numbers: boolean;
}

export interface ReadOptions {
  readonly names: readonly string[];
  readonly values: readonly ShellWord[];
  readonly operands: readonly ShellWord[];
}

/** `short` as in getopt: `ln:` is `-l`, and `-n` with a value; `#` is a number by itself. */
export function table(short = "", long = "", valueLong = ""): OptionTable {
  const list = (text: string): Set<string> => new Set(text.split(" ").filter((name) => name !== ""));
  const valueLetters = [...short.matchAll(/(.):/g)].map((match) => match[1]).join("");
  return {
    letters: short.replaceAll(/.:|#/g, ""),
    valueLetters,
    long: list(long),
    valueLong: list(valueLong),
    numbers: short.includes("#"),
  };
}

/** Undefined where an option is not in the table, or a word could be an option that is not known. */
export function readOptions(words: readonly ShellWord[], known: OptionTable): ReadOptions | undefined {
  const read = { names: [] as string[], values: [] as ShellWord[], operands: [] as ShellWord[] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.type === "static" && word.value === "--") {
      read.operands.push(...words.slice(at + 1));
      return read;
    }
    const used = takeOption(word, words[at + 1], known);
    if (used === undefined) return undefined;
    if (used.type === "operand") read.operands.push(word);
    else {
      read.names.push(...used.names);
      if (used.value !== undefined) read.values.push(used.value);
      if (used.tookNext) at++;
    }
  }
  return read;
}

type Taken =
  | { readonly type: "operand" }
  | {
      readonly type: "option";
      readonly names: readonly string[];
      readonly value: ShellWord | undefined;
      readonly tookNext: boolean;
    };

function takeOption(word: ShellWord, next: ShellWord | undefined, known: OptionTable): Taken | undefined {
  if (word.type === "dynamic") return isUnknown(word) ? undefined : { type: "operand" };
  // Only commands that have no option to fear come here with patterns; one that matches nothing stays as it is.
  if (word.type === "glob") return word.value.startsWith("-") ? undefined : { type: "operand" };
  const { value } = word;
  if (!value.startsWith("-") || value === "-") return { type: "operand" };
  if (known.numbers && /^-\d+$/.test(value))
    return { type: "option", names: [], value: undefined, tookNext: false };
  return value.startsWith("--") ? takeLong(word, next, known) : takeLetters(word, next, known);
}

/** An expansion or a pattern may turn out to begin with a dash. */
export function mayBeOption({ value, type }: ShellWord): boolean {
  return type === "static" ? value.startsWith("-") : /^[-$`*?[{]/.test(value);
}

/** Nobody can tell what words this becomes, and one of them may be an option. */
export function isUnknown(word: ShellWord): boolean {
  return word.type !== "static" && (word.splits || mayBeOption(word));
}

export function longOption(value: string): { name: string; value: string | undefined } | undefined {
  const [, name, given] = /^--([^=]+)(?:=(.*))?$/s.exec(value) ?? [];
  return name === undefined ? undefined : { name, value: given };
}

/** Whether this is one of these long options, by its beginning as GNU and git take it: `--expr=x`. */
export function maySay(value: string, names: readonly string[]): boolean {
  const option = longOption(value);
  return option !== undefined && names.some((name) => name.startsWith(option.name));
}

/** The options of a program that run or load something. */
export interface SharpOptions {
  readonly letters: string;
  /** Letters that take the rest of the word. */
  readonly takes: string;
  readonly long: readonly string[];
}

export function sharp(letters: string, takes: string, long: string): SharpOptions {
  return { letters, takes, long: long.split(" ").filter((name) => name !== "") };
}

/** Whether some word is such an option, or is not known and may be. */
export function hasSharp(words: readonly ShellWord[], { letters, takes, long }: SharpOptions): boolean {
  const end = words.findIndex(({ value, type }) => type === "static" && value === "--");
  return (end < 0 ? words : words.slice(0, end)).some((word) => {
    if (isUnknown(word) || maySay(word.value, long)) return true;
    if (!/^-[^-]/.test(word.value)) return false;
    const cluster = Array.from(word.value.slice(1));
    const stop = cluster.findIndex((letter) => takes.includes(letter));
    return (stop < 0 ? cluster : cluster.slice(0, stop)).some((letter) => letters.includes(letter));
  });
}

function takeLong(word: ShellWord, next: ShellWord | undefined, known: OptionTable): Taken | undefined {
  const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(word.value) ?? [];
  if (value === undefined && known.long.has(name))
    return { type: "option", names: [name], value: undefined, tookNext: false };
  if (!known.valueLong.has(name)) return undefined;
  if (value !== undefined)
    return { type: "option", names: [name], value: { ...word, value }, tookNext: false };
  return next === undefined ? undefined : { type: "option", names: [name], value: next, tookNext: true };
}

function takeLetters(word: ShellWord, next: ShellWord | undefined, known: OptionTable): Taken | undefined {
  const names: string[] = [];
  for (let at = 1; at < word.value.length; at++) {
    const letter = word.value[at] as string;
    if (known.letters.includes(letter)) {
      names.push(letter);
      continue;
    }
    if (!known.valueLetters.includes(letter)) return undefined;
    names.push(letter);
    const rest = word.value.slice(at + 1);
    if (rest !== "") return { type: "option", names, value: { ...word, value: rest }, tookNext: false };
    return next === undefined ? undefined : { type: "option", names, value: next, tookNext: true };
  }
  return { type: "option", names, value: undefined, tookNext: false };
}
