/** One word of the grammar → the words that a command gets, as far as that is known. */

import type { Word, WordPart } from "unbash";
import type { ShellWord } from "./script.ts";

/** What the words of a script are read with. */
export interface WordScope {
  /** The value of a variable, where it is known. */
  valueOf(name: string): string | undefined;
  readonly home: string;
  /** Is told of every expansion, so that what it runs is seen. */
  expansion(part: WordPart): void;
}

const MAX_BRACE_WORDS = 64;
const SIMPLE_NAME = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;

interface Draft {
  values: string[];
  isDynamic: boolean;
  isGlob: boolean;
  splits: boolean;
  isQuoted: boolean;
}

export function readWord(word: Word, scope: WordScope): ShellWord[] {
  const draft: Draft = { values: [""], isDynamic: false, isGlob: false, splits: false, isQuoted: false };
  if (word.parts === undefined) append(draft, word.value);
  else for (const part of word.parts) addPart(draft, part, scope);
  const fromTilde = word.text.startsWith("~");
  if (fromTilde) expandTilde(draft, word, scope.home);
  const type = draft.isDynamic ? "dynamic" : draft.isGlob ? "glob" : "static";
  const isOne = draft.values.length === 1;
  return draft.values.map((value) => ({
    raw: isOne ? word.text : value,
    value,
    type,
    splits: draft.splits,
    fromTilde,
  }));
}

/** Whether text that the grammar takes as it stands has something in it that bash would not: `3<(…)`, `x=($(…))y`. */
export function isMisread({ text, parts }: Word, isPattern: boolean): boolean {
  const plain = parts === undefined ? [text] : parts.flatMap(literals);
  // A pattern of `[[ … =~ … ]]` has brackets and bars of its own.
  const odd = isPattern ? /[<>]\(|\$\(|`/ : /[()<>|&;`]/;
  if (plain.some((one) => odd.test(one.replaceAll(/\\[^]/g, "")))) return true;
  return (parts ?? []).some(
    (part) => (part.type === "DoubleQuoted" || part.type === "LocaleString") && part.parts.some(isHidden),
  );
}

function literals(part: WordPart): string[] {
  if (part.type !== "BraceExpansion") return part.type === "Literal" ? [part.text] : [];
  return part.parts === undefined
    ? [part.text.replaceAll(/'[^']*'|"[^"$`]*"/g, "")]
    : part.parts.flatMap(literals);
}

/** In double quotes, what runs something is never plain. */
function isHidden(part: WordPart): boolean {
  return part.type === "Literal" && /\$\(|`/.test(part.text.replaceAll(/\\[^]/g, ""));
}

/** A word that stands for what is not known. */
export function unknownWord(raw: string, splits: boolean): ShellWord {
  return { raw, value: raw, type: "dynamic", splits, fromTilde: false };
}

function append(draft: Draft, text: string): void {
  draft.values = draft.values.map((value) => value + text);
}

function addPart(draft: Draft, part: WordPart, scope: WordScope): void {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") {
    append(draft, part.value);
  } else if (part.type === "Glob") {
    draft.isGlob = true;
    append(draft, part.value);
    if (part.kind === "bracket") for (const inner of part.parts) noteExpansion(draft, inner, scope);
  } else if (part.type === "DoubleQuoted") {
    draft.isQuoted = true;
    for (const inner of part.parts)
      if (inner.type === "Literal") append(draft, inner.value);
      else addExpansion(draft, inner, scope);
    draft.isQuoted = false;
  } else if (part.type === "BraceExpansion") {
    addBraces(draft, part.text);
    scope.expansion(part);
  } else addExpansion(draft, part, scope);
}

/** Inside `[…]` an expansion makes the whole pattern unknown. */
function noteExpansion(draft: Draft, part: WordPart, scope: WordScope): void {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") return;
  draft.isDynamic = true;
  scope.expansion(part);
}

function addExpansion(draft: Draft, part: WordPart, scope: WordScope): void {
  scope.expansion(part);
  const name = part.type === "SimpleExpansion" || part.type === "ParameterExpansion" ? part.text : "";
  const [, bare, braced] = SIMPLE_NAME.exec(name) ?? [];
  const known = bare ?? braced;
  const value = known === undefined ? undefined : scope.valueOf(known);
  if (value !== undefined && (draft.isQuoted || /^[\w/.-]+$/.test(value))) return append(draft, value);
  draft.isDynamic = true;
  const isPath = part.type === "ProcessSubstitution";
  if ((!draft.isQuoted && !isPath) || /^\$\{?[@*]|\[@\]|\[\*\]/.test(part.text)) draft.splits = true;
  append(draft, part.text);
}

/** Plain alternatives only; all else is not known. */
function addBraces(draft: Draft, text: string): void {
  const inside = text.slice(1, -1);
  const isPlain = /^[^{}$`'"\\]*$/.test(inside) && inside.includes(",") && !inside.includes("..");
  const choices = inside.split(",");
  if (!isPlain || choices.length * draft.values.length > MAX_BRACE_WORDS) {
    draft.isDynamic = true;
    draft.splits = true;
    return append(draft, text);
  }
  if (/[*?[]/.test(inside)) draft.isGlob = true;
  draft.values = draft.values.flatMap((value) => choices.map((choice) => value + choice));
}

function expandTilde(draft: Draft, word: Word, home: string): void {
  // `~user`, `~+` and `~-` are known only to the shell; a quoted or escaped part ends the tilde's name.
  if (!/^~(?:\/|$)/.test(word.text)) draft.isDynamic = true;
  else draft.values = draft.values.map((value) => home + value.slice(1));
}
