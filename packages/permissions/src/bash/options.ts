/** Parses a command's arguments with a table of its known options. */

import type { ShellWord } from "./script.ts";

/**
 * `flag`: takes no value. `value`: takes the rest of the word, the text after `=`, or the next word. `optional`: takes
 * a value only in the same word, so the next word is an operand.
 */
export type OptionKind = "flag" | "value" | "optional";

export interface OptionTable {
  /** By letter and by long name. */
  readonly kinds: ReadonlyMap<string, OptionKind>;
  /** Accepts `-5`. */
  readonly numbers: boolean;
  /** Everything after the first operand is an operand. */
  readonly stopsAtOperand: boolean;
}

interface GivenOption {
  readonly name: string;
  readonly value: ShellWord | undefined;
  /** The value is a separate word. */
  readonly isSeparate: boolean;
}

export interface ReadOptions {
  readonly names: readonly string[];
  readonly values: readonly ShellWord[];
  readonly given: readonly GivenOption[];
  readonly operands: readonly ShellWord[];
}

const KINDS: Readonly<Record<string, OptionKind>> = { "": "flag", ":": "value", "?": "optional" };

/**
 * Creates a table from letters as in getopt and from long names, each followed by `:` if it takes a value and by `?`
 * if the value is optional: `table("ln:U?#", "list lines: color?")`. `#` accepts a number as an option. A leading `+`
 * ends the options at the first operand.
 */
export function table(short = "", long = ""): OptionTable {
  const letters = [...short.matchAll(/([^:?#+])([:?]?)/g)];
  const names = [...long.matchAll(/([^ :?]+)([:?]?)/g)];
  return {
    kinds: new Map(
      [...letters, ...names].map(([, name = "", sign = ""]) => [name, KINDS[sign] as OptionKind] as const),
    ),
    numbers: short.includes("#"),
    stopsAtOperand: short.startsWith("+"),
  };
}

/** Merges several tables. */
export function joined(...tables: readonly OptionTable[]): OptionTable {
  return {
    kinds: new Map(tables.flatMap(({ kinds }) => [...kinds])),
    numbers: tables.some(({ numbers }) => numbers),
    stopsAtOperand: tables.some(({ stopsAtOperand }) => stopsAtOperand),
  };
}

/** Undefined if an option is not in the table, or a word could be an unknown option. */
export function readOptions(words: readonly ShellWord[], known: OptionTable): ReadOptions | undefined {
  const given: GivenOption[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const isEnd = word.type === "static" && word.value === "--";
    if (isEnd || (known.stopsAtOperand && operands.length > 0)) {
      operands.push(...words.slice(isEnd ? at + 1 : at));
      break;
    }
    const used = takeOption(word, words[at + 1], known);
    if (used === undefined) return undefined;
    if (used === "operand") operands.push(word);
    else {
      given.push(...used);
      if (used.at(-1)?.isSeparate === true) at++;
    }
  }
  const values = given.flatMap(({ value }) => value ?? []);
  return { names: given.map(({ name }) => name), values, given, operands };
}

function takeOption(
  word: ShellWord,
  next: ShellWord | undefined,
  known: OptionTable,
): readonly GivenOption[] | "operand" | undefined {
  if (word.type === "dynamic") return isUnknown(word) ? undefined : "operand";
  // Only commands without dangerous options get here with patterns; a pattern without matches stays as it is.
  if (word.type === "glob") return word.value.startsWith("-") ? undefined : "operand";
  const { value } = word;
  if (!value.startsWith("-") || value === "-") return "operand";
  if (known.numbers && /^-\d+$/.test(value)) return [];
  return value.startsWith("--") ? takeLong(word, next, known) : takeLetters(word, next, known);
}

/** An expansion or a pattern could begin with a dash. */
export function mayBeOption({ value, type }: ShellWord): boolean {
  return type === "static" ? value.startsWith("-") : /^[-$`*?[{]/.test(value);
}

/** Whether the words that this becomes are unknown, so that one of them could be an option. */
export function isUnknown(word: ShellWord): boolean {
  return word.type !== "static" && (word.splits || mayBeOption(word));
}

export function longOption(value: string): { name: string; value: string | undefined } | undefined {
  const [, name, given] = /^--([^=]+)(?:=(.*))?$/s.exec(value) ?? [];
  return name === undefined ? undefined : { name, value: given };
}

/** Whether this is one of these long options, by an abbreviation that GNU and git accept: `--expr=x`. */
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

/** Whether a word is such an option, or is unknown and could be one. */
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

function takeLong(
  word: ShellWord,
  next: ShellWord | undefined,
  known: OptionTable,
): GivenOption[] | undefined {
  const option = longOption(word.value);
  if (option === undefined || option.name.length < 2) return undefined;
  const { name, value } = option;
  const kind = known.kinds.get(name);
  if (kind === undefined || (kind === "flag" && value !== undefined)) return undefined;
  if (value !== undefined) return [{ name, value: { ...word, value }, isSeparate: false }];
  if (kind !== "value") return [{ name, value: undefined, isSeparate: false }];
  return next === undefined ? undefined : [{ name, value: next, isSeparate: true }];
}

function takeLetters(
  word: ShellWord,
  next: ShellWord | undefined,
  known: OptionTable,
): GivenOption[] | undefined {
  const given: GivenOption[] = [];
  for (let at = 1; at < word.value.length; at++) {
    const name = word.value[at] as string;
    const rest = word.value.slice(at + 1);
    const kind = known.kinds.get(name);
    if (kind === undefined) return undefined;
    if (kind === "flag" || (kind === "optional" && rest === ""))
      given.push({ name, value: undefined, isSeparate: false });
    else if (rest !== "") return [...given, { name, value: { ...word, value: rest }, isSeparate: false }];
    else return next === undefined ? undefined : [...given, { name, value: next, isSeparate: true }];
  }
  return given;
}
