/** Text from outside, for a terminal: it must neither steer the terminal (I06) nor hide what it says (D18). */

/** A string sequence that does not end, and one that is cut off, hide nothing but their introducer. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?`, // CSI
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)`, // OSC, DCS, SOS, PM, APC
    String.raw`\u001b[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Control and bidi characters, separators, lone surrogates, and what has no width although it is there. */
const STEERING = [
  String.raw`\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f`,
  String.raw`\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}`,
].join("");
/** Combining marks are drawn over the lines above and below when there are many of them. */
const MOST_MARKS = 6;
const PILED_MARK = String.raw`(?<=\p{M}{${MOST_MARKS}})\p{M}`;

/** Whether a name has a character in it that is not seen, or that steers. */
export const UNSEEN_PART = new RegExp(`[${STEERING}]|${PILED_MARK}`, "u");
const UNSEEN = new RegExp(UNSEEN_PART, "gu");
const NOT_PLAIN = new RegExp(
  String.raw`[${STEERING}\p{Cf}\p{Co}\p{Zl}\p{Zp}\ufe00-\ufe0f]|(?! )\p{Zs}|\u2800|${PILED_MARK}`,
  "gu",
);

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
    return character === "\t" ? "\\t" : numbered(character);
  });
}

/**
 * For output that is not drawn on a screen of ours: what steers a terminal is shown by its number. Blanks, joiners and
 * tabs stay, since prose and tables have them.
 */
export function neutralise(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNSEEN, (character) =>
      character === "\n" || character === "\t" ? character : numbered(character),
    );
}

/** JSON that does not steer a terminal, and that means the same to every parser. */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent) ?? "null";
  return text.replaceAll(UNSEEN, (characters) => {
    if (characters === "\n") return characters;
    const units = Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

function numbered(character: string): string {
  if (character === "\r") return "\\r";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
