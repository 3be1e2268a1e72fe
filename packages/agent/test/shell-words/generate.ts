/** Words in every way that bash lets one write them, from a seed. */

import type { Random } from "../../../engine/test/simulation/random.ts";

const PLAIN = ["a", "b", "src", "x.txt", "main.ts", "-n", "--all", "key=value", "a/b", "1", "@", "%", "+", ",", ":"];
const ODD = ["#", "!", "^", "!!", "^a^b", "a#b", "=", "-", "]", "{", "}", "{}", "a,b", "..", "é", "日", "\u00e9="];
const ESCAPED = " '\"\\$`*?[]{}~#!&;|<>()abnrt09,=:%\t\né";
const ANSI = [
  ..."abeEfnrtv\\'\"?".split("").map((letter) => `\\${letter}`),
  ..."0 1 7 01 07 012 101 0101 377 400 777 18 08 060".split(" ").map((digits) => `\\${digits}`),
  ..."0 1 4 41 2f 414 ff c3 zz {2f} {a} {} {41 {141} {0} {2f}x".split(" ").map((digits) => `\\x${digits}`),
  ..."0 41 0041 00410 e9 00e9 20ac d800 zz 7f 1".split(" ").map((digits) => `\\u${digits}`),
  ..."41 00000041 0001f600 110000 ffffffff 00e9 zz".split(" ").map((digits) => `\\U${digits}`),
  ..."a z A ? @ [ é 1 \\\\ \\a ' ".split(" ").map((operand) => `\\c${operand}`),
  "\\\n",
  "\\z",
  "\\é",
  "\\ ",
  "\\$",
  "\\`",
  "\\*",
  "\n",
  "\t",
  '"',
  "$HOME",
  "`",
  "{a,b}",
  "*",
  "\\xc3\\xa9",
  "\\303\\251",
];
const DOUBLE = [
  "a",
  " ",
  "'",
  "\\$",
  "\\`",
  '\\"',
  "\\\\",
  "\\\n",
  "\\a",
  "\\n",
  "\\'",
  "\\!",
  "!",
  "*",
  "~",
  "{a,b}",
  "$'x'",
  "$'\\x41'",
  "$",
  "$ ",
  "%",
  "[a]",
  "\n",
  "#",
  "\\*",
  "é",
];
const EXPANSIONS = [
  "$HOME",
  "${HOME}",
  "$PWD",
  "${PWD}x",
  "$v",
  "${v}",
  "${v:-a b}",
  "${HOME:-x}",
  "${HOME%/*}",
  "${HOME:1}",
  "${#HOME}",
  "$_",
  "$?",
  "$#",
  "$@",
  '"$@"',
  "$*",
  "$-",
  "$(echo a)",
  "`echo a`",
  "$((1+1))",
  "$[1+1]",
  "$\\\n(echo a)",
  "${v@Q}",
  "${v:=w}",
  "${!v}",
  "$IFS",
  "$1",
  "$$",
  "$",
  "$%",
  "$=",
];
const BRACES = [
  "{a,b}",
  "{a,b,c}d",
  "{a..c}",
  "{1..3}",
  "{01..03}",
  "{a..c..2}",
  "{a,{b,c}}",
  "{{a,b},c}",
  "{a}",
  "{}",
  "{,a}",
  "{a,}",
  "{,}",
  "{'a',\"b\"}",
  "{'a,b',c}",
  "{a\\,b,c}",
  "{a,b}{c,d}",
  "{~,a}",
  "{a,~/b}",
  "{a b",
  "{a,b",
  "a,b}",
  "{$v,a}",
  "{a,$HOME}",
  "{*,a}",
  "{a,b\\}",
  "\\{a,b}",
  "{a\\,b}",
  "{a,b}~",
  "{x,y}=~",
  "{1..2}{a,b}",
  "{a..b",
  "{a,b}..{c,d}",
  "{a...b}",
  "{..}",
  "{,..}",
  "{a,..}",
  "{{a,b}",
  "{a,b}}",
  "{a,'b}",
  "${v}{a,b}",
  "{a,b}$v",
  "{-n,a}",
  '{"",a}',
  "{'',b}",
  "{a,\\\nb}",
  "{a\\\n,b}",
];
const TILDES = [
  "~",
  "~/a",
  "~//a",
  "~root",
  "~root/x",
  "~nobody-here",
  "~+",
  "~+/a",
  "~-",
  "~-/a",
  "~1",
  "a~",
  "a=~",
  "a=~/x",
  "a=x:~",
  "a=x:~/y",
  "a=~:~",
  "a+=~",
  "a[0]=~",
  "1a=~",
  "--opt=~/x",
  "-o~/x",
  "-o=~",
  "x:~",
  "x:~/y",
  "~:x",
  "~:~",
  ":~",
  "=~",
  "\\~/a",
  "'~'/a",
  '"~"/a',
  "~'/a'",
  '~"/a"',
  "~\\/a",
  "~$v",
  "~{a,b}",
  "~/{a,b}",
  "~*",
  "~/*",
  "~\\\n/a",
  "\\\n~/a",
  "a=\\~",
  "a='~'",
  "a\\=~",
  "'a'=~",
  "a=$v~",
  "a=b~",
  "~a=~",
  "''~",
  "a=:~",
];
const GLOBS = [
  "*",
  "?",
  "*.ts",
  "[ab]",
  "[a-c]*",
  "[!a]",
  "[^a]",
  "[]",
  "[",
  "[a",
  "a]",
  "[]a]",
  "[[:alpha:]]",
  "[a'-'c]",
  "['a-c']*",
  "'['a]*",
  "'*'*",
  "\\**",
  "\\*",
  "'*'",
  '"*"',
  "[\\]]",
  "[a\\-c]*",
  "**",
  "**/a",
  "./*",
  "*'['a]",
  "a\\\\*",
  "'a\\'*",
  "$v*",
  '"$v"*',
  "[$v]",
  "[a\"$v\"]",
  "[/]",
  "[a/b]",
  "[[.a.]]",
  "[[=a=]]",
  "[a]'*'",
  "[a']'b]",
  "[\"!\"a]*",
  "[a[:x]",
  "[*",
  "?\\?",
];

function ansi(random: Random): string {
  return `$'${many(random, 4, () => (random.chance(0.4) ? random.pick(["a", "/", "b c", "x", "0", "1"]) : random.pick(ANSI)))}'`;
}

function double(random: Random): string {
  const one = (): string => (random.chance(0.2) ? random.pick(EXPANSIONS).replaceAll('"', "") : random.pick(DOUBLE));
  return `${random.chance(0.1) ? "$" : ""}"${many(random, 4, one)}"`;
}

function single(random: Random): string {
  const pieces = ["a", " ", "\\", '"', "$v", "`", "*", "~", "{a,b}", "\\\n", "\n", "!", "$(a)", "\\'".slice(0, 1), "é"];
  return `'${many(random, 3, () => random.pick(pieces))}'`;
}

function many(random: Random, most: number, make: () => string): string {
  return Array.from({ length: random.below(most + 1) }, make).join("");
}

const escaped = (random: Random): string => `\\${random.pick([...ESCAPED])}`;
const from =
  (list: readonly string[]) =>
  (random: Random): string =>
    random.pick(list);

/** Every form by its name, so that a test can say which of them it has covered. */
export const FORMS: Readonly<Record<string, (random: Random) => string>> = {
  plain: from(PLAIN),
  odd: from(ODD),
  escaped,
  single,
  double,
  ansi,
  expansion: from(EXPANSIONS),
  braces: from(BRACES),
  tilde: from(TILDES),
  glob: from(GLOBS),
  continuation: from(["\\\n", "a\\\nb", "\\\n\\\n", "a\\\n"]),
  control: from(["\r", "a\rb", "\u0001", "\u007f", "\u00a0", "\v", "\f", "\u001b"]),
};

const NAMES = Object.keys(FORMS);

/** A word of up to four pieces; most have few, because a rare form hides a common one. */
export function generateWord(random: Random): { text: string; forms: string[] } {
  const forms: string[] = [];
  let text = "";
  const pieces = 1 + random.below(random.chance(0.5) ? 2 : 4);
  for (let at = 0; at < pieces; at++) {
    const form = random.pick(NAMES);
    // What makes a whole word doubtful would hide the rest of it too often.
    if ((form === "control" || form === "expansion") && random.chance(0.7)) continue;
    forms.push(form);
    text += FORMS[form]?.(random) ?? "";
  }
  return text === "" ? { text: "a", forms: ["plain"] } : { text, forms };
}

/** What people write: names, paths, options, quoted text. */
export function ordinaryWord(random: Random): string {
  const name = random.pick(["src", "main.ts", "README.md", "node_modules", "test-1", "a_b", "x.y.z", "origin/main"]);
  return random.pick([
    name,
    `${name}/${random.pick(PLAIN)}`,
    `--${random.pick(["all", "depth=2", "format=%h %s".replace(" ", "_"), "name-only"])}`,
    `-${random.pick(["n", "la", "5", "rn"])}`,
    `'fix: ${name} and "more"'`,
    `"fix: ${name}, it's done"`,
    `"${name}"`,
    `'s/${name}/x/g'`,
    `"$HOME/${name}"`,
    `~/${name}`,
    `*.${random.pick(["ts", "md"])}`,
    `src/**/${name}`,
    `{${name},b}.ts`,
    `$'${name}\\n'`,
    `https://example.com/${name}?a=1`.replace("?", "%3f"),
    `KEY=${name}`,
    `${name}\\ copy`,
    `HEAD~1`,
    `@{u}`,
    `:${name}`,
    `'{"a": [1, 2]}'`,
  ]);
}
