/** The files that a command is seen to read and write, by its operands. Programs that are not known here are not seen. */

import { baseName } from "./inner.ts";
import type { ShellWord } from "./script.ts";
import { sedScripts } from "./sharp.ts";
import { sedEffect } from "./sed.ts";

export interface Touch {
  readonly mode: "read" | "write";
  readonly word: ShellWord;
  /** Takes it away, and plants nothing. */
  readonly removes: boolean;
}

const READERS = new Set(
  (
    "cat head tail less more bat batcat nl od xxd hexdump hd strings base64 base32 sort uniq wc cut paste diff cmp comm tac rev " +
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum jq yq ls stat file tree du find fd source . zcat " +
    "bzcat xzcat zless fold fmt pr column expand unexpand tsort shuf split csplit iconv view look sdiff vimdiff vim vi nvim " +
    "nano emacs ed ex open xdg-open zip tar gzip bzip2 xz 7z gpg openssl scp rsync readlink realpath mapfile dd python python3 " +
    "node ruby perl php bash sh zsh wl-copy xclip pbcopy ag ack strip nm objdump readelf ldd"
  ).split(" "),
);
/** The first operand is a pattern or a program. */
const SEARCHERS = new Set("grep egrep fgrep zgrep rg awk gawk mawk sed ag ack".split(" "));
const WRITERS = new Set(
  "mkdir touch tee truncate mkfifo mknod sponge vim vi nvim nano emacs ed ex patch gzip bzip2 xz fallocate".split(
    " ",
  ),
);
const REMOVERS = new Set("rm rmdir unlink shred".split(" "));
/** The first operand is a mode or an owner. */
const CHANGERS = new Set("chmod chown chgrp chattr setfacl".split(" "));
const COPIERS = new Set("cp mv install ln rsync scp".split(" "));
const SEARCH_SCRIPT = /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file|expression)(?:=.*)?)$/;
const OUTPUT =
  /^(?:-o|-O|--output|--output-document|--output-dir|--output-file|-out|--out|-t|--target-directory)$/;
const OUTPUT_ATTACHED = /^(?:--output|--output-document|--output-file|--out|--target-directory|of)=(.+)$/s;

export function touchesOf(words: readonly ShellWord[]): Touch[] {
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
    ...(COPIERS.has(name) ? copied(name, rest, operands) : []),
    ...named(name, rest),
  ];
}

const reads = (word: ShellWord): Touch => ({ mode: "read", word, removes: false });
const writes = (word: ShellWord): Touch => ({ mode: "write", word, removes: false });

function operandsOf(words: readonly ShellWord[]): ShellWord[] {
  const end = words.findIndex(({ value }) => value === "--");
  const before = end < 0 ? words : words.slice(0, end);
  return [
    ...before.filter(({ value }) => !value.startsWith("-") || value === "-"),
    ...(end < 0 ? [] : words.slice(end + 1)),
  ];
}

function searched(name: string, words: readonly ShellWord[], operands: readonly ShellWord[]): Touch[] {
  const isGiven = words.some(({ value }) => SEARCH_SCRIPT.test(value));
  const files = isGiven ? operands : operands.slice(1);
  if (name.endsWith("awk")) return [...files.map(reads), ...awkStrings(words)];
  if (name !== "sed") return files.map(reads);
  const isInPlace = words.some(({ value }) => /^(?:-[nErsuz]*i|--in-place)/.test(value));
  const own = sedScripts(words).flatMap(({ value }) => {
    const effect = sedEffect(value);
    return effect.type === "files" ? effect.names.map((file) => writes(made(file))) : [];
  });
  return [...files.map(reads), ...(isInPlace ? files.map(writes) : []), ...own];
}

/** Files stand in an awk program as strings. */
function awkStrings(words: readonly ShellWord[]): Touch[] {
  return words.flatMap(({ value }) =>
    [...value.matchAll(/"((?:[^"\\]|\\.)+)"/g)].flatMap((match) => {
      const isWritten = />\s*$/.test(value.slice(0, match.index));
      const word = made(match[1] as string);
      return isWritten ? [writes(word)] : [reads(word)];
    }),
  );
}

/** The last operand is written, or what the others are called in it. */
function copied(name: string, words: readonly ShellWord[], operands: readonly ShellWord[]): Touch[] {
  const flag = words.findIndex(({ value }) => /^(?:-t|--target-directory)$/.test(value));
  const attached = words.flatMap(({ value }) => /^(?:-t|--target-directory=)(.+)$/s.exec(value)?.[1] ?? []);
  const given = flag >= 0 ? words[flag + 1] : attached[0] === undefined ? undefined : made(attached[0]);
  const target = given ?? operands.at(-1);
  const sources = operands.filter((word) => word !== target);
  if (target === undefined) return [];
  const removed = name === "mv" ? sources.map((word): Touch => ({ mode: "write", word, removes: true })) : [];
  const inside = sources.map((word) =>
    writes({ ...target, value: `${target.value}/${baseName(word.value.replace(/\/+$/, ""))}` }),
  );
  return [...sources.map(reads), ...removed, writes(target), ...inside];
}

/** Files that stand behind an option, or behind `of=`. */
function named(name: string, words: readonly ShellWord[]): Touch[] {
  const found = words.flatMap((word, at): Touch[] => {
    const attached = OUTPUT_ATTACHED.exec(word.value)?.[1];
    if (attached !== undefined) return [writes({ ...word, value: attached })];
    const next = words[at + 1];
    if (OUTPUT.test(word.value) && next !== undefined && hasOutput(name)) return [writes(next)];
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
  return name === "sort" ? [...found, ...attachedOutput(words)] : found;
}

function hasOutput(name: string): boolean {
  return /^(?:sort|curl|wget|gcc|cc|clang|g\+\+|go|rustc|openssl|gpg|git|tree|esbuild|tsc|pandoc|jq|yq)$/.test(
    name,
  );
}

function attachedOutput(words: readonly ShellWord[]): Touch[] {
  return words.flatMap((word) => {
    const file = /^-[a-zA-Z]*o(.+)$/s.exec(word.value)?.[1];
    return file === undefined ? [] : [writes({ ...word, value: file })];
  });
}

function made(value: string): ShellWord {
  return { raw: value, value, type: "static", splits: false, fromTilde: false };
}
