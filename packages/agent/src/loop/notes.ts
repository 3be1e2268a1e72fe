/** What the loop says in the person's place: words that a model reads, and that no person said. */

export const CUT_OFF =
  "Your last response was cut off by the output limit. Go on from where it stopped, in smaller steps.";
export const EMPTY = "Your last response was empty. Go on, or say that you are done.";
export const INTERRUPTED = "[The person interrupted.]";
export const INTERRUPTED_CALLS = "[The person interrupted while tools were running.]";

const NOTES: ReadonlySet<string> = new Set([CUT_OFF, EMPTY, INTERRUPTED, INTERRUPTED_CALLS]);

export function isNote(text: string): boolean {
  return NOTES.has(text);
}
