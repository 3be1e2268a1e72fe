/** Reads quoted text, `[a, b]` and `{a: b}`, over several lines if needed. */

import { type YamlValue, scalarOf } from "./yaml-value.ts";

const MAX_DEPTH = 20;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", 0: "\0", e: "\u001b" };

/** Returns undefined if the text is not one whole value, apart from a comment after it. */
export function readFlow(text: string): { readonly value: YamlValue } | undefined {
  const reader = new FlowReader(text);
  const value = reader.value("", 0);
  return value !== undefined && reader.isAtEnd ? { value } : undefined;
}

class FlowReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return /^\s*(?:#[^\n]*)?$/.test(this.#text.slice(this.#at));
  }

  /** `ends` are the characters that end plain text. */
  value(ends: string, depth: number): YamlValue | undefined {
    const next = this.#next();
    if (depth > MAX_DEPTH) return undefined;
    if (next === '"' || next === "'") return this.#quoted(next);
    if (next === "[") return this.#list(depth);
    if (next === "{") return this.#object(depth);
    return ends === "" ? undefined : scalarOf(this.#plain(ends));
  }

  #list(depth: number): YamlValue | undefined {
    const items: YamlValue[] = [];
    this.#at++;
    while (this.#next() !== "]") {
      const item = this.value(",]", depth + 1);
      if (item === undefined || item === "") return undefined;
      items.push(item);
      if (!this.#separates("]")) return undefined;
    }
    this.#at++;
    return items;
  }

  #object(depth: number): YamlValue | undefined {
    const members: [string, YamlValue][] = [];
    this.#at++;
    while (this.#next() !== "}") {
      const key = this.value(":,}", depth + 1);
      if (key === undefined || key === "" || this.#next() !== ":") return undefined;
      this.#at++;
      const member = this.value(",}", depth + 1);
      if (member === undefined) return undefined;
      members.push([typeof key === "string" ? key : JSON.stringify(key), member]);
      if (!this.#separates("}")) return undefined;
    }
    this.#at++;
    return Object.fromEntries(members);
  }

  #separates(closing: string): boolean {
    const next = this.#next();
    if (next === ",") this.#at++;
    return next === "," || next === closing;
  }

  /** Up to one of the ends. Brackets inside, as in `Bash(git log:*, x)`, belong to the text. */
  #plain(ends: string): string {
    const start = this.#at;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at);
      if (letter === "(") depth++;
      else if (letter === ")") depth--;
      else if (depth <= 0 && ends.includes(letter) && !this.#isInsideWord(letter)) break;
    }
    return this.#text.slice(start, this.#at).replaceAll(/\s+/g, " ").trim();
  }

  /** A colon inside a word does not end a key. */
  #isInsideWord(letter: string): boolean {
    return letter === ":" && /^\S/.test(this.#text.slice(this.#at + 1));
  }

  #quoted(quote: string): string | undefined {
    let text = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at);
      const after = this.#text.charAt(this.#at + 1);
      if (letter === "\\" && quote === '"') text += this.#escaped(after);
      else if (letter === quote && quote === "'" && after === "'") text += this.#text.charAt(++this.#at);
      else if (letter === quote) return this.#at++, text;
      else if (letter === "\n") text += this.#lineBreak();
      else text += letter;
    }
    return undefined;
  }

  #escaped(letter: string): string {
    this.#at++;
    const code = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/.exec(this.#text.slice(this.#at));
    if (code !== null) {
      this.#at += code[0].length - 1;
      return String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? "", 16));
    }
    return ESCAPES[letter] ?? letter;
  }

  /** One line break is a space, several are one less. */
  #lineBreak(): string {
    const [blanks = ""] = /^\s*/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += blanks.length - 1;
    const breaks = blanks.split("\n").length - 1;
    return breaks === 1 ? " " : "\n".repeat(breaks - 1);
  }

  #next(): string {
    const [blanks = ""] = /^(?:\s|#[^\n]*(?=\n))*/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += blanks.length;
    return this.#text.charAt(this.#at);
  }
}
