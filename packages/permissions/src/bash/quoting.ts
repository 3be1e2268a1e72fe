/** Text in quotes and after backslashes, decoded as every version of bash decodes it; undefined if that is not certain. */

const LETTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
/** One escape that has the same meaning in every version and locale, or one plain character. */
const ANSI_C = /\\(?:([abeEfnrtv])|([\\'"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2}))|([^\\'])/gy;
/** Bash marks quoted text with these two characters internally; NUL ends a text. */
const INTERNAL = ["\0", "\u0001", "\u007f"];

/** What `$'…'` stands for; `text` includes the quotes. */
export function decodeAnsiC(text: string): string | undefined {
  if (!/^\$'[^]*'$/.test(text) || text.length < 3) return undefined;
  const inside = text.slice(2, -1);
  let value = "";
  let length = 0;
  for (const [whole, letter, quoted, octal, hex, plain] of inside.matchAll(ANSI_C)) {
    length += whole.length;
    const code = octal === undefined ? Number.parseInt(hex ?? "20", 16) : Number.parseInt(octal, 8);
    // Above ASCII, bytes make characters together or not at all, which depends on the locale.
    if (code > 0x7e) return undefined;
    if (letter !== undefined) value += LETTERS[letter] ?? "";
    else if (octal !== undefined || hex !== undefined) value += String.fromCharCode(code);
    else value += quoted ?? plain ?? "";
  }
  return length === inside.length ? certain(value) : undefined;
}

/** `'…'`, with its quotes. */
export function decodeSingle(text: string): string | undefined {
  return /^'[^']*'$/.test(text) ? certain(text.slice(1, -1)) : undefined;
}

/** Text outside of quotes. */
export function decodeBare(text: string): string | undefined {
  if (text.replaceAll(/\\[^]/g, "").endsWith("\\")) return undefined;
  return certain(text.replaceAll(/\\([^])/g, (_, next: string) => (next === "\n" ? "" : next)));
}

/** Text inside of double quotes, without the quotes. */
export function decodeDouble(text: string): string | undefined {
  if (text.replaceAll(/\\[^]/g, "").endsWith("\\")) return undefined;
  return certain(text.replaceAll(/\\([$`"\\\n])/g, (_, next: string) => (next === "\n" ? "" : next)));
}

function certain(value: string): string | undefined {
  return INTERNAL.some((one) => value.includes(one)) ? undefined : value;
}
