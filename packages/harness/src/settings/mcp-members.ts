/** Members of an MCP server in `.mcp.json` that have no effect. */

import { didYouMean, type Shape } from "@runahead/base";
import type { KeyRemark } from "./known-keys.ts";
import { ADDRESSES } from "./mcp-forms.ts";
import { TOOL_MEMBERS } from "./mcp-tools.ts";

const OF_ALL = ["type", "transport", "timeout", "enabled", "disabled", ...TOOL_MEMBERS];
const OF_PROGRAMS = ["command", "args", "env", "cwd"];
const OF_ADDRESSES = [...ADDRESSES, "headers", "headersHelper", "oauth"];

/** Members of other programs that ask for something that does not happen. */
const NO_EFFECT: Readonly<Record<string, string>> = {
  envFile: "put its variables into env",
  alwaysAllow: "put rules such as mcp__server__tool into permissions.allow of the settings",
  autoApprove: "put rules such as mcp__server__tool into permissions.allow of the settings",
};

/** All members that are read or named, for the docs. */
export const MCP_MEMBERS: readonly string[] = [
  ...OF_ALL,
  ...OF_PROGRAMS,
  ...OF_ADDRESSES,
  ...Object.keys(NO_EFFECT),
];

const REMARK = /^[$_/]|^(?:description|name|title|category|comment|notes?|icon)$/;

/** Says what does not happen. A member that is not known, and not close to one that is, is only a note. */
export function unusedMembers(entry: Shape): readonly KeyRemark[] {
  const known = [...OF_ALL, ...ofTransport(entry)];
  return Object.keys(entry).flatMap((name): KeyRemark[] => {
    if ((entry[name] ?? null) === null || known.includes(name) || REMARK.test(name)) return [];
    const why = Object.hasOwn(NO_EFFECT, name) ? NO_EFFECT[name] : undefined;
    if (why !== undefined) return [{ severity: "warning", words: `${name} has no effect: ${why}` }];
    const hint = didYouMean(name, known);
    if (hint === "") return [{ severity: "note", words: `${name} has no effect` }];
    return [{ severity: "warning", words: `${name} has no effect.${hint}` }];
  });
}

/** Of an entry with neither a command nor an address, one of the two is probably misspelled. */
function ofTransport(entry: Shape): readonly string[] {
  if (entry["command"] !== undefined) return OF_PROGRAMS;
  const hasAddress = ADDRESSES.some((name) => entry[name] !== undefined);
  return hasAddress ? OF_ADDRESSES : [...OF_PROGRAMS, ...OF_ADDRESSES];
}
