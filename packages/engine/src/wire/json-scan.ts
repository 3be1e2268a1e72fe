/**
 * JSON text that arrives in pieces. Pieces are only collected; they are scanned, each character once, when
 * someone asks what they mean, so a caller who just wants the whole text pays for no scanning.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const MARKS = [QUOTE, COMMA, COLON, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST];
const LITERALS = ["true", "false", "null"] as const;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;

/** So many texts are added to each other faster than they are joined. */
const FEW_CHUNKS = 8;

function added(begun: string, chunks: readonly string[], from: number): string {
  let text = begun;
  for (let at = from; at < chunks.length; at++) text += chunks[at];
  return text;
}

/** Most calls are small, and few are previewed, so this part is kept small. */
export class JsonScan {
  #length = 0;
  #isEmpty = true;
  readonly #chunks: string[] = [];
  /** The first chunks joined to one text. */
  #joined = "";
  #joinedChunks = 0;
  #scanner: Scanner | undefined;

  push(chunk: string): void {
    if (chunk === "") return;
    this.#length += chunk.length;
    if (this.#isEmpty) this.#isEmpty = chunk.trim() === "";
    this.#chunks.push(chunk);
  }

  get length(): number {
    return this.#length;
  }

  /** Only whitespace so far. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** The object or list that the text consists of has ended. */
  get closed(): boolean {
    return this.#scan().closed;
  }

  text(): string {
    if (this.#joinedChunks === this.#chunks.length) return this.#joined;
    if (this.#chunks.length <= FEW_CHUNKS)
      this.#joined = added(this.#joined, this.#chunks, this.#joinedChunks);
    else this.#joined += this.#chunks.slice(this.#joinedChunks).join("");
    this.#joinedChunks = this.#chunks.length;
    return this.#joined;
  }

  /** The value that could be parsed after this many characters, by default all; `{}` if nothing can. Never throws. */
  preview(length = this.#length): unknown {
    if (this.#isEmpty || length === 0) return {};
    try {
      const text = this.text();
      if (length === text.length) return JSON.parse(this.#scan().completed(text));
      const begun = text.slice(0, length);
      const scanner = new Scanner();
      scanner.scan([begun]);
      return JSON.parse(scanner.completed(begun));
    } catch {
      return {};
    }
  }

  #scan(): Scanner {
    this.#scanner ??= new Scanner();
    this.#scanner.scan(this.#chunks);
    return this.#scanner;
  }
}

/** The meaning of the text that has been scanned. */
class Scanner {
  #scannedChunks = 0;
  /** How many characters have been scanned. */
  #scanned = 0;
  /** The closing brackets that are missing, innermost last. */
  readonly #owed: ("}" | "]")[] = [];
  #inString = false;
  /** How many characters the escape being read still has: five when only its backslash is there. */
  #escapeLeft = 0;
  #escapeStart = 0;
  /** The next string, or the one being read, is a member's name. */
  #atKey = false;
  /** Where the number or literal being read begins. */
  #scalarStart = -1;
  /** Up to here, the text only needs the missing brackets to be complete. */
  #soundEnd = 0;
  #broken = false;
  closed = false;

  /** Returns what completes the scanned text. */
  completed(text: string): string {
    if (this.closed) return text.slice(0, this.#soundEnd);
    return this.#soundText(text) + this.#owed.toReversed().join("");
  }

  /** Returns the part of the text that can be kept. A name without a value, or a lone minus, has no meaning yet. */
  #soundText(text: string): string {
    if (this.#inString && !this.#atKey) {
      return `${text.slice(0, this.#escapeLeft > 0 ? this.#escapeStart : text.length)}"`;
    }
    if (this.#scalarStart < 0) return text.slice(0, this.#soundEnd);
    const scalar = wholeScalar(text.slice(this.#scalarStart));
    return scalar === "" ? text.slice(0, this.#soundEnd) : text.slice(0, this.#scalarStart) + scalar;
  }

  scan(chunks: readonly string[]): void {
    for (; this.#scannedChunks < chunks.length; this.#scannedChunks++) {
      const chunk = chunks[this.#scannedChunks] as string;
      let at = 0;
      while (at < chunk.length && !this.closed && !this.#broken) {
        at = this.#inString ? this.#scanString(chunk, at) : this.#scanOutside(chunk, at);
      }
      this.#scanned += chunk.length;
    }
  }

  /** Returns the position after the string's end, or the chunk's. */
  #scanString(chunk: string, start: number): number {
    let at = start;
    while (at < chunk.length) {
      const code = chunk.charCodeAt(at);
      at += 1;
      if (this.#escapeLeft > 0) {
        this.#escapeLeft = this.#escapeLeft === 5 && code !== LETTER_U ? 0 : this.#escapeLeft - 1;
      } else if (code === BACKSLASH) {
        this.#escapeLeft = 5;
        this.#escapeStart = this.#scanned + at - 1;
      } else if (code === QUOTE) {
        this.#inString = false;
        if (!this.#atKey) this.#soundEnd = this.#scanned + at;
        return at;
      }
    }
    return at;
  }

  /** Reads up to the next string. */
  #scanOutside(chunk: string, start: number): number {
    let at = start;
    while (at < chunk.length && !this.#inString && !this.closed && !this.#broken) {
      this.#scanCharacter(chunk.charCodeAt(at), this.#scanned + at);
      at += 1;
    }
    return at;
  }

  #scanCharacter(code: number, offset: number): void {
    const isMark = code <= 0x20 || MARKS.includes(code);
    if (!isMark) {
      if (this.#scalarStart < 0) this.#scalarStart = offset;
      return;
    }
    if (this.#scalarStart >= 0) {
      this.#scalarStart = -1;
      this.#soundEnd = offset;
    }
    if (code === QUOTE) this.#inString = true;
    else if (code === COMMA) this.#atKey = this.#owed.at(-1) === "}";
    else if (code === COLON) this.#atKey = false;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code, offset);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#close(code, offset);
  }

  #open(code: number, offset: number): void {
    this.#owed.push(code === OPEN_OBJECT ? "}" : "]");
    this.#atKey = code === OPEN_OBJECT;
    this.#soundEnd = offset + 1;
  }

  #close(code: number, offset: number): void {
    if (this.#owed.at(-1) !== (code === CLOSE_OBJECT ? "}" : "]")) {
      this.#broken = true;
      return;
    }
    this.#owed.pop();
    this.#atKey = false;
    this.#soundEnd = offset + 1;
    this.closed = this.#owed.length === 0;
  }
}

/** `tru` can only become `true`. For a number, the longest valid part is used. */
function wholeScalar(text: string): string {
  const literal = LITERALS.find((word) => word.startsWith(text));
  return literal ?? NUMBER.exec(text)?.[0] ?? "";
}
