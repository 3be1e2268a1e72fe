/** Expands one word of the grammar to the words that a command gets, as far as known. */

import type { Word, WordPart } from "unbash";
import { decodeAnsiC, decodeBare, decodeDouble, decodeSingle } from "./quoting.ts";
import type { ShellWord } from "./script.ts";

/** The context that the words of a script are expanded in. */
export interface WordScope {
  /** Returns the value of a variable, if known. */
  valueOf(name: string): string | undefined;
  /** Called with every expansion, so that the commands in it are found. */
  expansion(part: WordPart): void;
}

const MAX_BRACE_WORDS = 64;
const SIMPLE_NAME = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;
/** Characters with a meaning in a pattern; inside brackets, quotes make the whole word unknown. */
const PATTERN = /[*?[\]\\{(]/;

/** A word that means itself, whatever the shell's options are: most words are such. */
const ITSELF = /^[\w./+@%,-]+$/;

/** Whether the word is only literal text without a character that has a meaning. */
function meansItself({ text, parts }: Word): boolean {
  return parts === undefined && ITSELF.test(text);
}

interface Draft {
  values: string[];
  isDynamic: boolean;
  isGlob: boolean;
  splits: boolean;
  isQuoted: boolean;
  /** The text outside quotes, with `\0` for each quoted part, escaped character and expansion. */
  bare: string;
  hasBraces: boolean;
  hasExpansion: boolean;
  /** A quoted part contains a character that would have a meaning in a pattern. */
  quotesPattern: boolean;
}

export function readWord(word: Word, scope: WordScope): ShellWord[] {
  if (meansItself(word))
    return [{ raw: word.text, value: word.text, type: "static", splits: false, fromTilde: false }];
  const draft: Draft = {
    values: [""],
    isDynamic: false,
    isGlob: false,
    splits: false,
    isQuoted: false,
    bare: "",
    hasBraces: false,
    hasExpansion: false,
    quotesPattern: false,
  };
  const parts: readonly WordPart[] = word.parts ?? [
    { type: "Literal", pos: word.pos, end: word.end, text: word.text, value: word.value },
  ];
  for (const part of parts) addPart(draft, part, scope);
  // Bash removes line continuations before it reads expansions: `$a\<newline>b` is `$ab`.
  if (hasLooseDollar(parts) || (draft.hasExpansion && word.text.includes("\\\n"))) draft.isDynamic = true;
  const fromTilde = draft.bare.startsWith("~");
  if (fromTilde) expandTilde(draft, scope.valueOf("HOME"));
  if (isUncertain(draft) || parts.map(({ text }) => text).join("") !== word.text) draft.isDynamic = true;
  const type = draft.isDynamic ? "dynamic" : draft.isGlob ? "glob" : "static";
  const isOne = draft.values.length === 1;
  const expands = draft.isDynamic && (draft.isGlob || parts.some(givesPattern));
  return draft.values.map((value) => ({
    raw: isOne ? word.text : value,
    value,
    type,
    splits: draft.splits,
    fromTilde,
    ...(expands ? { expands } : {}),
  }));
}

/** Whether the text in an expansion outside quotes becomes a pattern: `${x:-/etc/*}`, `${x/a/*}`. */
function givesPattern(part: WordPart): boolean {
  if (part.type !== "ParameterExpansion") return false;
  const { operation } = part;
  if (operation?.type === "Default") return /[*?[]/.test(operation.operand.text);
  return operation?.type === "Replace" && /[*?[]/.test(operation.replacement?.text ?? "");
}

/** Whether bash could expand text that the grammar treats as literal, in some or all configurations. */
function isUncertain({ bare, isGlob, quotesPattern, values, hasBraces, hasExpansion }: Draft): boolean {
  // Braces are expanded first, as text: `$HOME{a,b}` is `$HOMEa $HOMEb`, and `{,a}~` is `~ a~`.
  if (hasBraces && (hasExpansion || /[^]~/.test(bare) || values.includes(""))) return true;
  // `name=~` and `name=x:~` as an argument, and `{~,x}`.
  if (/[=:{,]~/.test(bare)) return true;
  if (/\{[^]*(?:,|\.\.)[^]*\}/.test(bare)) return true;
  // A bracket that is text for the grammar, but that a quoted bracket could close.
  if (!isGlob && (/[*?]/.test(bare) || /\[[^]*[\]\0]/.test(bare))) return true;
  return isGlob && quotesPattern;
}

/** A dollar sign that is literal for the grammar; after a line continuation, bash could read it as an expansion. */
function hasLooseDollar(parts: readonly WordPart[]): boolean {
  return parts.some((part, at) => {
    if (part.type === "DoubleQuoted") return hasLooseDollar(part.parts);
    if (part.type !== "Literal") return false;
    const text = part.text.replaceAll(/\\[^\n]/g, "");
    return /\$(?:\\\n|[[({])/.test(text) || (text.endsWith("$") && at < parts.length - 1);
  });
}

/** Whether text that is literal for the grammar contains something that is not for bash: `3<(…)`, `x=($(…))y`. */
export function isMisread(word: Word, isPattern: boolean): boolean {
  if (meansItself(word)) return false;
  const { text, parts } = word;
  const plain = parts === undefined ? [text] : parts.flatMap(literals);
  // A pattern of `[[ … =~ … ]]` can contain brackets and bars.
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

/** In double quotes, text that runs something is never literal. */
function isHidden(part: WordPart): boolean {
  if (isQuotedOddly(part)) return true;
  return part.type === "Literal" && /\$\(|`/.test(part.text.replaceAll(/\\[^]/g, ""));
}

/** Inside double quotes, single quotes in an expansion do not quote, so `"${x:-'$(y)'}"` runs y. */
export function isQuotedOddly({ type, text }: WordPart): boolean {
  return type === "ParameterExpansion" && text.includes("'") && /\$\(|`/.test(text);
}

/** A word that is written as its value. */
export function plainWord(value: string): ShellWord {
  return { raw: value, value, type: "static", splits: false, fromTilde: false };
}

/** A word with an unknown value. */
export function unknownWord(raw: string, splits: boolean): ShellWord {
  return { raw, value: raw, type: "dynamic", splits, fromTilde: false };
}

function append(draft: Draft, text: string): void {
  draft.values = draft.values.map((value) => value + text);
}

/** Appends the decoded text, or the text as written if decoding is uncertain. */
function appendDecoded(draft: Draft, decoded: string | undefined, text: string): void {
  if (decoded === undefined) draft.isDynamic = true;
  append(draft, decoded ?? text);
}

function addPart(draft: Draft, part: WordPart, scope: WordScope): void {
  switch (part.type) {
    case "Literal":
      return addBare(draft, part.text);
    case "SingleQuoted":
      return addQuoted(draft, decodeSingle(part.text), part.text);
    case "AnsiCQuoted":
      return addQuoted(draft, decodeAnsiC(part.text), part.text);
    case "DoubleQuoted":
      return addDouble(draft, part, scope);
    case "Glob":
      draft.isGlob = true;
      // Quotes and escapes inside a bracket change what it matches.
      appendDecoded(draft, /[\\'"$`]/.test(part.text) ? undefined : part.text, part.text);
      if (part.kind === "bracket") for (const inner of part.parts) noteExpansion(draft, inner, scope);
      draft.bare += part.text;
      return;
    case "BraceExpansion":
      addBraces(draft, part.text);
      return scope.expansion(part);
    default:
      return addExpansion(draft, part, scope);
  }
}

function addBare(draft: Draft, text: string): void {
  appendDecoded(draft, decodeBare(text), text);
  if ((text.match(/\\[^]/g) ?? []).some((escape) => PATTERN.test(escape.slice(1))))
    draft.quotesPattern = true;
  draft.bare += text.replaceAll("\\\n", "").replaceAll(/\\[^]/g, "\0");
}

function addQuoted(draft: Draft, decoded: string | undefined, text: string): void {
  appendDecoded(draft, decoded, text);
  if (decoded === undefined || PATTERN.test(decoded)) draft.quotesPattern = true;
  draft.bare += "\0";
}

function addDouble(draft: Draft, part: Extract<WordPart, { type: "DoubleQuoted" }>, scope: WordScope): void {
  draft.isQuoted = true;
  for (const inner of part.parts)
    if (inner.type === "Literal") addQuoted(draft, decodeDouble(inner.text), inner.text);
    else addExpansion(draft, inner, scope);
  draft.isQuoted = false;
  draft.bare += "\0";
  if (`"${part.parts.map(({ text }) => text).join("")}"` !== part.text) draft.isDynamic = true;
}

/** Inside `[…]`, an expansion makes the whole pattern unknown. */
function noteExpansion(draft: Draft, part: WordPart, scope: WordScope): void {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") return;
  draft.isDynamic = true;
  scope.expansion(part);
}

function addExpansion(draft: Draft, part: WordPart, scope: WordScope): void {
  scope.expansion(part);
  draft.bare += "\0";
  draft.hasExpansion = true;
  const name = part.type === "SimpleExpansion" || part.type === "ParameterExpansion" ? part.text : "";
  const [, bare, braced] = SIMPLE_NAME.exec(name) ?? [];
  const known = bare ?? braced;
  const value = known === undefined ? undefined : scope.valueOf(known);
  if (value !== undefined && (draft.isQuoted || /^[\w/.-]+$/.test(value))) {
    if (PATTERN.test(value)) draft.quotesPattern = true;
    return append(draft, value);
  }
  draft.isDynamic = true;
  const isPath = part.type === "ProcessSubstitution";
  if ((!draft.isQuoted && !isPath) || /^\$\{?[@*]|\[@\]|\[\*\]/.test(part.text)) draft.splits = true;
  append(draft, part.text);
}

/** Expands plain alternatives only; anything else is unknown. */
function addBraces(draft: Draft, text: string): void {
  draft.hasBraces = true;
  const inside = text.slice(1, -1);
  const isPlain = /^[^{}$`'"\\~]*$/.test(inside) && inside.includes(",") && !inside.includes("..");
  const choices = inside.split(",");
  if (!isPlain || choices.length * draft.values.length > MAX_BRACE_WORDS) {
    draft.isDynamic = true;
    draft.splits = true;
    draft.bare += "\0";
    return append(draft, text);
  }
  if (/[*?[]/.test(inside)) draft.isGlob = true;
  draft.bare += "\0";
  draft.values = draft.values.flatMap((value) => choices.map((choice) => value + choice));
}

function expandTilde(draft: Draft, home: string | undefined): void {
  // Only the shell knows `~user`, `~+` and `~-`; a quoted or escaped part ends the tilde's name.
  if (home === undefined || !/^~(?:\/|$)/.test(draft.bare)) draft.isDynamic = true;
  else draft.values = draft.values.map((value) => home + value.slice(1));
}
