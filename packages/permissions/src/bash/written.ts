/** Files that programs write because an option or an operand names them. */

import { gitWrites } from "./git.ts";
import { baseName } from "./inner.ts";
import { hasSharp, maySay, longOption, sharp } from "./options.ts";
import type { ShellWord } from "./script.ts";

interface Output {
  /** Letters whose value is a file or folder that the program writes. */
  readonly letters: string;
  /** All letters that take a value. */
  readonly takes: string;
  readonly long: readonly string[];
  /** The operands that it writes. */
  readonly operands?: "first" | "second" | "last";
}

const output = (letters: string, takes: string, long: string, operands?: Output["operands"]): Output => ({
  letters,
  takes: takes + letters,
  long: long.split(" ").filter((name) => name !== ""),
  ...(operands === undefined ? {} : { operands }),
});

const PIP = output("td", "rciefb", "target dest download report log cache-dir src root prefix wheel-dir");
const DOCKER = output("o", "", "output cidfile iidfile metadata-file");
const OUTPUTS = new Map<string, Output>([
  [
    "curl",
    output(
      "oDc",
      "AbCdeEFhHKmPQrtTuUwxXyYz",
      "output output-dir dump-header cookie-jar trace trace-ascii stderr libcurl etag-save hsts alt-svc",
    ),
  ],
  [
    "wget",
    output(
      "OoaP",
      "tTwQUABDIRXleB",
      "output-document output-file append-output directory-prefix save-cookies warc-file hsts-file rejected-log",
    ),
  ],
  ["sort", output("o", "kStT", "output")],
  ["split", output("", "abCnl", "", "second")],
  ["csplit", output("f", "bn", "prefix")],
  ["zip", output("O", "bnitx", "out output-file log-file", "first")],
  ["unzip", output("d", "xP", "")],
  ["shuf", output("o", "ein", "output")],
  ["ssh", output("E", "bBcDeFiIJlLmoOpQRSwW", "")],
  ["ssh-keygen", output("f", "CNPtbm", "")],
  ["gcc", output("o", "IDLlx", "")],
  ["patch", output("or", "ipdBDFVYzg", "output reject-file directory")],
  ["rsync", output("T", "eBM", "log-file temp-dir partial-dir backup-dir write-batch only-write-batch")],
  ["gh", output("OD", "RLs", "output dir")],
  ["docker", DOCKER],
  ["podman", DOCKER],
  ["pip", PIP],
  ["pip3", PIP],
  ["tree", output("o", "LPIH", "")],
  ["esbuild", output("", "", "outfile outdir metafile")],
  ["tsc", output("", "p", "outDir outFile declarationDir tsBuildInfoFile generateTrace")],
  ["eslint", output("o", "cf", "output-file cache-location cache-file")],
  ["ar", output("", "", "", "second")],
  ["xxd", output("", "lcgso", "", "second")],
  ["uniq", output("", "fsw", "", "second")],
]);
const UNPACKERS = new Set([
  "gunzip",
  "bunzip2",
  "unxz",
  "unlzma",
  "uncompress",
  "unzstd",
  "gzip",
  "bzip2",
  "xz",
  "zstd",
]);

/** The path of the source in the target folder. */
export function nameInside(source: ShellWord, target: ShellWord): string {
  // `host:file` is on another machine.
  return `${target.value}/${baseName(source.value.replace(/\/+$/, "")).replace(/^.*:(?=.)/, "")}`;
}

/** Finds them by options and operands; false matches are harmless here. */
export function writtenBy(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  if (name === "git") return gitWrites(words);
  if (UNPACKERS.has(name)) return words.map((word) => ({ ...word, value: word.value.replace(/\.\w+$/, "") }));
  const isCopy = /^(?:docker|podman|nerdctl)$/.test(name) && words.some(({ value }) => value === "cp");
  if (isCopy) {
    const [source, target] = words.filter(({ value }) => !value.startsWith("-")).slice(-2);
    return source === undefined || target === undefined
      ? []
      : [target, { ...target, value: nameInside(source, target) }];
  }
  const known = OUTPUTS.get(name);
  const own = known === undefined ? [] : [...byOption(words, known), ...byOperand(words, known)];
  return [...own, ...(name === "curl" || name === "wget" ? byAddress(name, words) : [])];
}

function byOption(words: readonly ShellWord[], { letters, takes, long }: Output): ShellWord[] {
  return words.flatMap((word, at): ShellWord[] => {
    const next = words[at + 1];
    const option = longOption(word.value);
    if (option !== undefined) {
      if (!maySay(word.value, long)) return [];
      if (option.value !== undefined) return [{ ...word, value: option.value }];
      return next === undefined ? [] : [next];
    }
    if (!/^-./s.test(word.value)) return [];
    // Some programs have long names with one dash, and some have letters with an attached value.
    const letter = Array.from(word.value.slice(1)).findIndex((one) => takes.includes(one)) + 1;
    if (letter === 0 || !letters.includes(word.value[letter] as string)) return [];
    const attached = word.value.slice(letter + 1).replace(/^=/, "");
    if (attached !== "") return [{ ...word, value: attached }];
    return next === undefined ? [] : [next];
  });
}

function byOperand(words: readonly ShellWord[], { takes, operands }: Output): ShellWord[] {
  if (operands === undefined) return [];
  const given = words.filter(({ value }, at) => {
    const before = words[at - 1]?.value ?? "";
    return !value.startsWith("-") && !(/^-[a-zA-Z]$/.test(before) && takes.includes(before[1] as string));
  });
  if (operands === "first") return given.slice(0, 1);
  return operands === "second" ? given.slice(1, 2) : given.slice(-1);
}

/** The file name that a download gets from its URL. */
function byAddress(name: string, words: readonly ShellWord[]): ShellWord[] {
  const isNamed =
    name === "wget" ||
    hasSharp(words, sharp("O", "AbcCdDeEFhHKmoPQrtTuUwxXyYz", "remote-name remote-name-all"));
  if (!isNamed) return [];
  return words.flatMap((word) => {
    const file = /^[^-].*\/([^/?#]+)(?:[?#].*)?$/s.exec(word.value)?.[1];
    return file === undefined ? [] : [{ ...word, value: file }];
  });
}
