/** Commands that only read under conditions that an option table cannot express. */

import { isFileTest } from "./builtins.ts";
import { mayBeOption, readOptions, table } from "./options.ts";
import type { Looking, Reach } from "./read-only.ts";
import type { ShellWord } from "./script.ts";
import { sedEffect } from "./sed.ts";
import { isLoopName } from "./variables.ts";

type Custom = (words: readonly ShellWord[], reach: Reach) => Looking | undefined;

const NOTHING: Looking = { reads: [], looksAround: false };
const isStatic = ({ type }: ShellWord): boolean => type === "static";

const FIND_TESTS = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -lname -ilname -type -xtype -size -maxdepth -mindepth -mtime " +
    "-mmin -atime -amin -ctime -cmin -regex -iregex -perm -user -group -uid -gid -newer -anewer -cnewer -newermt " +
    "-samefile -links -inum -regextype -printf -fstype -used"
  ).split(" "),
);
const FIND_ALONE = new Set(
  (
    "-print -print0 -ls -prune -not ! ( ) -o -or -a -and , -empty -true -false -depth -d -xdev -mount -follow -L -P -H " +
    "-executable -readable -writable -nouser -nogroup -daystart -noleaf -quit -warn -nowarn"
  ).split(" "),
);

function find(words: readonly ShellWord[]): Looking | undefined {
  if (!words.every(isStatic)) return undefined;
  const start = words.findIndex(({ value }) => /^(?:-(?![LPH]$)|[(!,])/.test(value));
  const tests = start < 0 ? [] : words.slice(start);
  const reads = (start < 0 ? words : words.slice(0, start)).filter(({ value }) => !value.startsWith("-"));
  const inspects: ShellWord[] = [];
  for (let at = 0; at < tests.length; at++) {
    const { value } = tests[at] as ShellWord;
    const next = tests[at + 1];
    if (/^-(?:newer|anewer|cnewer|samefile)$/.test(value) && next !== undefined) inspects.push(next);
    if (FIND_TESTS.has(value)) at++;
    else if (!FIND_ALONE.has(value)) return undefined;
  }
  return { reads, looksAround: reads.length === 0, inspects };
}

const SED = table(
  "nErsuze:l:",
  "quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox line-length: " +
    "expression:",
);

function sed(words: readonly ShellWord[]): Looking | undefined {
  const read = words.every(isStatic) ? readOptions(words, SED) : undefined;
  if (read === undefined) return undefined;
  const given = read.given.flatMap(({ name, value }) =>
    name.startsWith("e") && value !== undefined ? [value] : [],
  );
  const scripts = given.length > 0 ? given : read.operands.slice(0, 1);
  if (scripts.length === 0 || scripts.some(({ value }) => sedEffect(value).type !== "text")) return undefined;
  return { reads: given.length > 0 ? read.operands : read.operands.slice(1), looksAround: false };
}

/** `-v` and `%n` set a variable, which could be PATH. */
function printf(words: readonly ShellWord[]): Looking | undefined {
  const [format, ...values] = words;
  if (format === undefined) return NOTHING;
  if (mayBeOption(format) || format.splits) return undefined;
  const isFixed = isStatic(format) && !/%[^%a-mo-zA-Z]*[hlLjtz]*n/s.test(format.value.replaceAll("%%", ""));
  return isFixed || values.length === 0 ? NOTHING : undefined;
}

const SET_LETTERS = /^[-+][euxvEhTC]*o?$/;
const SET_NAMES = /^(?:errexit|nounset|xtrace|verbose|errtrace|functrace|pipefail|noclobber)$/;

/** Options that end a script earlier, print its commands, or change the exit code of pipelines. */
function setOptions(words: readonly ShellWord[]): Looking | undefined {
  const isKnown = words.every(({ value, type }, at) => {
    const isNamed = /^[-+][a-zA-Z]*o$/.test(words[at - 1]?.value ?? "");
    return type === "static" && value.length > 1 && (isNamed ? SET_NAMES : SET_LETTERS).test(value);
  });
  const isEnded = !/^[-+][a-zA-Z]*o$/.test(words.at(-1)?.value ?? "");
  return words.length > 0 && isKnown && isEnded ? NOTHING : undefined;
}

/** It sets variables that no program reads. */
function readLine(words: readonly ShellWord[]): Looking | undefined {
  const options = words.findIndex(({ value }) => !/^-[rs]+$/.test(value));
  const names = options < 0 ? [] : words.slice(options);
  const isPlain =
    names.length > 0 && names.every(({ value, type }) => type === "static" && isLoopName(value));
  return isPlain ? NOTHING : undefined;
}

/** `-v` and `-R` evaluate the subscript of a name, which can run a command. */
function test(words: readonly ShellWord[]): Looking | undefined {
  if (words.some(({ value, splits, type }) => splits || type === "glob" || /^-[vR]$/.test(value)))
    return undefined;
  const inspects = words.filter((word, at) => {
    const isBinary = [words[at - 1], words[at + 1]].some((next) => /^-(?:ef|nt|ot)$/.test(next?.value ?? ""));
    return isStatic(word) && (isBinary || isFileTest(words[at - 1]?.value ?? ""));
  });
  return { ...NOTHING, inspects };
}

const UNIQ = table(
  "cdDiuzf:s:w:",
  "count repeated all-repeated? group? unique ignore-case zero-terminated skip-fields: skip-chars: check-chars:",
);

/** It writes to the second file. */
function uniq(words: readonly ShellWord[]): Looking | undefined {
  const read = words.every(isStatic) ? readOptions(words, UNIQ) : undefined;
  return read !== undefined && read.operands.length <= 1
    ? { reads: read.operands, looksAround: false }
    : undefined;
}

const XXD_ALONE = /^-[abeEipurC]$/;
const XXD_TAKES = /^-[lcgso]$/;
const NUMBER = /^[+-]?-?(?:0x[\da-f]+|\d+)$/i;

/** Its options are words, not letters; it writes to the second file. */
function xxd(words: readonly ShellWord[]): Looking | undefined {
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (!isStatic(word)) return undefined;
    if (XXD_TAKES.test(word.value) && NUMBER.test(words[at + 1]?.value ?? "")) at++;
    else if (!word.value.startsWith("-") || word.value === "-") operands.push(word);
    else if (!XXD_ALONE.test(word.value)) return undefined;
  }
  return operands.length <= 1 ? { reads: operands, looksAround: false } : undefined;
}

const DATE = table("uRI?d:r:", "utc universal rfc-email iso-8601? rfc-3339: date: debug reference:");

/** An operand without a plus sets the clock. */
function date(words: readonly ShellWord[]): Looking | undefined {
  const read = words.every(isStatic) ? readOptions(words, DATE) : undefined;
  if (read === undefined || !read.operands.every(({ value }) => value.startsWith("+"))) return undefined;
  const reads = read.given.flatMap(({ name, value }) => (/^r(?:eference)?$/.test(name) ? (value ?? []) : []));
  return { reads, looksAround: false };
}

const STRINGS = table("afon:t:e:", "all print-file-name bytes: radix: encoding:");

/** `@file` reads arguments from that file. */
function strings(words: readonly ShellWord[]): Looking | undefined {
  const read = words.every(isStatic) ? readOptions(words, STRINGS) : undefined;
  return read === undefined || words.some(({ value }) => value.startsWith("@"))
    ? undefined
    : { reads: read.operands, looksAround: false };
}

/** Without its extension, a name could mean another file. */
function unpacked(words: readonly ShellWord[]): Looking | undefined {
  const isPlain = words.every(
    (word) => isStatic(word) && /^[^-].*\.(?:gz|tgz|Z|xz|txz|lzma|bz2|tbz2?)$/s.test(word.value),
  );
  return isPlain ? { reads: words, looksAround: false } : undefined;
}

const JQ = table(
  "rjasncCMSeR",
  "raw-output join-output ascii-output slurp null-input compact-output color-output monochrome-output sort-keys " +
    "exit-status tab raw-input stream seq",
);
const JQ_LOADS = /\b(?:import|include|modulemeta|get_search_list)\b/;
const JQ_ENVIRONMENT = /\benv\b/i;

/** Its program can load modules and print the environment, which contains no secrets in the sandbox. */
function jq(words: readonly ShellWord[], reach: Reach): Looking | undefined {
  if (!words.every((word) => isStatic(word) && word.value !== "--")) return undefined;
  const options = words.filter((_, at) => !isJqVariable(words, at));
  const read = readOptions(options, JQ);
  const [program, ...files] = read?.operands ?? [];
  if (program === undefined || JQ_LOADS.test(program.value)) return undefined;
  if (reach === "strict" && JQ_ENVIRONMENT.test(program.value)) return undefined;
  return { reads: files, looksAround: false };
}

/** `--arg name value` takes two words. */
function isJqVariable(words: readonly ShellWord[], at: number): boolean {
  for (let from = 0; from <= at; from++)
    if (/^--arg(?:json)?$/.test(words[from]?.value ?? "")) {
      if (at <= from + 2) return true;
      from += 2;
    }
  return false;
}

function changeFolder(words: readonly ShellWord[]): Looking | undefined {
  const operands = words.filter(({ value }) => value !== "--");
  return operands.length === 1 && operands[0]?.type === "static" && !operands[0].value.startsWith("-")
    ? { reads: operands, looksAround: false }
    : undefined;
}

function byName(words: readonly ShellWord[]): Looking | undefined {
  const [option, ...names] = words;
  const isQuery = option?.type === "static" && /^-[vV]$/.test(option.value);
  return isQuery && names.every(isStatic) ? NOTHING : undefined;
}

export const CUSTOM: ReadonlyMap<string, Custom> = new Map<string, Custom>([
  ["find", find],
  ["sed", sed],
  ["printf", printf],
  ["test", test],
  ["[", test],
  ["uniq", uniq],
  ["xxd", xxd],
  ["date", date],
  ["strings", strings],
  ["zcat", unpacked],
  ["xzcat", unpacked],
  ["bzcat", unpacked],
  ["jq", jq],
  ["set", setOptions],
  ["read", readLine],
  ["cd", changeFolder],
  ["command", byName],
]);
