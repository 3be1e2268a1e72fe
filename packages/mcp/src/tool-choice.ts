/** Which tools of a server are offered: what the entry of the server says about them. */

import { matchesStars } from "@runahead/base";
import type { ListedTool } from "./server.ts";

/** Restricts the tools of a server. Names are those of the server; `*` stands for any characters. */
export interface McpToolChoice {
  /** The only tools that are offered. Default: all. */
  readonly only?: readonly string[];
  /** Tools that are not offered; wins over `only`. Default: none. */
  readonly without?: readonly string[];
  /** Tools that need approval for every call, whatever the rules allow: see `alwaysAsks`. Default: none. */
  readonly ask?: readonly string[];
}

/** Returns the tools that the choice offers. */
export function chosenTools(
  listed: readonly ListedTool[],
  { only, without = [] }: McpToolChoice,
): readonly ListedTool[] {
  return listed.filter(({ name }) => (only === undefined || isNamed(only, name)) && !isNamed(without, name));
}

/** Returns the names of a choice that no tool has, because a misspelled restriction restricts nothing. */
export function unknownNames(listed: readonly ListedTool[], choice: McpToolChoice): readonly string[] {
  const { only = [], without = [], ask = [] } = choice;
  const isKnown = (pattern: string): boolean => listed.some(({ name }) => matchesStars(pattern, name));
  return [...new Set([...only, ...without, ...ask])].filter((name) => !name.includes("*") && !isKnown(name));
}

/** Whether every call of a tool needs approval. */
export function isAsked({ name }: ListedTool, { ask = [] }: McpToolChoice): boolean {
  return isNamed(ask, name);
}

function isNamed(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesStars(pattern, name));
}

/** Whether the server says that a tool is never, or always, left to a search. */
export function listedLoading({ whole }: ListedTool): boolean | undefined {
  const meta = whole["_meta"];
  const value =
    typeof meta === "object" && meta !== null
      ? (meta as Readonly<Record<string, unknown>>)["anthropic/alwaysLoad"]
      : undefined;
  return typeof value === "boolean" ? value : undefined;
}
