/**
 * `mcp__server__tool`, in the characters and the length that model APIs accept. A server's part never contains two
 * underscores in a row or one at an end, so that a rule for one server cannot match a tool of another.
 */

import { aString, required } from "@runahead/base";
import { hash } from "./fingerprint.ts";

const MOST_CHARS = 64;
const SERVER_CHARS = 32;
const HASH_CHARS = 8;

export function serverPart(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9-]+/g, "_").replaceAll(/^_+|_+$/g, "");
  if (clean !== "" && clean.length <= SERVER_CHARS) return clean;
  return `${clean.slice(0, SERVER_CHARS - HASH_CHARS - 1)}-${short(name)}`;
}

/** The place that calls of a server claim. */
export function serverPlace(name: string): string {
  return `mcp:/${serverPart(name)}`;
}

export interface OfferedName {
  readonly name: string;
  /** Whether the plain name was too long or taken. */
  readonly isOther: boolean;
}

/** Maps the server's names to the offered ones. A name that needs no change is never given to another tool. */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, OfferedName> {
  const names = new Map<string, OfferedName>();
  const taken = new Set<string>();
  const prefix = `mcp__${serverPart(server)}__`;
  const exactFirst = tools.toSorted((one, other) => Number(isExact(other)) - Number(isExact(one)));
  for (const tool of new Set(exactFirst)) {
    const plain = `${prefix}${tool.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
    const fits = tool !== "" && plain.length <= MOST_CHARS && !taken.has(plain);
    const name = fits ? plain : `${plain.slice(0, MOST_CHARS - HASH_CHARS - 1)}-${short(tool)}`;
    taken.add(name);
    names.set(tool, { name, isOther: !fits });
  }
  return names;
}

/**
 * Returns the name that the model sees for a tool of a server, unless another tool of the server took it.
 *
 * @example
 * ```ts
 * console.log(mcpToolName("my files", "read")); // mcp__my_files__read
 * ```
 */
export function mcpToolName(server: string, tool: string): string {
  required(aString)(server, 'mcpToolName: "server"');
  required(aString)(tool, 'mcpToolName: "tool"');
  return toolNames(server, [tool]).get(tool)?.name ?? tool;
}

function isExact(tool: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(tool);
}

function short(text: string): string {
  return hash(text).slice(0, HASH_CHARS);
}
