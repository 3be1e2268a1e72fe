/** Arguments that run or remove something: a rule that ends in a wildcard does not cover them, an exact one does. */

import { awkEffect, readAwk } from "./awk.ts";
import { isSharpGit } from "./git.ts";
import { isSharpGo } from "./go.ts";
import { baseName } from "./inner.ts";
import { hasSharp, isUnknown, sharp, type SharpOptions } from "./options.ts";
import type { ShellWord } from "./script.ts";
import { readSed } from "./sed-words.ts";
import { sedEffect } from "./sed.ts";
import { readTar } from "./tar.ts";

/** They run whatever stands in their arguments. */
const RUNNERS = new Set(
  "watch setsid ionice flock chrt taskset setarch unshare nsenter strace ltrace script entr parallel".split(
    " ",
  ),
);

const FIND = /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from)$/;
const LESS = /^\+|^-[kotTO]|^--(?:lesskey|log-file)/i;
const ZIP = /^-TT|^--unzip/;
/** They name a program to run, or where an executable is written. */
const CARGO = /^--(?:config|artifact-dir|out-dir|target-dir|manifest-path|lockfile-path)(?:=|$)|^-[CZ]/;

type Check = (words: readonly ShellWord[]) => boolean;

/** A word that is not known may be any option. */
const someOrUnknown =
  (pattern: RegExp): Check =>
  (words) =>
    words.some((word) => pattern.test(word.value) || isUnknown(word));
const options =
  (known: SharpOptions): Check =>
  (words) =>
    hasSharp(words, known);

const CHECKS = new Map<string, Check>([
  ["find", someOrUnknown(FIND)],
  ["fd", options(sharp("xX", "deEgtSc", "exec exec-batch"))],
  ["fdfind", options(sharp("xX", "deEgtSc", "exec exec-batch"))],
  ["git", isSharpGit],
  ["tar", (words) => readTar(words).isSharp],
  ["rg", options(sharp("", "", "pre hostname-bin"))],
  ["man", options(sharp("PH", "CRLmMSseprEBT", "pager html browser"))],
  ["sort", options(sharp("", "", "compress-program"))],
  ["split", options(sharp("", "", "filter"))],
  ["bat", options(sharp("", "", "pager"))],
  ["zip", someOrUnknown(ZIP)],
  ["go", isSharpGo],
  ["cargo", someOrUnknown(CARGO)],
  ["less", someOrUnknown(LESS)],
  ["sed", sed],
  ["awk", awk],
  ["gawk", awk],
  ["mawk", awk],
  ["nawk", awk],
]);

export function isSharp(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const name = baseName(first.value);
  return RUNNERS.has(name) || CHECKS.get(name)?.(rest) === true;
}

/** Every script must be seen, and be one that runs nothing. */
function sed(words: readonly ShellWord[]): boolean {
  const { scripts, scriptFiles, suffixes, isUnclear } = readSed(words);
  return (
    isUnclear ||
    scriptFiles.length > 0 ||
    suffixes.some((suffix) => suffix.includes("/")) ||
    scripts.some(({ value, type }) => type === "dynamic" || sedEffect(value).type === "unsafe")
  );
}

function awk(words: readonly ShellWord[]): boolean {
  const { program, isUnclear } = readAwk(words);
  if (isUnclear) return true;
  return program !== undefined && (program.type !== "static" || awkEffect(program.value).type === "unsafe");
}
