/**
 * Whether a command only reads, by its name and options. With an option that is not in the tables, a command counts as
 * one that can make changes.
 */

import { baseName } from "./inner.ts";
import { readOptions } from "./options.ts";
import { type Entry, READ_ONLY, RG } from "./read-only-table.ts";
import { GIT, NPM, onlyVersion, type Subcommand } from "./read-only-tools.ts";
import { CUSTOM } from "./read-only-custom.ts";
import { remembering } from "./remember.ts";
import type { ShellWord } from "./script.ts";

/**
 * Which commands count as read-only. `strict`: only those that load no project configuration, use no network and start
 * no other programs. `confined`: also those that do, because they run in the read-only sandbox.
 */
export type Reach = "strict" | "confined";

/** What a read-only command reads. */
export interface Looking {
  readonly reads: readonly ShellWord[];
  /** It also reads the folder that it runs in. */
  readonly looksAround: boolean;
  /** It shows only whether these exist and what they are. */
  readonly inspects?: readonly ShellWord[];
}

const NOTHING: Looking = { reads: [], looksAround: false };

/** Returns what the command reads; undefined if it could do more than read. */
export function looking(words: readonly ShellWord[], reach: Reach): Looking | undefined {
  return LOOKING[reach](words);
}

const LOOKING = {
  strict: remembering((words) => lookingAt(words, "strict")),
  confined: remembering((words) => lookingAt(words, "confined")),
};

function lookingAt(words: readonly ShellWord[], reach: Reach): Looking | undefined {
  const [first, ...rest] = words;
  if (first?.type !== "static" || baseName(first.value) !== first.value) return undefined;
  const name = first.value;
  // echo prints its arguments, whatever they look like.
  if (name === "echo") return NOTHING;
  const custom = CUSTOM.get(name);
  const strict = custom === undefined ? byTable(rest, READ_ONLY.get(name)) : custom(rest, reach);
  return strict ?? (reach === "confined" ? inSandbox(name, rest) : undefined);
}

/** Commands that load project configuration, some of which names programs to run. */
function inSandbox(name: string, words: readonly ShellWord[]): Looking | undefined {
  if (onlyVersion(name, words)) return NOTHING;
  if (name === "git") return bySubcommand(words, GIT, GIT_GLOBALS);
  if (name === "npm") return bySubcommand(words, NPM, new Set());
  return name === "rg" ? byTable(words, RG) : undefined;
}

const GIT_GLOBALS = new Set(["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"]);

function byTable(words: readonly ShellWord[], entry: Entry | undefined): Looking | undefined {
  if (entry === undefined) return undefined;
  if (entry.hasSharpOptions && words.some(({ type }) => type !== "static")) return undefined;
  const read = readOptions(words, entry.options);
  if (read === undefined || read.values.some(({ type }) => type === "dynamic")) return undefined;
  if (entry.operands === "none") return read.operands.length === 0 ? NOTHING : undefined;
  if (entry.operands === "text") return NOTHING;
  const hasPattern = read.names.some((option) => PATTERN_OPTIONS.has(option));
  const given = entry.operands === "pattern" && !hasPattern ? read.operands.slice(1) : read.operands;
  // The output of a substitution is judged by the commands in it.
  const reads = given.filter(({ raw, type }) => type !== "dynamic" || !/^<\([^()]*\)$/.test(raw));
  if (reads.some(({ type }) => type === "dynamic")) return undefined;
  // On systems where the option takes no value, the word is a file that the program reads.
  const misread = read.given.flatMap(({ name, value, isSeparate }) =>
    isSeparate && value !== undefined && !PATTERN_OPTIONS.has(name) && isOutsidePath(value) ? [value] : [],
  );
  return { reads: [...reads, ...misread], looksAround: given.length === 0 };
}

const PATTERN_OPTIONS = new Set(["e", "regexp", "files"]);

function isOutsidePath({ value }: ShellWord): boolean {
  return /^[/~].|(?:^|\/)\.\.(?:\/|$)/s.test(value);
}

/** A tool with subcommands, whose options before the subcommand are known too. */
function bySubcommand(
  words: readonly ShellWord[],
  subcommands: readonly Subcommand[],
  globals: ReadonlySet<string>,
): Looking | undefined {
  if (words.some(({ type }) => type !== "static")) return undefined;
  const start = words.findIndex(({ value }) => !globals.has(value));
  const values = words.slice(Math.max(0, start)).map(({ value }) => value);
  const found = subcommands.find(({ name }) => name.every((part, at) => values[at] === part));
  if (start < 0 || found === undefined) return undefined;
  const read = readOptions(words.slice(start + found.name.length), found.options);
  return read !== undefined && found.isAllowed(read)
    ? { reads: found.readsOf(read), looksAround: true }
    : undefined;
}
