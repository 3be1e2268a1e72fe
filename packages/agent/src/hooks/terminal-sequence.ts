/** Control sequences of hooks that the terminal can get: notifications, titles and the bell. */

/** OSC 0, 1 and 2 set titles; 9, 99 and 777 are notifications. Everything else could steer the terminal. */
const HARMLESS = new RegExp(
  String.raw`\u001b\](?:0|1|2|9|99|777);[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\)|\u0007`,
  "g",
);
const MOST_CHARS = 2_000;

/** Returns the harmless sequences of a text, without the rest. */
export function harmlessSequences(text: string): string {
  return text.length > MOST_CHARS ? "" : (text.match(HARMLESS) ?? []).join("");
}
