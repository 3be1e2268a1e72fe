/**
 * Files that a program probably writes, by options and operands that mean the same in many programs. Only for denies
 * and protected places, where a false match is harmless.
 */

import { readsConfig } from "./git-config.ts";
import { longOption } from "./options.ts";
import { subcommandAt } from "./git-content.ts";
import type { ShellWord } from "./script.ts";

const OUTPUT =
  /^(?:-o|-ob|-of|-MF|--?(?:out|output|outfile|out-file|output-file|outdir|out-dir|output-dir|log-file|logfile|report-file|dest|destination))$/;
const OUTPUT_ATTACHED =
  /^(?:-o|--?(?:out|output|outfile|out-file|output-file|outdir|out-dir|output-dir|log-file|logfile|report-file|dest|destination)=)(.+)$/s;
/** Options that make a program change the files it is given. */
const IN_PLACE = /^(?:-w|--write|--in-?place|--fix|--fix-[a-z-]+|-fix|--overwrite)$/;
/** `-i` has this meaning only in these. */
const IN_PLACE_LETTER =
  /^(?:perl|ruby|clang-format|autopep8|yq|xq|tomlq|jq|sponge|gofumpt|goimports|astyle|uncrustify)$/;
/** They change the files they are given unless an option says otherwise. */
const FORMATTERS =
  /^(?:black|isort|rustfmt|autoflake|pyupgrade|yapf|dos2unix|unix2dos|rename|prename|mmv|indent|strip|sqlite3|duckdb|mktemp)$/;
const ONLY_CHECKS = /^(?:--check|--check-only|--diff|-c|--dry-run|--list-different|-l|--info)$/;
/** They write their last operand. */
const CONVERTERS = /^(?:ffmpeg|convert|magick|sox|pdftotext|pdftoppm|cwebp|inkscape|script)$/;
/** They write files of formats with their own subcommand. */
const WITH_SUBCOMMAND = new Map([["ruff", /^(?:format|check)$/]]);
/** Their letters have other meanings, and they write nothing or are read exactly elsewhere. */
const READ_EXACTLY =
  /^(?:git|ls|cat|grep|egrep|fgrep|rg|wc|head|tail|find|ps|ssh|scp|mount|set|shopt|test|\[|echo|printf|docker|podman|kubectl|npm|pnpm|yarn|diff|cmp|sort|sed|awk|g?awk|mawk|nawk|tar|du|df|stat|less|more|tree|od|xxd|lsof|uniq|cut|join)$/;

export function looselyWritten(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  if (name === "git") return byGit(words);
  if (name === "gawk" || name === "awk") return changedByAwk(words);
  const operands = words.filter(({ value }) => !value.startsWith("-"));
  const own = CONVERTERS.test(name) ? operands.slice(-1) : [];
  if (READ_EXACTLY.test(name)) return own;
  const isChanging =
    words.some(({ value }) => IN_PLACE.test(value)) ||
    (IN_PLACE_LETTER.test(name) && words.some(({ value }) => /^-[a-zA-Z0-9]*i/.test(value))) ||
    WITH_SUBCOMMAND.get(name)?.test(operands[0]?.value ?? "") === true ||
    FORMATTERS.test(name);
  const isCheck = words.some(({ value }) => ONLY_CHECKS.test(value));
  return [...own, ...(isChanging && !isCheck ? operands : []), ...byOption(words)];
}

function byOption(words: readonly ShellWord[]): ShellWord[] {
  return words.flatMap((word, at): ShellWord[] => {
    const next = words[at + 1];
    if (OUTPUT.test(word.value)) return next === undefined ? [] : [next];
    const attached = OUTPUT_ATTACHED.exec(word.value)?.[1];
    return attached === undefined ? [] : [{ ...word, value: attached }];
  });
}

/** `gawk -i inplace` changes the files after the program. */
function changedByAwk(words: readonly ShellWord[]): readonly ShellWord[] {
  const isInPlace = words.some(
    ({ value }, at) =>
      /^(?:-iinplace|--include=inplace)$/.test(value) ||
      (value === "inplace" && /^(?:-i|--include)$/.test(words[at - 1]?.value ?? "")),
  );
  return isInPlace ? words.filter(({ value }) => !value.startsWith("-")) : [];
}

/** Subcommands that change a file of the working tree that they are given. */
function byGit(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = subcommandAt(words);
  const name = words[at]?.value ?? "";
  const rest = words.slice(at + 1);
  const operands = rest.filter(({ value }) => !value.startsWith("-"));
  if (name === "merge-file")
    return rest.some(({ value }) => /^(?:-p|--stdout)$/.test(value)) ? [] : operands.slice(0, 1);
  if (name === "interpret-trailers") return rest.some(({ value }) => value === "--in-place") ? operands : [];
  if (name !== "config" || readsConfig(rest)) return [];
  return rest.flatMap((word, place): ShellWord[] => {
    const next = rest[place + 1];
    if (/^(?:-f|--file)$/.test(word.value)) return next === undefined ? [] : [next];
    const option = longOption(word.value);
    return option?.name === "file" && option.value !== undefined ? [{ ...word, value: option.value }] : [];
  });
}
