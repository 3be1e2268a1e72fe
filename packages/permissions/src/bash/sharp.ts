/**
 * Arguments that a rule which ends in a wildcard does not cover; an exact rule does.
 *
 * A wildcard rule for a program allows what the program itself does with its operands. It does not allow arguments
 * that make the program run another one, load settings that do so, or write files whose names are not visible.
 */

import { awkEffect, readAwk } from "./awk.ts";
import { isSharpGit } from "./git.ts";
import { baseName } from "./inner.ts";
import { hasSharp, isUnknown, sharp, type SharpOptions } from "./options.ts";
import type { ShellWord } from "./script.ts";
import { readSed } from "./sed-words.ts";
import { sedEffect } from "./sed.ts";
import { BUILTINS } from "./sharp-builtins.ts";
import { loadsOtherCode } from "./sharp-code.ts";
import { PACKAGE_MANAGERS } from "./sharp-packages.ts";
import { TOOLS } from "./sharp-tools.ts";
import { readTar } from "./tar.ts";
import { strip, STRIPPED } from "./wrappers.ts";

/** Programs that run their arguments or their input. */
const RUNNERS = new Set(
  (
    "watch setsid ionice flock chrt taskset setarch unshare nsenter strace ltrace script entr parallel ed ex cpio pax " +
    "bsdtar bsdcpio expect gdb lldb sftp ftp"
  ).split(" "),
);

const FIND = /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from)$/;
const LESS = /^\+|^-[kotTO]|^--(?:lesskey|log-file)/i;

/** `ruleText` is the part of the rule before its wildcard. */
export type Check = (words: readonly ShellWord[], ruleText: string) => boolean;

/** An unknown word could be any option. */
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
  ["rg", options(sharp("z", "ABCefgjmMtTrdE", "pre hostname-bin search-zip"))],
  ["man", options(sharp("PHC", "RLmMSseprEBT", "pager html browser config-file"))],
  ["sort", options(sharp("", "", "compress-program"))],
  ["split", options(sharp("", "", "filter"))],
  ["bat", options(sharp("", "", "pager config-file"))],
  ["less", someOrUnknown(LESS)],
  ["sed", sed],
  ["awk", awk],
  ["gawk", awk],
  ["mawk", awk],
  ["nawk", awk],
  ...BUILTINS,
  ...PACKAGE_MANAGERS,
  ...TOOLS,
]);

export function isSharp(words: readonly ShellWord[], ruleText = ""): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const name = baseName(first.value);
  return (
    RUNNERS.has(name) ||
    CHECKS.get(name)?.(rest, ruleText) === true ||
    loadsOtherCode(words) ||
    wrapsSharp(words, ruleText)
  );
}

/** `Bash(timeout 9 npm test:*)` names the program that it covers; `Bash(timeout:*)` does not. */
function wrapsSharp(words: readonly ShellWord[], ruleText: string): boolean {
  const name = words[0]?.value ?? "";
  if (name === "exec") return words.length > 1;
  if (!STRIPPED.has(name) || (name === "command" && /^-[vV]$/.test(words[1]?.value ?? ""))) return false;
  const inner = strip(words);
  if (inner === undefined) return words.length > 1;
  const isNamed = ruleText
    .split(" ")
    .slice(1)
    .includes(baseName(inner[0]?.value ?? ""));
  return !isNamed || isSharp(inner, ruleText);
}

/** Every script must be visible and run nothing. */
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
