/** The texts of a command that rules match: few for an allow, many for a deny. */

import { isSafeVariable } from "../bash/environment.ts";
import { baseName } from "../bash/inner.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import { strip } from "../bash/wrappers.ts";

/** Words that mean the same with and without quotes. */
const PLAIN = /^[\w@%+=:,./-]+$/;
const MAX_WRAPPERS = 16;
const MAX_OPTIONS = 8;

/** A form of a command that an allow rule can match. */
export interface AllowForm {
  readonly words: readonly ShellWord[];
  readonly texts: readonly string[];
  /** It is preceded by assignments that can change what it does. */
  readonly isAssigned: boolean;
}

export function hasOnlySafeVariables({ assignments, words }: ShellCommand): boolean {
  // `IFS= read -r line`: it says where the builtin splits the line.
  const isRead = words[0]?.value === "read";
  return assignments.every(
    ({ name, raw, isStatic }) => isStatic && ((isRead && name === "IFS") || isSafeVariable(name, raw)),
  );
}

/**
 * Returns the command as written and without wrappers that do not change what it does; assignments that do stay in
 * front.
 */
export function allowForms(command: ShellCommand): AllowForm[] {
  const isAssigned = !hasOnlySafeVariables(command);
  const before = command.assignments.map(({ raw }) => raw);
  const forms: AllowForm[] = [];
  let words: readonly ShellWord[] | undefined = command.words;
  for (let depth = 0; words !== undefined && depth < MAX_WRAPPERS; depth++) {
    const texts = textsOf(words).flatMap((text) => [
      ...(isAssigned ? [] : [text]),
      ...(depth === 0 && before.length > 0 ? [[...before, text].join(" ").trim()] : []),
    ]);
    forms.push({ words, texts, isAssigned });
    words = strip(words);
  }
  return forms;
}

/** The raw text, and the text without quotes if that is unambiguous: `git "status"`, but not `"git status"`. */
function textsOf(words: readonly ShellWord[]): string[] {
  const raw = words.map((word) => word.raw).join(" ");
  const plain = words
    .map((word) => (word.type === "static" && PLAIN.test(word.value) ? word.value : word.raw))
    .join(" ");
  return raw === plain ? [raw] : [raw, plain];
}

/**
 * Returns every reading: quoted or not, by the program's base name, without the options before a subcommand, and in other
 * spellings.
 */
export function denyTexts(
  { words, assignments }: ShellCommand,
  spellings: readonly (readonly ShellWord[])[],
  ignoresCase: boolean,
): string[] {
  const [first, ...rest] = words;
  if (first === undefined) return assignments.map(({ raw }) => raw);
  const short = { ...first, raw: baseName(first.value), value: baseName(first.value) };
  const forms = [
    words,
    ...spellings.flatMap((form) => [
      form,
      [short, ...form.slice(1)],
      ...withoutOptions(short, form.slice(1)),
    ]),
    ...(short.value === first.value ? [] : [[short, ...rest]]),
    ...withoutOptions(short, rest),
    ...asSubcommand(short, rest),
  ];
  const texts = forms.flatMap((form) => {
    const raw = form.map((word) => word.raw).join(" ");
    const isPlain = form.every((word) => word.raw === word.value);
    return isPlain ? [raw] : [raw, form.map(({ value }) => value).join(" ")];
  });
  const before = assignments.map(({ raw }) => raw).join(" ");
  const all = before === "" ? texts : [...texts, ...texts.map((text) => `${before} ${text}`)];
  return [...new Set(ignoresCase ? all.flatMap((text) => [text, text.toLowerCase()]) : all)];
}

/** `git-push` means `git push`. */
function asSubcommand(first: ShellWord, rest: readonly ShellWord[]): ShellWord[][] {
  const name = /^git-(.+)$/s.exec(first.value)?.[1];
  if (name === undefined) return [];
  return [[{ ...first, raw: "git", value: "git" }, { ...first, raw: name, value: name }, ...rest]];
}

/**
 * `git -C dir --no-pager push` means `git push`. Whether an option takes the next word is unknown, so both readings
 * count.
 */
function withoutOptions(first: ShellWord, rest: readonly ShellWord[]): ShellWord[][] {
  const forms: ShellWord[][] = [];
  let at = 0;
  for (let options = 0; options < MAX_OPTIONS && rest[at]?.value.startsWith("-") === true; options++) {
    forms.push([first, ...rest.slice(at + 1)], [first, ...rest.slice(at + 2)]);
    at +=
      rest[at + 1]?.value.startsWith("-") === true || rest[at + 2]?.value.startsWith("-") !== true ? 1 : 2;
  }
  return forms;
}
