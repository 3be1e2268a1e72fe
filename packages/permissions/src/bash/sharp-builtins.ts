/** Builtins that change what later commands do, and wrappers: what a wildcard rule for them does not cover. */

import type { ShellWord } from "./script.ts";
import type { Check } from "./sharp.ts";
import { isRunByPrograms, loadsCode } from "./variables.ts";

/** Programs, the loader and the shell read these, and could run or load something because of them. */
const STEERS =
  /^(?:LD_.*|DYLD_.*|GIT_(?!AUTHOR_|COMMITTER_|TERMINAL_PROMPT$).*|npm_config_.*|NPM_CONFIG_.*|BASH_.*|IFS|CDPATH|HOME|SHELL|CC|CXX|AR|LD|GOFLAGS|RUSTFLAGS|RUSTC\w*|[A-Z_]*_WRAPPER|PYTHONHOME|NODE_REPL_.*)$/;
/** Where package managers install programs. */
const INSTALLED = /\/(?:node_modules\/\.bin|\.?venv\/bin)$/;
const PROGRAM_FOLDER = /^(?:\/.*|~\/.*|\$\{?(?:PATH|HOME)\}?(?:\/.*)?)$/s;

/** Whether setting the variable to this value can make later commands run or load something else. */
function steers(name: string, value: string): boolean {
  if (name === "PATH")
    return !value.split(":").every((folder) => PROGRAM_FOLDER.test(folder) || INSTALLED.test(folder));
  return STEERS.test(name) || isRunByPrograms(name) || loadsCode(name, value) !== undefined;
}

/** The folders that `export PATH=…` puts programs into, without those where package managers install programs. */
export function programFolders(words: readonly ShellWord[]): string[] {
  return words.flatMap(({ value }) => {
    const path = /^PATH\+?=(.*)$/s.exec(value.replaceAll(/["']/g, ""))?.[1];
    return path === undefined
      ? []
      : path.split(":").filter((folder) => folder !== "" && !INSTALLED.test(folder));
  });
}

const setting: Check = (words) =>
  words.some(({ value, raw, splits, type }) => {
    if (value.startsWith("-")) return /[fnF]/.test(value);
    const text = /^\w+\+?=/.test(value) ? value : raw;
    const [, name = value, given = ""] = /^(\w+)\+?=(.*)$/s.exec(text.replaceAll(/["']/g, "")) ?? [];
    return (type === "dynamic" && splits && !/^\w+=/.test(raw)) || steers(name, given);
  });

/** Variables that the builtin is given by name. */
const naming: Check = (words) => words.some(({ value, type }) => type !== "static" || steers(value, ""));
const printing: Check = ([option, name]) =>
  option?.value.startsWith("-v") === true &&
  steers(option.value === "-v" ? (name?.value ?? "PATH") : option.value.slice(2), "");
const has =
  (option: RegExp): Check =>
  (words) =>
    words.some(({ value, type }) => option.test(value) || type === "dynamic");

export const BUILTINS: readonly (readonly [string, Check])[] = [
  ["export", setting],
  ["declare", setting],
  ["typeset", setting],
  ["readonly", setting],
  ["local", setting],
  ["unset", naming],
  ["read", naming],
  ["mapfile", has(/^-[a-zA-Z]*C/)],
  ["readarray", has(/^-[a-zA-Z]*C/)],
  ["printf", printing],
  ["alias", has(/=/)],
  ["trap", (words: readonly ShellWord[]) => words.some(({ value }) => !/^-[lp]$/.test(value))],
  ["hash", has(/^-\w*p/)],
  ["enable", has(/^-\w*[fd]/)],
  ["bind", has(/^-\w*[xf]/)],
  ["complete", has(/^-\w*[CF]/)],
  ["compgen", has(/^-\w*[CFW]/)],
];
