/** The mail that a session has taken lately: mail that is posted again, as after a lost reply, has no further effect. */

const MOST = 200;

/** Adds the id of a mail. Anything else changes nothing. */
export function withMail(taken: readonly string[], mail: unknown): readonly string[] {
  if (typeof mail !== "string" || taken.includes(mail)) return taken;
  return [...taken.slice(1 - MOST), mail];
}
