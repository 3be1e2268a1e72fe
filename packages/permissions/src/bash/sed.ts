/**
 * Whether a sed script only edits its stream: no `e`, `w`, `r`, nor their flags. A script that cannot be parsed is
 * unsafe.
 */

const PLAIN = "pPdDgGhHnNxlzF=";
const ADDRESS = /^(?:\d+(?:~\d+)?|\$|[+~]\d+)/;

/** `text`: it only changes text; `files`: it also reads or writes files; `unsafe`: it runs something or could. */
export type SedEffect =
  | { readonly type: "text" }
  | { readonly type: "files"; readonly names: string[] }
  | { readonly type: "unsafe" };

export function sedEffect(script: string): SedEffect {
  const reader = new Reader(script);
  const names: string[] = [];
  while (!reader.isDone()) if (!command(reader, names)) return { type: "unsafe" };
  return names.length === 0 ? { type: "text" } : { type: "files", names };
}

class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  isDone(): boolean {
    this.skip(/^[\s;]+/);
    return this.at >= this.text.length;
  }

  skip(pattern: RegExp): string {
    const found = pattern.exec(this.text.slice(this.at))?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  next(): string {
    return this.text[this.at++] ?? "";
  }

  /** Reads up to the delimiter, which a backslash escapes and a bracket hides; undefined if there is none. */
  upTo(delimiter: string, bracketsHide: boolean): string | undefined {
    const start = this.at;
    for (; this.at < this.text.length; this.at++) {
      const letter = this.text[this.at];
      if (letter === "\\") this.at++;
      else if (letter === delimiter) return this.text.slice(start, this.at++);
      // GNU sed ends the pattern at a delimiter even inside brackets, so the two readings differ.
      else if (letter === "[" && bracketsHide && hidesDelimiter(this.text.slice(this.at), delimiter))
        return undefined;
    }
    return undefined;
  }
}

function hidesDelimiter(rest: string, delimiter: string): boolean {
  const set = /^\[\^?\]?[^\]]*\]/.exec(rest)?.[0];
  return set === undefined ? false : set.includes(delimiter);
}

function command(reader: Reader, names: string[]): boolean {
  if (!address(reader)) return false;
  reader.skip(/^\s*/);
  if (reader.skip(/^,\s*/) !== "" && !address(reader)) return false;
  reader.skip(/^\s*!*\s*/);
  const letter = reader.next();
  if (letter === "#") return reader.skip(/^[^\n]*/), true;
  if (letter === "{" || letter === "}") return true;
  if (letter === "s") return substitute(reader, names);
  if (letter === "y") return transliterate(reader);
  if ("aic".includes(letter) && letter !== "") return reader.skip(/^(?:[^\\\n]|\\[^])*/), true;
  if (":btT".includes(letter) && letter !== "") return reader.skip(/^[ \t]*[\w.-]*/), ends(reader);
  if ("qQlL".includes(letter) && letter !== "") return reader.skip(/^[ \t]*\d*/), ends(reader);
  if ("wWrR".includes(letter) && letter !== "") return fileName(reader, names);
  return letter !== "" && PLAIN.includes(letter) && ends(reader);
}

/** Reads a file name to the end of the line. */
function fileName(reader: Reader, names: string[]): boolean {
  names.push(reader.skip(/^[^\n]*/).trimStart());
  return true;
}

function address(reader: Reader): boolean {
  if (reader.skip(ADDRESS) !== "") return true;
  const custom = reader.skip(/^\\./s);
  const slash = custom === "" ? reader.skip(/^\//) : custom.slice(1);
  if (slash === "") return true;
  if (reader.upTo(slash, true) === undefined) return false;
  reader.skip(/^[IM]*/);
  return true;
}

function substitute(reader: Reader, names: string[]): boolean {
  const delimiter = reader.next();
  if (delimiter === "" || /[\\\n\s]/.test(delimiter)) return false;
  if (reader.upTo(delimiter, true) === undefined || reader.upTo(delimiter, false) === undefined) return false;
  reader.skip(/^[gpiIM\d]*/);
  if (reader.skip(/^w/) !== "") return fileName(reader, names);
  return ends(reader);
}

function transliterate(reader: Reader): boolean {
  const delimiter = reader.next();
  if (delimiter === "" || /[\\\n\s]/.test(delimiter)) return false;
  return (
    reader.upTo(delimiter, false) !== undefined && reader.upTo(delimiter, false) !== undefined && ends(reader)
  );
}

function ends(reader: Reader): boolean {
  reader.skip(/^[ \t]*/);
  const next = reader.text[reader.at];
  return next === undefined || /[\n;}#]/.test(next);
}
