/** Formats untrusted text as one line, and numbers for people. */

import { aString, required, wrong } from "@runahead/base";

// Control characters, characters that change the text direction, and invisible line breaks.
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/**
 * Returns a text as one line of at most `mostChars` characters, without control characters and characters that change
 * the direction of text.
 *
 * @example
 * ```ts
 * oneLine("a\nb", 10); // "a b"
 * ```
 */
export function oneLine(text: unknown, mostChars: number): string {
  if (typeof text !== "string") return "";
  // Cut first: a text can have megabytes.
  const cleaned = text
    .slice(0, mostChars * 4)
    .replaceAll(UNSAFE, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
  const letters = Array.from(cleaned);
  const isCut = letters.length > mostChars || text.length > mostChars * 4;
  const kept = isCut ? `${letters.slice(0, mostChars - 1).join("")}…` : cleaned;
  // V8 slices keep the whole string in memory; a copy through bytes does not.
  return Buffer.from(kept).toString();
}

export function duration(ms: number): string {
  if (ms < 1) return ms <= 0 ? "0 ms" : "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Returns a number with its noun.
 *
 * @example
 * ```ts
 * count(2, "call"); // "2 calls"
 * ```
 */
export function count(number: number, noun: string): string {
  if (typeof number !== "number") throw wrong('count: "number"', "a number", number);
  required(aString)(noun, 'count: "noun"');
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}])/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;

function widthOf(letter: string): number {
  if (NO_WIDTH.test(letter)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}

/** Cuts the text with `…` or pads it with spaces to exactly `columns` terminal columns. */
export function fit(text: string, columns: number): string {
  const letters = Array.from(text);
  const total = letters.reduce((sum, letter) => sum + widthOf(letter), 0);
  if (total <= columns) return text + " ".repeat(columns - total);
  let used = 0;
  let kept = "";
  for (const letter of letters) {
    if (used + widthOf(letter) > columns - 1) break;
    used += widthOf(letter);
    kept += letter;
  }
  return columns < 1 ? "" : `${kept}…${" ".repeat(columns - 1 - used)}`;
}
