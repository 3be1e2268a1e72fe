/** Which names a session can have. Its id becomes the name of files, on systems of every kind. */

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Windows opens a device instead of a file of this name. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && NAME.test(id) && !DEVICE.test(id);
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A name that only we give: such a file is a session even if its beginning is damaged. */
export function isGeneratedId(id: string): boolean {
  return UUID.test(id);
}

/** Throws a TypeError that names the rule. */
export function checkSessionId(id: unknown): asserts id is string {
  if (isSessionId(id)) return;
  const shown = (JSON.stringify(id) ?? String(id)).slice(0, 100);
  throw new TypeError(
    `${shown} cannot be the id of a session. An id has 1 to 64 characters: letters (A-Z, a-z), digits, "-" and "_", ` +
      "beginning with a letter or a digit. Names of Windows devices (CON, NUL, COM1, …) are not allowed.",
  );
}

/** Ids that differ in case only are one session: some file systems cannot keep them apart. */
export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
