/** Generates scripts from a seed, from pieces of bash's grammar, also in places where they do not belong. */

import type { Random } from "../../../engine/test/simulation/random.ts";
import { SHAPES } from "./shapes.ts";

const NAMES = ["c1", "c2", "c3", "c4", "c5", "c6"];
const SEPARATORS = ["; ", "\n", " && ", " || ", " | ", " |& ", " & ", " ", " ", "\n\n", ";\n", " \\\n"];
const PIECES = [
  "'",
  '"',
  "`",
  "\\",
  "\\'",
  "#",
  " # ",
  "x#",
  "$'",
  "$'\\''",
  '$"',
  "''",
  '""',
  "(",
  ")",
  "{ ",
  "; }",
  "}",
  "$(",
  "$( ",
  "${x:-",
  "${x#",
  "${x/",
  "}",
  "$((",
  "))",
  "((",
  "$[",
  "]",
  "<(",
  ">(",
  "<<E\n",
  "<<'E'\n",
  "<<-E\n",
  "<<\\E\n",
  "\nE\n",
  "\n\tE\n",
  "\nE",
  "<<<",
  "> o ",
  "2>&1 ",
  "&> o ",
  ">| o ",
  "{v}> o ",
  "< /dev/null ",
  "[[ ",
  " ]]",
  " =~ ",
  " == ",
  " -eq ",
  " && ",
  "[ ",
  " ]",
  "case x in ",
  "x) ",
  "(x) ",
  "*) ",
  ";; ",
  ";& ",
  ";;& ",
  " esac",
  "if ",
  "; then ",
  "; else ",
  "; elif ",
  "; fi",
  "for i in a b",
  "for i",
  "; do ",
  "; done",
  "do ",
  "done",
  "f() { ",
  "f() ",
  "function f { ",
  "function f ",
  "f\n",
  "time ",
  "time -p ",
  "time -- ",
  "! ",
  "coproc ",
  "a=1 ",
  "a=( ",
  "a+=(",
  "a[0]=",
  "=(",
  "@(",
  "!(",
  "+(a|b)",
  "{a,b}",
  "{1..2}",
  "~",
  "*",
  "\t",
  "\\\n",
  "in ",
  "then ",
  "export a=",
  "declare a=(",
  "alias a=",
  "eval ",
  "'c1 '",
  '"c2"',
  "\\c3",
  "c4'x'",
  "$x",
  "$_",
  "=",
  "-",
  "--",
  ":",
  "true",
  "false",
  "echo ",
  "x",
];

export function generateScript(random: Random): string {
  const length = 2 + random.below(9);
  let text = "";
  for (let at = 0; at < length; at++) {
    text += random.weighted([
      [random.pick(NAMES), 4],
      [random.pick(PIECES), 6],
      [random.pick(SEPARATORS), 4],
    ]);
  }
  return text;
}

export function generateShape(random: Random): string {
  const fill = (shape: string): string =>
    shape.replaceAll(/(?<![A-Za-z])[ABC](?![A-Za-z])/g, () =>
      random.chance(0.15) ? fill(random.pick(SHAPES)) : random.pick(NAMES),
    );
  const text = fill(random.pick(SHAPES));
  const joined = random.chance(0.3) ? `${text}${random.pick(SEPARATORS)}${fill(random.pick(SHAPES))}` : text;
  if (!random.chance(0.3)) return joined;
  // Remove, double or insert one character.
  const at = random.below(joined.length);
  return (
    joined.slice(0, at) +
    random.pick(["", random.pick(PIECES), "\n", " "]) +
    joined.slice(at + random.below(2))
  );
}
