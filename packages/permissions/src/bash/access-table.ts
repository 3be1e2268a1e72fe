/** Commands whose effects are known from their words: what they read and write, and the options that keep it so. */

import { type OptionTable, type ReadOptions, readOptions, table } from "./options.ts";
import { looking } from "./read-only.ts";
import type { ShellWord } from "./script.ts";
import { sedEffect } from "./sed.ts";
import { backupsOf, readSed } from "./sed-words.ts";

/** What one simple command does to files, by its words. */
export interface KnownEffect {
  readonly reads: readonly string[];
  readonly writes: readonly KnownWrite[];
  /** Its output depends on the working directory. */
  readonly usesCwd: boolean;
  /** Names of files that it reads in the folders of the written files and above. */
  readonly configs?: readonly string[];
}

/**
 * - `file`: this file or everything below this folder.
 * - `existing`: this file, which must be a regular file.
 * - `made`: this folder and the missing ones above it.
 * - `into`: the target, or the entry with this name in it if the target is a folder.
 */
export type KnownWrite = {
  readonly path: string;
  /** It can create links, so later commands in the same text can write anywhere. */
  readonly mayLink: boolean;
} & (
  | { readonly type: "file" | "existing" | "made" }
  | {
      readonly type: "into";
      readonly name: string;
      /** Whether the target is used as it is, even if it is a folder. */
      readonly isExact: boolean;
      /** Whether files below the target are written too. */
      readonly isDeep: boolean;
    }
);

const NOTHING: KnownEffect = { reads: [], writes: [], usesCwd: false };

/** They print something that depends on no file that a tool can change. */
const HARMLESS = new Set(
  "sleep true : echo printf date uptime seq basename dirname expr factor arch uname nproc cal".split(" "),
);
/** They read exactly the files that their operands name. */
const READERS = new Set(
  (
    "cat head tail wc cut paste nl tac rev sort uniq tr fold fmt expand unexpand base64 base32 od cmp comm join grep egrep " +
    "fgrep md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum"
  ).split(" "),
);
/** Options with which they read other files. */
const SEARCHES_FOLDERS = /^(?:-[a-zA-Z]*[rRdD]|--(?:rec|deref|dir|dev))/;
const READS_LISTED = /^(?:-[a-zA-Z]*c|--check)/;

type Effect = (read: ReadOptions) => KnownEffect | undefined;

interface Entry {
  readonly options: OptionTable;
  readonly effect: Effect;
}

const valuesOf = (words: readonly ShellWord[]): string[] => words.map(({ value }) => value);
const file = (path: string): KnownWrite => ({ type: "file", path, mayLink: false });
const has = ({ names }: ReadOptions, ...wanted: readonly string[]): boolean =>
  names.some((name) => wanted.includes(name));

const writesOperands: Effect = ({ operands }) => ({ ...NOTHING, writes: valuesOf(operands).map(file) });

const makes: Effect = (read) => {
  const type = has(read, "p", "parents") ? "made" : "file";
  return { ...NOTHING, writes: valuesOf(read.operands).map((path) => ({ type, path, mayLink: false })) };
};

/** `cp` and `mv`. A recursive copy and a moved folder can contain links. */
const transfers =
  (isMove: boolean): Effect =>
  (read) => {
    const operands = valuesOf(read.operands);
    const target = operands.at(-1);
    const sources = operands.slice(0, -1);
    if (target === undefined || sources.length === 0) return undefined;
    const isExact = has(read, "T", "no-target-directory");
    if (isExact && sources.length > 1) return undefined;
    const isDeep = has(read, "r", "R", "a", "recursive", "archive");
    const targets = sources.map((source): KnownWrite => {
      const name = lastName(source);
      return { type: "into", path: target, name, isExact, isDeep, mayLink: isMove || isDeep };
    });
    return { reads: sources, writes: [...(isMove ? sources.map(file) : []), ...targets], usesCwd: false };
  };

/** Only symbolic links: with a hard link, one file has two places. */
const links: Effect = (read) => {
  const operands = valuesOf(read.operands);
  const [target, at = ".", ...more] = operands;
  if (!has(read, "s", "symbolic") || target === undefined || more.length > 0) return undefined;
  const isExact = has(read, "T", "no-target-directory");
  const write: KnownWrite = {
    type: "into",
    path: at,
    name: lastName(target),
    isExact,
    isDeep: false,
    mayLink: true,
  };
  return { ...NOTHING, writes: [write] };
};

function lastName(path: string): string {
  return path.replace(/\/+$/, "").replace(/^[^]*\//, "");
}

/** The first operand is a mode. */
const changesMode: Effect = ({ operands: [mode, ...files] }) =>
  mode === undefined ? undefined : { ...NOTHING, writes: valuesOf(files).map(file) };

/** A formatter that rewrites the files that it is given, if one of these options is there. */
const formats =
  (needed: readonly string[], configs = ""): Effect =>
  (read) => {
    const paths = valuesOf(read.operands);
    // It expands patterns itself.
    if (!has(read, ...needed) || paths.length === 0 || paths.some((path) => /[*?[\]{}!()]/.test(path)))
      return undefined;
    const writes = paths.map((path): KnownWrite => ({ type: "existing", path, mayLink: false }));
    return { ...NOTHING, writes, configs: configs.split(" ").filter((name) => name !== "") };
  };

const PRETTIER_CONFIGS =
  "package.json .editorconfig .prettierignore .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml .prettierrc.js " +
  ".prettierrc.cjs .prettierrc.mjs .prettierrc.ts .prettierrc.toml prettier.config.js prettier.config.cjs " +
  "prettier.config.mjs prettier.config.ts";

const COMMANDS = new Map<string, Entry>([
  ["mkdir", { options: table("pvm:", "parents verbose mode:"), effect: makes }],
  ["touch", { options: table("acmt:d:", "no-create date: time:"), effect: writesOperands }],
  ["rm", { options: table("rRfvd", "recursive force verbose dir"), effect: writesOperands }],
  ["rmdir", { options: table("v", "verbose ignore-fail-on-non-empty"), effect: writesOperands }],
  ["unlink", { options: table(), effect: writesOperands }],
  ["truncate", { options: table("cs:", "no-create size:"), effect: writesOperands }],
  ["tee", { options: table("a", "append"), effect: writesOperands }],
  ["chmod", { options: table("cfv", "changes silent quiet verbose"), effect: changesMode }],
  [
    "cp",
    {
      options: table(
        "rRafpnvuT",
        "recursive archive force no-clobber verbose update no-target-directory preserve?",
      ),
      effect: transfers(false),
    },
  ],
  [
    "mv",
    {
      options: table("fnvuT", "force no-clobber verbose update no-target-directory"),
      effect: transfers(true),
    },
  ],
  [
    "ln",
    { options: table("sfnvT", "symbolic force no-dereference verbose no-target-directory"), effect: links },
  ],
  ["gofmt", { options: table("wsl"), effect: formats(["w"]) }],
  ["shfmt", { options: table("wsi:"), effect: formats(["w"], ".editorconfig") }],
  [
    "clang-format",
    { options: table("i"), effect: formats(["i"], ".clang-format _clang-format .clang-format-ignore") },
  ],
  [
    "prettier",
    {
      options: table(
        "wul",
        "write ignore-unknown log-level: loglevel: no-error-on-unmatched-pattern no-color",
      ),
      effect: formats(["w", "write"], PRETTIER_CONFIGS),
    },
  ],
]);

/** Returns what a command does to files; undefined if it could do anything else. All words must be static. */
export function knownEffect(words: readonly ShellWord[]): KnownEffect | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return NOTHING;
  const name = first.value;
  if (HARMLESS.has(name)) return harmless(words);
  if (name === "pwd")
    return looking(words, "strict") === undefined ? undefined : { ...NOTHING, usesCwd: true };
  if (READERS.has(name)) return readerEffect(words);
  if (name === "sed") return sedInPlace(rest);
  const entry = COMMANDS.get(name);
  const read = entry === undefined ? undefined : readOptions(rest, entry.options);
  return read === undefined ? undefined : entry?.effect(read);
}

/** `date -r file` reads a file. */
function harmless(words: readonly ShellWord[]): KnownEffect | undefined {
  const looked = looking(words, "strict");
  return looked === undefined ? undefined : { ...NOTHING, reads: valuesOf(looked.reads) };
}

function readerEffect(words: readonly ShellWord[]): KnownEffect | undefined {
  const looked = looking(words, "strict");
  const name = words[0]?.value ?? "";
  const wider = name.endsWith("grep") ? SEARCHES_FOLDERS : name.endsWith("sum") ? READS_LISTED : undefined;
  if (looked === undefined || words.slice(1).some(({ value }) => wider?.test(value) === true))
    return undefined;
  return { ...NOTHING, reads: valuesOf(looked.reads).filter((path) => path !== "-") };
}

/** A script without commands that write other files or run something. */
function sedInPlace(words: readonly ShellWord[]): KnownEffect | undefined {
  const { scripts, scriptFiles, files, isInPlace, suffixes, isUnclear } = readSed(words);
  if (isUnclear || scriptFiles.length > 0 || scripts.length === 0) return undefined;
  if (scripts.some(({ value }) => sedEffect(value).type !== "text")) return undefined;
  if (words.some(({ value }) => /^--(?:follow|help|version|debug)/.test(value))) return undefined;
  if (suffixes.some((suffix) => /[/*]/.test(suffix))) return undefined;
  const written = isInPlace ? files.flatMap((one) => [one, ...backupsOf(one, suffixes)]) : [];
  return { reads: valuesOf(files), writes: valuesOf(written).map(file), usesCwd: false };
}
