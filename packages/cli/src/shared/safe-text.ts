/** Makes text from outside safe for a terminal: it can neither control the terminal (I06) nor hide its content (D18). */

/** Of an unterminated or truncated string sequence, only the introducer is removed. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?`, // CSI
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)`, // OSC, DCS, SOS, PM, APC
    String.raw`\u001b[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Control and bidi characters, separators, lone surrogates, and characters without width. */
const STEERING = [
  String.raw`\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f`,
  String.raw`\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}`,
].join("");
/** More combining marks than this are drawn over the lines above and below. */
const MOST_MARKS = 6;
const PILED_MARK = String.raw`(?<=\p{M}{${MOST_MARKS}})\p{M}`;

/** Matches a character that is invisible or controls the terminal. */
export const UNSEEN_PART = new RegExp(`[${STEERING}]|${PILED_MARK}`, "u");
const UNSEEN = new RegExp(UNSEEN_PART, "gu");
const NOT_PLAIN = new RegExp(
  String.raw`[${STEERING}\p{Cf}\p{Co}\p{Zl}\p{Zp}\ufe00-\ufe0f]|(?! )\p{Zs}|\u2800|${PILED_MARK}`,
  "gu",
);

/** Removes escape sequences and control characters. Keeps line breaks. */
export function strip(text: string): string {
  return text
    .replaceAll(SEQUENCES, "")
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .replaceAll(UNSEEN, (character) => (character === "\n" ? character : ""));
}

/** Keeps only what a terminal would show of a line that overwrites itself, such as a progress bar. */
export function stripLine(line: string): string {
  const drawn = line.replace(/\r+$/, "");
  return strip(drawn.slice(drawn.lastIndexOf("\r") + 1));
}

/** Replaces every character that is invisible, or looks like a space without being one, by its code point. */
export function reveal(text: string): string {
  return text.replaceAll(NOT_PLAIN, (character) => {
    if (character === "\n") return character;
    return character === "\t" ? "\\t" : numbered(character);
  });
}

/**
 * Replaces characters that control a terminal by their code point, for output outside the interactive screen. Keeps
 * spaces, joiners and tabs, which prose and tables need.
 */
export function neutralise(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNSEEN, (character) =>
      character === "\n" || character === "\t" ? character : numbered(character),
    );
}

/** Serialises JSON so that it cannot control a terminal. Every parser reads the same value. */
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
