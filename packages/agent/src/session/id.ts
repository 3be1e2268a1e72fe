/** The rule for session ids. An id becomes a file name, on any operating system. */

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** On Windows, these names open a device instead of a file. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && NAME.test(id) && !DEVICE.test(id);
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Only Runahead creates such ids: a file with this name is a session even if its header is damaged. */
export function isGeneratedId(id: string): boolean {
  return UUID.test(id);
}

/**
 * Throws a TypeError that states the rule, if this is not a valid id of a session.
 *
 * @example
 * ```ts
 * import { checkSessionId } from "@runahead/agent";
 *
 * checkSessionId("order-17"); // valid
 * checkSessionId("../secrets"); // throws a TypeError
 * ```
 */
export function checkSessionId(id: unknown): asserts id is string {
  if (isSessionId(id)) return;
  const shown = (JSON.stringify(id) ?? String(id)).slice(0, 100);
  throw new TypeError(
    `Invalid session id ${shown}. An id has 1 to 64 characters: letters (A-Z, a-z), digits, "-" and "_", ` +
      "starting with a letter or a digit. Names of Windows devices (CON, NUL, COM1, …) are not allowed.",
  );
}

/** An id that is not text is a mistake of the program. Any text can be asked for. */
export function checkIsText(id: unknown): asserts id is string {
  if (typeof id !== "string") checkSessionId(id);
}

/** Ignores case, because some file systems do. */
export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
