/** Values of settings that are written in another form than documented, but whose meaning is clear. */

import { isShape } from "@runahead/base";
import { PERMISSION_MODES } from "@runahead/permissions";
import { isText } from "./shown.ts";
import { USED } from "./known-keys.ts";

/** The value in the documented form: `"true"` for a flag, `"30"` for a number, one text for a list. */
export function meantValue(key: string, value: unknown): unknown {
  if (key === "enabledPlugins" && Array.isArray(value) && value.every(isText))
    return Object.fromEntries(value.map((name) => [name, true]));
  if ((key === "statusLine" || key === "fileSuggestion") && isText(value))
    return { type: "command", command: value };
  if (!isText(value)) return value;
  switch (USED[key]) {
    case "flag":
      return /^(?:true|false)$/i.test(value) ? value.toLowerCase() === "true" : value;
    case "number":
      return /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value;
    case "texts":
      return [value];
    default:
      return value;
  }
}

/** The mode whose name differs only in case and separators: `accept-edits`. */
export function meantMode(value: string): string {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, "");
  return PERMISSION_MODES.find((mode) => plain(mode) === plain(value)) ?? value;
}

/** The groups of hooks of an event: one group, one hook or one command stand for a list. */
export function meantGroups(value: unknown): unknown {
  if (isText(value)) return [{ hooks: [{ type: "command", command: value }] }];
  const isGroup =
    isShape(value) && ["hooks", "command", "prompt", "url", "tool"].some((name) => name in value);
  return isGroup ? [value] : value;
}
