/** Recognises failures of the machine, its network or the database, as opposed to those of a session or a request. */

import { codeOf } from "@runahead/base";

/**
 * Whether the machine, its network or the database failed, such as a full disk or a statement that took too long: codes of
 * the system, and the classes of SQLSTATE for connections, resources, operators and the system.
 */
export function isOfMachine(error: unknown): boolean {
  return /^E[A-Z0-9]+$|^(?:08|53|57|58)[0-9A-Z]{3}$/.test(codeOf(error));
}
