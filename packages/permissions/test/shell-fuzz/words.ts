/** Words of generated commands, and many spellings of the same word. */

import type { Random } from "../../../engine/test/simulation/random.ts";

export const FILES = [
  "a.txt",
  "b.txt",
  "notes.md",
  "src/main.ts",
  "./a.txt",
  "inside/file.txt",
  "list.txt",
  "out/old.txt",
];
const FOLDERS = ["src", "out", "sub", ".", "sub/deep", "inside"];
export const TEXTS = [
  "alpha",
  "beta",
  "x",
  "two words",
  "a=b",
  "it's",
  '"',
  "#no",
  "*",
  "$HOME",
  "a;b",
  "~",
  "-n",
  "{a,b}",
  "!x",
  "",
];
const PATTERNS = [
  "*.txt",
  "src/*",
  "*",
  "[ab].txt",
  "?.txt",
  "{a,b}.txt",
  "*.{txt,md}",
  "nothing*",
  "./*",
  "src/**",
];

/** Fills in the marks of a template: `%f`, `%d`, `%w`, `%p`, `%o`. */
export function fill(template: string, random: Random, targets: readonly string[]): string {
  return template.replaceAll(/%([fdwpo])/g, (_, mark: string) => {
    if (mark === "p") return random.pick(PATTERNS);
    if (mark === "o") return random.pick(targets.length > 0 ? targets : ["out/made"]);
    if (mark === "w") return spell(random.pick(TEXTS), random);
    const word = random.pick(mark === "f" ? FILES : FOLDERS);
    return random.chance(0.75) ? word : spell(word, random);
  });
}

/** Returns a random spelling of the word, which bash reads the same way. */
export function spell(word: string, random: Random): string {
  const isPlain = /^[\w./-]+$/.test(word);
  return random.weighted<() => string>([
    [() => (isPlain ? word : single(word)), 4],
    [() => single(word), 2],
    [() => double(word), 2],
    [() => ansi(word, random), 1],
    [() => escaped(word), 1],
    [() => mixed(word, random), 2],
  ])();
}

function single(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function double(word: string): string {
  return `"${word.replaceAll(/[$`"\\]/g, String.raw`\$&`)}"`;
}

function ansi(word: string, random: Random): string {
  const letters = [...word].map((letter) => {
    const code = letter.charCodeAt(0);
    if (/['\\]/.test(letter)) return `\\${letter}`;
    if (random.chance(0.6)) return letter;
    return random.pick([
      `\\x${code.toString(16).padStart(2, "0")}`,
      `\\${code.toString(8).padStart(3, "0")}`,
      `\\u${code.toString(16).padStart(4, "0")}`,
    ]);
  });
  return `$'${letters.join("")}'`;
}

function escaped(word: string): string {
  return word === ""
    ? "''"
    : [...word].map((letter) => (/\w/.test(letter) ? letter : `\\${letter}`)).join("");
}

/** Splits the word in two, each half with its own spelling, joined directly or by a line continuation. */
function mixed(word: string, random: Random): string {
  const at = random.below(word.length + 1);
  const between = random.pick(["", '""', "''", "\\\n", '$""', "$''"]);
  const half = (text: string): string => (text === "" ? "''" : random.pick([single, double, escaped])(text));
  return `${half(word.slice(0, at))}${between}${half(word.slice(at))}`;
}
