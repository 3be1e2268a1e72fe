/** Shell builtins that evaluate text that they get as a name or a number. */

import { isNumber, isSubscript } from "./expansion.ts";
import { mayBeOption } from "./options.ts";
import type { ShellWord } from "./script.ts";
import { isInteger } from "./variables.ts";

const DOUBT = "it evaluates a variable name";
/** Variables that change how words are expanded. */
const READ_WITH = /^(?:HOME|PWD|OLDPWD|IFS)(?![A-Za-z0-9_])/;
const SETTERS = new Set(
  "read mapfile readarray getopts printf declare typeset local export readonly unset wait".split(" "),
);

/** Whether a builtin can change the value of any variable. */
export function maySetVariables([first, ...rest]: readonly ShellWord[]): boolean {
  const name = first?.value ?? "";
  if (name === "printf") return rest.some(({ value, type }) => type === "dynamic" || value.startsWith("-v"));
  return SETTERS.has(name) || /^(?:let|eval|source|\.|builtin|command)$/.test(name);
}

/** Whether a builtin can set HOME, PWD or IFS. */
export function mayChangeWords(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words;
  if (first?.value === "source" || first?.value === ".") return true;
  if (!SETTERS.has(first?.value ?? "")) return false;
  const given = first?.value === "printf" ? rest.slice(0, 2) : rest;
  return given.some(({ value, type, splits }) => READ_WITH.test(value) || (type === "dynamic" && splits));
}

/** Why this can run a command from a variable name: `test -v 'a[$(x)]'` runs x. */
export function builtinDoubt(words: readonly ShellWord[]): string | undefined {
  const [first, ...rest] = words;
  return CHECKS.get(first?.value ?? "")?.(rest) === true ? DOUBT : undefined;
}

/** Operators of `test` whose operands are files. */
const FILE_TEST = /^-(?:[abcdefghkprsuwxGLNOS]|ef|nt|ot)$/;

export function isFileTest(operator: string): boolean {
  return FILE_TEST.test(operator);
}

/** `[ -n "$NAME" ]`: in other forms, an error message could show the value. */
export function isEmptinessTest(words: readonly ShellWord[]): boolean {
  const [first, operator, operand, end, ...rest] = words;
  const isWhole = first?.value === "[" ? end?.value === "]" && rest.length === 0 : end === undefined;
  return (
    /^(?:test|\[)$/.test(first?.value ?? "") &&
    /^-[nz]$/.test(operator?.value ?? "") &&
    operand?.splits === false &&
    isWhole
  );
}

/** `set -x`, in any spelling. */
export function printsCommands(words: readonly ShellWord[]): boolean {
  return (
    words.some(({ value }) => value === "set") &&
    words.some(({ value, type }) => type !== "static" || /^-\w*x|^xtrace$/.test(value))
  );
}

type Check = (words: readonly ShellWord[]) => boolean;

function isName({ value, type }: ShellWord): boolean {
  const [, subscript = "0"] = /^[A-Za-z_]\w*(?:\[([^\]]*)\])?$/.exec(value) ?? [undefined, "?"];
  return type === "static" && isSubscript(subscript);
}

/** Numbers that bash itself computes. */
function isCount({ raw }: ShellWord): boolean {
  return isNumber(raw.replaceAll('"', "")) || /^"?\$[$!]"?$/.test(raw);
}

/** Whether the word could be a name that contains something to evaluate. */
function isEvaluated(word: ShellWord): boolean {
  return word.type === "static" ? word.value.includes("[") && !isName(word) : !isCount(word);
}

const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef|a|o)|\)|\])$/;

function test(words: readonly ShellWord[]): boolean {
  return words.some((word, at) => {
    const next = words[at + 1];
    if (word.type === "dynamic" && !isCount(word)) {
      // It could be `-v`, unless the next word makes it an operand.
      const isOperand = next === undefined || (next.type === "static" && BINARY.test(next.value));
      return word.splits || !isOperand;
    }
    const isQuery = word.type === "static" && (word.value === "-v" || word.value === "-R");
    return isQuery && next !== undefined && isEvaluated(next);
  });
}

function printf([option, name]: readonly ShellWord[]): boolean {
  if (option === undefined || name === undefined) return false;
  if (option.type !== "static") return option.splits || (mayBeOption(option) && !/[%\\ ]/.test(option.raw));
  if (option.value === "-v") return !isName(name);
  return option.value.startsWith("-v") && !isName({ ...option, value: option.value.slice(2) });
}

/** The word after an option is a prompt or a delimiter, not a name. */
function read(words: readonly ShellWord[]): boolean {
  return words.some((word, at) => {
    const isText = /^-\w*[pdi]$/.test(words[at - 1]?.value ?? "") && !word.splits;
    return !isText && isEvaluated(word);
  });
}

/** With an attribute, the value is evaluated: `-i` as arithmetic, `-n` as a name, `-a` and `-A` as a list of words. */
function declares(words: readonly ShellWord[]): boolean {
  return words.some((word) => {
    if (word.type === "static" && /^[-+]/.test(word.value)) return /[inaA]/.test(word.value);
    const [, name = "", value] = /^([^=]*?)\+?=(.*)$/s.exec(word.value) ?? [undefined, word.value, ""];
    if (word.type !== "static" && word.splits) return true;
    return !/^[A-Za-z_]\w*$/.test(name) || isInteger(name) || (value ?? "").startsWith("(");
  });
}

const CHECKS = new Map<string, Check>([
  ["test", test],
  ["[", test],
  ["printf", printf],
  ["read", read],
  ["unset", (words) => words.some(isEvaluated)],
  ["wait", (words) => words.some(isEvaluated)],
  ["getopts", (words) => words.some(isEvaluated)],
  ["mapfile", (words) => words.some(isEvaluated)],
  ["readarray", (words) => words.some(isEvaluated)],
  ["let", (words) => words.some(({ value, type }) => type !== "static" || !isNumber(value))],
  ...["declare", "typeset", "local", "export", "readonly"].map((name): [string, Check] => [name, declares]),
]);
