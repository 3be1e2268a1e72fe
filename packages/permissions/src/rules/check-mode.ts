/** Checks a permission mode that a caller passes in. */

import { type Check, aString, unknownName } from "@runahead/base";
import { PERMISSION_MODES, permissionMode } from "./modes.ts";

/** Accepts a mode, or a name that other programs use for one. */
export const aModeName: Check = (value, what) => {
  aString(value, what);
  if (value === undefined || permissionMode(value as string) !== undefined) return;
  const name = value as string;
  throw new TypeError(unknownName({ what: "permission mode", name, known: PERMISSION_MODES, list: "Modes" }));
};
