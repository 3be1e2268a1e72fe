/** Decodes quoted and escaped text as every version of bash does; undefined if versions differ. */

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
/** One escape with the same meaning in every version and locale, or one plain character. */
const ANSI_C = /\\(?:([abeEfnrtv])|([\\'"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2}))|([^\\'])/gy;
/** Bash uses the last two characters internally to mark quoted text; NUL ends a text. */
const INTERNAL = ["\0", "\u0001", "\u007f"];

/** Decodes `$'…'`; `text` includes the quotes. */
export function decodeAnsiC(text: string): string | undefined {
  if (!/^\$'[^]*'$/.test(text) || text.length < 3) return undefined;
  const inside = text.slice(2, -1);
  let value = "";
  let length = 0;
  for (const [whole, letter, quoted, octal, hex, plain] of inside.matchAll(ANSI_C)) {
    length += whole.length;
    const code = octal === undefined ? Number.parseInt(hex ?? "20", 16) : Number.parseInt(octal, 8);
    // Above ASCII, how bytes form characters depends on the locale.
    if (code > 0x7e) return undefined;
    if (letter !== undefined) value += LETTERS[letter] ?? "";
    else if (octal !== undefined || hex !== undefined) value += String.fromCharCode(code);
    else value += quoted ?? plain ?? "";
  }
  return length === inside.length ? certain(value) : undefined;
}

/** Decodes `'…'`; `text` includes the quotes. */
export function decodeSingle(text: string): string | undefined {
  return /^'[^']*'$/.test(text) ? certain(text.slice(1, -1)) : undefined;
}

/** Decodes text outside quotes. */
export function decodeBare(text: string): string | undefined {
  if (text.replaceAll(/\\[^]/g, "").endsWith("\\")) return undefined;
  return certain(text.replaceAll(/\\([^])/g, (_, next: string) => (next === "\n" ? "" : next)));
}

/** Decodes text inside double quotes, without the quotes. */
export function decodeDouble(text: string): string | undefined {
  if (text.replaceAll(/\\[^]/g, "").endsWith("\\")) return undefined;
  return certain(text.replaceAll(/\\([$`"\\\n])/g, (_, next: string) => (next === "\n" ? "" : next)));
}

function certain(value: string): string | undefined {
  return INTERNAL.some((one) => value.includes(one)) ? undefined : value;
}
