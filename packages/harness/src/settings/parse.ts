/** Parses strict JSON like `JSON.parse`, and reports errors with line and column. */

import { type JsonNode, type Member, placeOf } from "./json.ts";

export type Parsed =
  | { readonly type: "parsed"; readonly node: JsonNode }
  | { readonly type: "broken"; readonly why: string };

const MAX_DEPTH = 100;
const BLANKS = /[ \t\n\r]*/y;
const STRING = new RegExp(String.raw`"(?:[^"\\\x00-\x1F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`, "y");
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b/y;

export function parseJson(text: string): Parsed {
  try {
    return { type: "parsed", node: new Reader(text).document() };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { type: "broken", why: `${placeOf(text, error.at)}: ${error.message}` };
  }
}

class Broken extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode {
    if (this.#text.startsWith("\uFEFF")) this.#at = 1;
    const node = this.#value();
    this.#next();
    if (this.#at < this.#text.length) this.#fail("expected the end of the file");
    return node;
  }

  #value(): JsonNode {
    const found = this.#next();
    if (found === "{") return this.#nested(() => this.#object());
    if (found === "[") return this.#nested(() => this.#array());
    const start = this.#at;
    const word = found === '"' ? this.#string() : this.#take(WORD);
    if (word === undefined) return this.#fail("expected a value");
    return { type: "scalar", start, end: this.#at, value: JSON.parse(word) as unknown };
  }

  #object(): JsonNode {
    const start = this.#at++;
    const members: Member[] = [];
    if (this.#next() !== "}")
      do {
        if (this.#next() !== '"') this.#fail("expected a property name in double quotes");
        const at = this.#at;
        const key = JSON.parse(this.#string()) as string;
        if (this.#next() !== ":") this.#fail("expected a colon");
        this.#at++;
        members.push({ key, start: at, value: this.#value() });
      } while (this.#continues("}"));
    return { type: "object", start, end: ++this.#at, members };
  }

  #array(): JsonNode {
    const start = this.#at++;
    const items: JsonNode[] = [];
    if (this.#next() !== "]")
      do items.push(this.#value());
      while (this.#continues("]"));
    return { type: "array", start, end: ++this.#at, items };
  }

  #nested(read: () => JsonNode): JsonNode {
    if (++this.#depth > MAX_DEPTH) this.#fail(`expected at most ${MAX_DEPTH} levels`);
    const node = read();
    this.#depth--;
    return node;
  }

  #continues(closing: string): boolean {
    const found = this.#next();
    if (found === closing) return false;
    if (found !== ",") this.#fail(`expected a comma or ${closing}`);
    const comma = this.#at++;
    if (this.#next() === closing) throw new Broken(comma, "trailing comma");
    return true;
  }

  #string(): string {
    return this.#take(STRING) ?? this.#fail("expected a string without line breaks and with valid escapes");
  }

  #next(): string {
    this.#take(BLANKS);
    return this.#text.charAt(this.#at);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(expected: string): never {
    const rest = this.#text.slice(this.#at);
    if (rest === "") throw new Broken(this.#at, `${expected}, but the file ends here`);
    if (/^\/[/*]/.test(rest)) throw new Broken(this.#at, "comments are not allowed in JSON");
    throw new Broken(
      this.#at,
      `${expected}, found ${JSON.stringify(String.fromCodePoint(rest.codePointAt(0) as number))}`,
    );
  }
}
