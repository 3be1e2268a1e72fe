/** Mutates the text of a command: something inserted, removed or doubled anywhere, also inside quotes and words. */

import type { Random } from "../../../engine/test/simulation/random.ts";
import { payload } from "./hostile.ts";

const LETTERS = [
  ..."'\"`\\$;&|<>(){}[]#!~*?=\n\t ,:^%@-".split(""),
  "$(",
  "${",
  "$((",
  "((",
  "[[",
  "]]",
  "))",
  "$'",
  '$"',
  "\\\n",
  "<<E",
  "\nE\n",
  "<<<",
  "<(",
  ">(",
  "&&",
  "||",
  ";;",
  ";&",
  "|&",
  "&>",
  ">|",
  "\r",
  "\u00a0",
  "\v",
  "\f",
  "\u0001",
  "é",
  "\u2028",
  "\\r",
  "\\",
  "''",
  '""',
  "$@",
  "$*",
  "$0",
  "$?",
  "$IFS",
  "${IFS}",
  "$-",
  "!!",
  "==",
  "=~",
  "if ",
  "then ",
  "do ",
  "done",
  "in ",
  "esac",
  "fi",
  "time ",
  "! ",
  "function ",
  "coproc ",
  "{ ",
  " }",
  "-",
  "--",
  "=",
  "+=",
  "x=",
  "[0]=",
  "0>",
  "2>&",
  "\n\n",
];

export function mutate(command: string, random: Random): string {
  let text = command;
  for (let wounds = 1 + random.below(3); wounds > 0; wounds--) text = wound(text, random);
  return text;
}

function wound(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const length = 1 + random.below(4);
  const bad = payload(random);
  return random.weighted<() => string>([
    [() => text.slice(0, at) + random.pick(LETTERS) + text.slice(at), 6],
    [() => text.slice(0, at) + text.slice(at + length), 2],
    [() => text.slice(0, at) + text.slice(at, at + length) + text.slice(at), 1],
    [
      () =>
        `${text.slice(0, at)}${random.pick([`$(${bad})`, `\`${bad}\``, `;${bad};`, `\n${bad}\n`, `|${bad}|`, `&${bad}&`, `<(${bad})`, `\${x:-$(${bad})}`])}${text.slice(at)}`,
      3,
    ],
    [
      () =>
        `${text.slice(0, at)}${random.pick([">stolen ", ">>stolen ", "&>stolen ", "2>stolen ", "<>stolen ", ">&stolen ", ">|stolen "])}${text.slice(at)}`,
      1,
    ],
    [
      () =>
        `${text.slice(0, at)}${text.slice(at).replace(/[\s;&|]+/, random.pick([";", "\n", "&", "|", "$IFS", "\\\n", " ", ""]))}`,
      1,
    ],
  ])();
}
