/** The files that a command visibly reads and writes, by its operands. Unknown programs have none. */

import { awkEffect, readAwk } from "./awk.ts";
import { gitRemoves } from "./git.ts";
import { baseName } from "./inner.ts";
import { longOption, maySay } from "./options.ts";
import { remembering } from "./remember.ts";
import type { ShellWord } from "./script.ts";
import { backupsOf, readSed } from "./sed-words.ts";
import { sedEffect } from "./sed.ts";
import { readTar } from "./tar.ts";
import { nameInside, writtenBy } from "./written.ts";

export interface Touch {
  readonly mode: "read" | "write";
  readonly word: ShellWord;
  /** It only removes the file. */
  readonly removes: boolean;
}

const READERS = new Set(
  (
    "cat head tail less more bat batcat nl od xxd hexdump hd strings base64 base32 sort uniq wc cut paste diff cmp comm tac rev " +
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum jq yq ls stat file tree du find fd source . zcat " +
    "bzcat xzcat zless fold fmt pr column expand unexpand tsort shuf split csplit iconv view look sdiff vimdiff vim vi nvim " +
    "nano emacs ed ex open xdg-open basenc join diff3 ptx ul zstd zip tar gzip bzip2 xz 7z gpg openssl scp rsync readlink realpath mapfile dd python python3 " +
    "node ruby perl php bash sh zsh wl-copy xclip pbcopy ag ack strip nm objdump readelf ldd"
  ).split(" "),
);
/** Programs whose first operand is a pattern or a program. */
const SEARCHERS = new Set("grep egrep fgrep zgrep rg awk gawk mawk sed ag ack".split(" "));
const WRITERS = new Set(
  "mkdir touch tee truncate mkfifo mknod sponge vim vi nvim nano emacs ed ex patch gzip bzip2 xz fallocate".split(
    " ",
  ),
);
const REMOVERS = new Set("rm rmdir unlink shred".split(" "));
/** Programs whose first operand is a mode or an owner. */
const CHANGERS = new Set("chmod chown chgrp chattr setfacl".split(" "));
const COPIERS = new Set("cp mv install ln link rsync scp".split(" "));
const SEARCH_SCRIPT = /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file)(?:=.*)?)$/;
const OUTPUT = /^(?:-[a-zA-Z]*o|-O|-out|-t)$/;
const OUTPUT_LONG = ["output", "output-document", "output-dir", "output-file", "out", "target-directory"];
/** Programs that also take `-t folder`, possibly combined with other letters. */
const INTO = new Set(["cp", "mv", "ln", "install"]);

export const touchesOf = remembering((words): readonly Touch[] => {
  const [first, ...rest] = words;
  if (first === undefined || first.type === "dynamic") return [];
  const name = baseName(first.value);
  const operands = operandsOf(rest);
  return [
    ...(READERS.has(name) ? operands.map(reads) : []),
    ...(SEARCHERS.has(name) ? searched(name, rest, operands) : []),
    ...(WRITERS.has(name) ? operands.map(writes) : []),
    ...(REMOVERS.has(name) ? operands.map((word): Touch => ({ mode: "write", word, removes: true })) : []),
    ...(CHANGERS.has(name) ? operands.slice(1).map(writes) : []),
    ...(makesFolders(words) ? operands.map(writes) : copied(words)),
    ...(name === "find" ? deleted(rest) : []),
    ...named(name, rest),
  ];
});

const reads = (word: ShellWord): Touch => ({ mode: "read", word, removes: false });
const writes = (word: ShellWord): Touch => ({ mode: "write", word, removes: false });

export function operandsOf(words: readonly ShellWord[]): ShellWord[] {
  const end = words.findIndex(({ value }) => value === "--");
  const before = end < 0 ? words : words.slice(0, end);
  return [
    ...before.filter(({ value }) => !value.startsWith("-") || value === "-"),
    ...(end < 0 ? [] : words.slice(end + 1)),
  ];
}

function searched(name: string, words: readonly ShellWord[], operands: readonly ShellWord[]): Touch[] {
  if (name.endsWith("awk")) return ofAwk(words);
  if (name === "sed") return ofSed(words);
  const isGiven = words.some(({ value }) => SEARCH_SCRIPT.test(value));
  const patterns = words.flatMap((word) => {
    const file = /^(?:--file=|-[a-zA-Z]*?f)(.+)$/s.exec(word.value)?.[1];
    return file === undefined ? [] : [{ ...word, value: file }];
  });
  return [...(isGiven ? operands : operands.slice(1)), ...patterns].map(reads);
}

function ofSed(words: readonly ShellWord[]): Touch[] {
  const { scripts, scriptFiles, files, isInPlace, suffixes } = readSed(words);
  const own = scripts.flatMap(({ value }) => {
    const effect = sedEffect(value);
    return effect.type === "files" ? effect.names.map((file) => writes(made(file))) : [];
  });
  const changed = isInPlace ? files.flatMap((file) => [file, ...backupsOf(file, suffixes)]) : [];
  return [...[...files, ...scriptFiles].map(reads), ...changed.map(writes), ...own];
}

/** Files are string literals in an awk program. */
function ofAwk(words: readonly ShellWord[]): Touch[] {
  const { program, files } = readAwk(words);
  const effect = awkEffect(program?.value ?? "");
  const written = effect.type === "text" ? effect.writes.map((file) => writes(made(file))) : [];
  return [...files.map(reads), ...written, ...words.flatMap(({ value }) => awkStrings(value))];
}

/** Every string literal, for programs that cannot be parsed. */
function awkStrings(text: string): Touch[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)+)"/g)].map((match) => {
    const isWritten = />\s*$/.test(text.slice(0, match.index));
    return (isWritten ? writes : reads)(made(match[1] as string));
  });
}

/** `find folder -delete` */
function deleted(words: readonly ShellWord[]): Touch[] {
  if (!words.some(({ value }) => value === "-delete")) return [];
  const start = words.findIndex(({ value }) => /^(?:-(?![HLPDO]).|[(!])/.test(value));
  return operandsOf(words.slice(0, start)).map((word): Touch => ({ mode: "write", word, removes: true }));
}

export interface Copy {
  readonly source: ShellWord;
  readonly target: ShellWord;
}

/** What is copied, moved or linked where; the target is the new name or the destination folder. */
export function copiesOf(words: readonly ShellWord[]): Copy[] {
  const [first, ...rest] = words;
  if (first === undefined || !COPIERS.has(baseName(first.value))) return [];
  const operands = operandsOf(rest);
  if (makesFolders(words)) return [];
  const target = targetOf(baseName(first.value), rest) ?? operands.at(-1);
  if (target === undefined) return [];
  return operands.filter((word) => word !== target).map((source) => ({ source, target }));
}

/** `install -d folder…` */
function makesFolders([first, ...rest]: readonly ShellWord[]): boolean {
  const isAsked = rest.some(({ value }) => /^-[a-zA-Z]*d/.test(value) || maySay(value, ["directory"]));
  return baseName(first?.value ?? "") === "install" && isAsked;
}

function targetOf(name: string, words: readonly ShellWord[]): ShellWord | undefined {
  if (!INTO.has(name)) return undefined;
  for (const [at, word] of words.entries()) {
    if (word.value === "--") return undefined;
    const isLong = maySay(word.value, ["target-directory"]);
    const [, letter, rest] = /^-[a-zA-Z]*?([tSgmo])(.*)$/s.exec(word.value) ?? [];
    const attached = isLong ? longOption(word.value)?.value : letter === "t" ? rest : undefined;
    if (attached !== undefined && attached !== "") return made(attached);
    if (isLong || attached !== undefined) return words[at + 1];
  }
  return undefined;
}

/** The last operand is written, or the files with the names of the other operands in it. */
function copied(words: readonly ShellWord[]): Touch[] {
  const copies = copiesOf(words);
  const isMove = baseName(words[0]?.value ?? "") === "mv";
  return copies.flatMap(({ source, target }): Touch[] => [
    reads(source),
    ...(isMove ? [{ mode: "write" as const, word: source, removes: true }] : []),
    writes(target),
    writes({ ...target, value: nameInside(source, target) }),
  ]);
}

/** Files given by an option or by `of=`. */
function named(name: string, words: readonly ShellWord[]): Touch[] {
  const found = words.flatMap((word, at): Touch[] => {
    const isLong = maySay(word.value, OUTPUT_LONG);
    const attached = isLong ? longOption(word.value)?.value : /^of=(.+)$/s.exec(word.value)?.[1];
    if (attached !== undefined) return [writes({ ...word, value: attached })];
    const next = words[at + 1];
    if ((isLong || OUTPUT.test(word.value)) && next !== undefined && hasOutput(name)) return [writes(next)];
    if (name === "diff" && maySay(word.value, ["from-file", "to-file"])) {
      const value = longOption(word.value)?.value;
      if (value !== undefined) return [reads({ ...word, value })];
      return next === undefined ? [] : [reads(next)];
    }
    const sent = /^(?:[\w-]+=)?@(.+)$/s.exec(word.value)?.[1];
    if (name === "curl" && sent !== undefined) return [reads({ ...word, value: sent })];
    if (name === "curl" && /^(?:-T|--upload-file|-K|--config)$/.test(word.value) && next !== undefined)
      return [reads(next)];
    if (name === "dd" && word.value.startsWith("if="))
      return [reads({ ...word, value: word.value.slice(3) })];
    if (name === "git" && /^[^:/-][^:]*:./.test(word.value))
      return [reads({ ...word, value: word.value.slice(word.value.indexOf(":") + 1) })];
    return /^-fl?s?p?rint[0f]?$|^-fls$/.test(word.value) && name === "find" && next !== undefined
      ? [writes(next)]
      : [];
  });
  found.push(...writtenBy(name, words).map(writes));
  if (name === "git")
    found.push(...gitRemoves(words).map((word): Touch => ({ mode: "write", word, removes: true })));
  if (name === "tar") return [...found, ...readTar(words).writes.map(writes)];
  return found;
}

function hasOutput(name: string): boolean {
  return /^(?:sort|curl|wget|gcc|cc|clang|g\+\+|go|rustc|openssl|gpg|git|tree|esbuild|tsc|pandoc|jq|yq)$/.test(
    name,
  );
}

function made(value: string): ShellWord {
  return { raw: value, value, type: "static", splits: false, fromTilde: false };
}
