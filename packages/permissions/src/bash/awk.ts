/**
 * Whether an awk program only processes text: it runs no command, and each file that it writes is named by one string
 * literal.
 */

import type { ShellWord } from "./script.ts";
import { isUnknown } from "./options.ts";

/** A parsed awk command line. */
export interface AwkCall {
  readonly program: ShellWord | undefined;
  readonly files: readonly ShellWord[];
  /** It has an option that could name another program, or a word that could be one. */
  readonly isUnclear: boolean;
}

/** Options before the program that only change how text is read. */
const ALONE =
  /^(?:-[bcknrsO]|--(?:posix|sandbox|csv|traditional|re-interval|characters-as-bytes|non-decimal-data|optimize|no-optimize|version|help))$/;
const ATTACHED = /^(?:-[Fv].+|--(?:field-separator|assign)=.*)$/s;
const APART = /^(?:-[Fv]|--(?:field-separator|assign))$/;

/** Options end at the program: every word after it is a file. */
export function readAwk(words: readonly ShellWord[]): AwkCall {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const { value } = word;
    if (word.splits || (isUnknown(word) && !ATTACHED.test(value))) return unclear(words.slice(at));
    if (value === "--") return { program: words[at + 1], files: words.slice(at + 2), isUnclear: false };
    if (!value.startsWith("-") || value === "-")
      return { program: word, files: words.slice(at + 1), isUnclear: false };
    if (APART.test(value)) at++;
    else if (!ALONE.test(value) && !ATTACHED.test(value)) return unclear(words.slice(at));
    if (words[at]?.splits === true) return unclear(words.slice(at));
  }
  return { program: undefined, files: [], isUnclear: false };
}

function unclear(words: readonly ShellWord[]): AwkCall {
  return { program: undefined, files: words.filter(({ value }) => !value.startsWith("-")), isUnclear: true };
}

export type AwkEffect =
  | { readonly type: "text"; readonly writes: readonly string[] }
  /** It runs something, writes a file that is not visible, or cannot be parsed. */
  | { readonly type: "unsafe" };

interface Token {
  readonly type: "string" | "regex" | "operand" | "word" | "operator" | "end";
  readonly text: string;
}

const UNSAFE = { type: "unsafe" } as const;
const RUNS = /\bsystem\s*\(|\|\s*(?:&\s*)?getline\b|@\s*(?:load|include|namespace|\w+\s*\()/;
/** A pipe or a redirection that is not part of another operator. */
const MAY_WRITE = /(?<!\|)\|(?!\|)|>/;
const BEFORE_PATTERN = new Set("print printf return in else do case delete exit".split(" "));
const CONTROL = new Set(["if", "while", "for", "switch"]);
const PIECES: readonly (readonly [Token["type"] | "skip", RegExp])[] = [
  ["skip", /[ \t\r]+|\\\r?\n|#[^\n]*/y],
  ["end", /\n/y],
  ["string", /"(?:[^"\\\n]|\\[^])*"/y],
  ["operand", /\d[\w.]*|\.\d\w*/y],
  ["word", /[A-Za-z_]\w*/y],
  ["operator", /\+\+|--|>>|[<>=!]=|\|\||&&|[-+*%^!~<>|?:,;(){}[\]$=&]/y],
];

export function awkEffect(text: string): AwkEffect {
  // Matches in strings count too: which quotes belong together depends on how slashes are read.
  if (RUNS.test(text.replaceAll(/\\\r?\n/g, " "))) return UNSAFE;
  // A file with this name is a network connection.
  if (/\/inet/.test(text)) return UNSAFE;
  if (!MAY_WRITE.test(text)) return { type: "text", writes: [] };
  const lexer = new Lexer(text);
  const tokens = lexer.tokens();
  if (tokens === undefined || lexer.isUnsure) return UNSAFE;
  if (tokens.some((token) => token.type === "operator" && token.text === "|")) return UNSAFE;
  const writes = written(tokens);
  return writes === undefined ? UNSAFE : { type: "text", writes };
}

class Lexer {
  readonly #text: string;
  /** A slash could have been misread. */
  isUnsure = false;
  #at = 0;
  readonly #tokens: Token[] = [];
  /** For each open bracket, whether it belongs to `if` or a similar keyword. */
  readonly #open: boolean[] = [];
  #closedControl = false;

  constructor(text: string) {
    this.#text = text;
  }

  tokens(): Token[] | undefined {
    while (this.#at < this.#text.length) if (!this.#next()) return undefined;
    return this.#tokens;
  }

  #next(): boolean {
    if (this.#text[this.#at] === "/") return this.#slash();
    for (const [type, pattern] of PIECES) {
      const text = this.#take(pattern);
      if (text === undefined) continue;
      if (type !== "skip") this.#add({ type, text });
      return true;
    }
    return false;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0];
    if (text !== undefined) this.#at += text.length;
    return text;
  }

  #add(token: Token): void {
    const last = this.#tokens.at(-1);
    // After these tokens, a newline does not end the statement.
    if (token.type === "end" && /^(?:,|&&|\|\||\n)$/.test(last?.text ?? "")) return;
    if (token.text === "(") this.#open.push(last?.type === "word" && CONTROL.has(last.text));
    if (token.text === ")") this.#closedControl = this.#open.pop() === true;
    this.#tokens.push(token);
  }

  /**
   * Whether the slash begins a regular expression: it divides after an operand. Sets `isUnsure` if that is not
   * certain.
   */
  #slash(): boolean {
    const last = this.#tokens.at(-1);
    const isCertain = !(
      (last?.text === ")" && this.#closedControl) ||
      (last !== undefined && /^(?:\+\+|--|\$|getline|length)$/.test(last.text))
    );
    if (!isCertain) this.isUnsure = true;
    if (last !== undefined && isOperand(last)) {
      this.#at++;
      this.#tokens.push({ type: "operator", text: "/" });
      return true;
    }
    const pattern = this.#take(/\/(?:[^/\\\n]|\\.)*\//y);
    if (pattern === undefined) return false;
    // In some awks, brackets hide a slash.
    if (/\[[^\]]*$/.test(pattern.slice(1, -1))) this.isUnsure = true;
    this.#tokens.push({ type: "regex", text: pattern });
    return true;
  }
}

function isOperand({ type, text }: Token): boolean {
  if (type === "word") return !BEFORE_PATTERN.has(text);
  return type === "operand" || type === "string" || type === "regex" || /^(?:[)\]]|\+\+|--)$/.test(text);
}

/** Returns the files after `print … >`; undefined if one is not a single string. */
function written(tokens: readonly Token[]): string[] | undefined {
  const files: string[] = [];
  let depth = 0;
  let printing: number | undefined;
  for (const [at, { type, text }] of tokens.entries()) {
    if (type === "word" && /^printf?$/.test(text)) printing = depth;
    if (type === "end") printing = undefined;
    if (type !== "operator") continue;
    if (/^[;{}]$/.test(text)) printing = undefined;
    if (/^[([]$/.test(text)) depth++;
    if (/^[)\]]$/.test(text)) depth--;
    if (!/^>>?$/.test(text) || printing !== depth) continue;
    const [target, next] = [tokens[at + 1], tokens[at + 2]];
    const isAlone = next === undefined || next.type === "end" || /^[;}]$/.test(next.text);
    if (target?.type !== "string" || !isAlone || target.text.includes("\\")) return undefined;
    files.push(target.text.slice(1, -1));
  }
  return files;
}
