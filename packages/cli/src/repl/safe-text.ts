/** Text from outside, for a terminal: it must neither steer the terminal (I06) nor hide what it says (D18). */

/** One that is cut off hides nothing but itself. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?`, // CSI
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?`, // OSC and its like
    String.raw`\u001b[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);
/** Whether something of a name is not seen, or steers. */
export const UNSEEN_PART = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/u;
const UNSEEN = new RegExp(UNSEEN_PART, "gu");
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u115f\u1160\u3164\uffa0]/gu;

/** Without sequences and control characters; lines stay lines. */
export function strip(text: string): string {
  return text
    .replaceAll(SEQUENCES, "")
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .replaceAll(UNSEEN, (character) => (character === "\n" ? character : ""));
}

/** The last of what a line was overwritten with, as a terminal shows a progress bar. */
export function stripLine(line: string): string {
  const drawn = line.replace(/\r+$/, "");
  return strip(drawn.slice(drawn.lastIndexOf("\r") + 1));
}

/** Every character that is not seen, or looks like a blank and is none, by its number. */
export function reveal(text: string): string {
  return text.replaceAll(NOT_PLAIN, (character) => {
    if (character === "\n") return character;
    if (character === "\t") return "\\t";
    if (character === "\r") return "\\r";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
