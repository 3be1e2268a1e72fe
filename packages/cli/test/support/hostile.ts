/** Texts that steer a terminal, or hide what they say, as a model, a repository or a server could send them. */

export const HOSTILE: readonly string[] = [
  "\u001b[2J\u001b[H\u001b[31mgone",
  "\u001b[1A\u001b[2Kabove",
  "\u001b[8mconcealed\u001b[28m",
  "\u001b[30;40mblack on black",
  "\u001b[38;2;0;0;0;48;2;0;0;0mtrue black",
  "\u001b[1;8;31mamong others",
  "\u001b]0;title\u0007",
  "\u001b]8;;http://example.com\u001b\\link\u001b]8;;\u001b\\",
  "\u001b]52;c;ZWNobyBoaQ==\u0007",
  "\u001b]unterminated",
  "\u001bP1$r\u001b\\\u001bPq#0;2;0;0;0\u001b\\",
  "\u001b_Gf=100;AAAA\u001b\\\u001b_pi:c\u0007",
  "\u001b^private\u001b\\\u001bXstring\u001b\\",
  "\u001bc\u001b7\u001b8\u001bM\u001b(0\u001b#8",
  "\u001b[?1049h\u001b[?25l\u001b[6n\u001b[c\u001b[5i",
  "\u009b2J\u009d0;title\u009c\u0090q\u009c\u0085next",
  "\u001b\u001b[1mtwice\u001b",
  "\u001b[38;5",
  "a\u001b[3\n1mb",
  "over\rwritten\b\b\b\u000b\u000c\u0007\u0000\u007f",
  "\u202eright to left\u202c\u2066isolate\u2069\u200f\u061c",
  "line\u2028para\u2029graph",
  "zero\u200bwidth\ufeff\u2060\u00ad\u034f\u3164",
  "tags\u{e0001}\u{e0068}\u{e0069}\u{e007f}",
  `zalgo${"\u0301\u0489".repeat(200)}`,
  "lone \ud800 surrogate \udc00",
  Buffer.from([0x70, 0xc3, 0x28, 0xe2, 0x82, 0xf0, 0x9f]).toString("utf8"),
  "👩‍👩‍👧‍👦".repeat(60),
  "漢".repeat(500),
  `${"x".repeat(5_000)}\u001b[2J`,
];

/** What our own screen writes: styles, the moves of its live region, and the question for its row after a frame. */
const OWN =
  // oxlint-disable-next-line no-control-regex -- what is looked for
  /\u001b\[(?:\?2026l|16t)\u001b\[6n|\u001b\[(?:\?(?:2026|7|25|1049|2004)[hl]|\d+;1H|>?c|16t|J|C|2K|K|\d+G|\d+[ABLM]|(?:[0123479]|2[2349]|(?:3|9)[1-69])(?:;(?:[0123479]|2[2349]|(?:3|9)[1-69]))*m)|\u001b\]0;runahead · [^\p{Cc}]*\u0007|\u001b\[2[23];0t|\r\n|\r/gu;
const STEERS =
  /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]|\p{M}{7}/u;

/** What of a text written to the terminal would steer it and is not ours. */
export function steeringIn(written: string): string | undefined {
  return STEERS.exec(written.replaceAll(OWN, ""))?.[0];
}
