/** Cleans command output for display: no escape sequences, overwritten lines or control characters (F11). */

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
const BACKSPACE = String.fromCharCode(0x08);
const NUL = String.fromCharCode(0);
const NUL_SHOWN = "\u2400";

/** Colours and cursor moves; titles and links up to their terminator; all others. */
const SEQUENCE = [
  `${ESCAPE}\\[[0-?]*[ -/]*[@-~]`,
  `${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)`,
  `${ESCAPE}(?:[ -/]+[0-~]|[0-OQ-WYZ\\\\\`-~])`,
].join("|");
const SEQUENCES = new RegExp(SEQUENCE, "g");
const WHOLE_SEQUENCE = new RegExp(`^(?:${SEQUENCE})`);
const STRUCK = new RegExp(`[^\\n${BACKSPACE}]${BACKSPACE}`, "g");

function isControl(code: number): boolean {
  return (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code <= 0x9f);
}

export function cleanOutput(text: string): string {
  const lines = text.replaceAll(SEQUENCES, "").replaceAll(STRUCK, "").split("\n");
  return withoutControls(lines.map(lastWritten).join("\n"));
}

/** Keeps only the final state of a line that was overwritten, as progress bars do. */
function lastWritten(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part !== "") ?? "";
}

function withoutControls(text: string): string {
  const shown = text.replaceAll(NUL, NUL_SHOWN);
  let clean = "";
  let from = 0;
  for (let at = 0; at < shown.length; at++) {
    if (!isControl(shown.charCodeAt(at))) continue;
    clean += shown.slice(from, at);
    from = at + 1;
  }
  return from === 0 ? shown : clean + shown.slice(from);
}

const BINARY_SHARE = 0.3;
/** A few odd characters do not make a text binary. */
const ODD_CHARS = 16;

/** Whether the output is not text in a common encoding. */
export function isBinary(text: string): boolean {
  let odd = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd || code < 0x07 || (code > 0x0d && code < 0x20 && code !== 0x1b)) odd++;
  }
  return odd > Math.max(ODD_CHARS, text.length * BINARY_SHARE);
}

/** Decodes the first bytes of a longer output; an incomplete character at the end is dropped. */
export function decodeHead(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Decodes the last bytes of a longer output; an incomplete character at the start is dropped. */
export function decodeTail(bytes: Uint8Array): string {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return new TextDecoder().decode(bytes.subarray(at));
}

/** Characters that belong to the one before them: combining marks, variation selectors, joiners, skin tones, tags. */
const JOINS_BEFORE = /^(?:\u200C|\u200D|[\p{M}\p{EMod}\u{E0020}-\u{E007F}])/u;
const JOINER = "\u200D";
/** Longer runs of combining characters are cut all the same. */
const MOST_JOINED = 64;

/** Whether a text can be cut at this position without splitting what a reader sees as one character. */
function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) return false;
  return text[at - 1] !== JOINER && !JOINS_BEFORE.test(text.slice(at, at + 2));
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Moves a cut to the nearest boundary in one direction; if there is none, to one that splits no surrogate pair. */
function cutAt(text: string, wanted: number, step: 1 | -1): number {
  for (let at = wanted; Math.abs(at - wanted) < MOST_JOINED; at += step) if (isBoundary(text, at)) return at;
  const splitsPair = isLowSurrogate(text.charCodeAt(wanted)) && isHighSurrogate(text.charCodeAt(wanted - 1));
  return splitsPair ? wanted + step : wanted;
}

/** Returns at most this many UTF-16 units from the start, without splitting a character. */
export function headOf(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(0, cutAt(text, chars, -1));
}

/** Returns at most this many UTF-16 units from the end, without splitting a character. */
export function tailOf(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(cutAt(text, text.length - chars, 1));
}

/** Returns how many bytes at the end are the beginning of a character that is not complete. */
export function incompleteAtEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return byte < 0xf8 && length > back ? back : 0;
  }
  return 0;
}

/** Longer escape sequences are not waited for. */
const MAX_SEQUENCE = 256;

/** Cleans output while it streams. An incomplete character or escape sequence waits for the rest. */
export class LiveText {
  #decoder = new TextDecoder();
  #held = "";
  #isAtLineStart = true;

  push(bytes: Uint8Array): string {
    const text = this.#held + this.#decoder.decode(bytes, { stream: true });
    const end = unfinishedAt(text);
    this.#held = text.slice(end);
    return this.#shown(text.slice(0, end));
  }

  /** Call if the next bytes do not follow the previous ones. */
  restart(): void {
    this.#decoder = new TextDecoder();
    this.#held = "";
  }

  #shown(text: string): string {
    const firstLine = text.split("\n", 1)[0] ?? "";
    const isRewritten = /\r[^\r]/.test(firstLine);
    const clean = cleanOutput(text);
    if (clean === "") return "";
    // The reader replaces its last line by what follows a carriage return.
    const shown = isRewritten && !this.#isAtLineStart ? `\r${clean}` : clean;
    this.#isAtLineStart = shown.endsWith("\n");
    return shown;
  }
}

function unfinishedAt(text: string): number {
  const escape = text.lastIndexOf(ESCAPE);
  const isOpen =
    escape >= 0 && text.length - escape < MAX_SEQUENCE && !WHOLE_SEQUENCE.test(text.slice(escape));
  if (isOpen) return escape;
  return text.endsWith("\r") ? text.length - 1 : text.length;
}
