/** The file commands that mode acceptEdits allows, with the options it accepts. */

import { touchesOf } from "../bash/files.ts";
import { mayBeOption, type OptionTable, readOptions, table } from "../bash/options.ts";
import type { ShellWord } from "../bash/script.ts";
import { sedEffect } from "../bash/sed.ts";
import { readSed } from "../bash/sed-words.ts";

const COPY_LONG =
  "recursive archive force no-clobber verbose update? interactive no-target-directory preserve? no-dereference dereference target-directory:";
const COMMANDS = new Map<string, OptionTable>([
  ["mkdir", table("pvm:", "parents verbose mode:")],
  ["touch", table("acmht:d:", "no-create date: time:")],
  ["rm", table("rRfvidI", "recursive force verbose interactive? dir one-file-system preserve-root?")],
  ["rmdir", table("pv", "parents verbose ignore-fail-on-non-empty")],
  [
    "mv",
    table("fnvuTit:", "force no-clobber verbose update? interactive no-target-directory target-directory:"),
  ],
  ["cp", table("rRafpnvudPLHTit:", COPY_LONG)],
]);
const SED = table(
  "nErsuze:l:",
  "quiet silent regexp-extended separate unbuffered null-data posix expression:",
);
const IN_PLACE = /^(?:-[nErsuz]*i[\w.~-]*|--in-place(?:=[\w.~-]*)?)$/;

/**
 * Returns the words that must be inside the workspace for acceptEdits to allow the command; undefined if it never
 * allows it.
 */
export function editedBy(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [first, ...rest] = words;
  if (first?.type !== "static") return undefined;
  if (rest.some((word) => word.type === "dynamic" || (word.type === "glob" && mayBeOption(word))))
    return undefined;
  const options = COMMANDS.get(first.value);
  const isCovered =
    first.value === "sed"
      ? isPlainSed(rest)
      : options !== undefined && readOptions(rest, options) !== undefined;
  return isCovered ? touchesOf(words).map(({ word }) => word) : undefined;
}

function isPlainSed(words: readonly ShellWord[]): boolean {
  const read = readOptions(
    words.filter(({ value }) => !IN_PLACE.test(value)),
    SED,
  );
  const { scripts, scriptFiles, isUnclear } = readSed(words);
  return (
    read !== undefined &&
    !isUnclear &&
    scriptFiles.length === 0 &&
    scripts.length > 0 &&
    scripts.every(({ value, type }) => type === "static" && sedEffect(value).type === "text")
  );
}
