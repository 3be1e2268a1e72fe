/** Matchers that could not match as they are written. */

import { didYouMean } from "@runahead/base";
import { equivalentTools, withKnownCase } from "@runahead/permissions/internal";
import { type HookEvent, isAboutCall } from "./event.ts";
import type { Notify } from "./words.ts";

/** Names of tools have no blanks, colons or slashes, so this is a permission rule, not a pattern. */
const RULE = /^([A-Za-z]\w*)\([^()]*[ :/][^()]*\)$/;

/** `Bash(git push *)` is meant as the tool `Bash` with this rule as `if`. */
export function withRule(
  matcher: unknown,
  event: HookEvent,
): { readonly matcher: unknown; readonly rule: string | undefined } {
  const [rule, tool] = (typeof matcher === "string" && isAboutCall(event) && RULE.exec(matcher.trim())) || [];
  return tool === undefined ? { matcher, rule: undefined } : { matcher: tool, rule };
}

/**
 * Says that a matcher matches no tool, so that a guard that never runs is noticed. `tools` are the names that there are;
 * undefined if any is possible.
 */
export function sayNoMatch(text: string, say: Notify, tools?: readonly string[]): void {
  if (/[=&"]/.test(text))
    return say(
      `the matcher ${JSON.stringify(text)} has no effect: it is a pattern for names of tools, and no name matches. Write "matcher": "Bash" and a rule such as "if": "Bash(git push *)"`,
    );
  if (!/^[\w ,|-]*$/.test(text)) return;
  const names = text.split(/[|,]/).map((one) => one.trim());
  for (const name of names) {
    const isServer = /^mcp__(?:(?!__)[\w-])+$/.test(name);
    const instead = isServer ? `${name}__.*` : name === "mcp__" ? "mcp__.*" : withKnownCase(name);
    if (instead !== name) say(`the matcher ${JSON.stringify(name)} has no effect: write ${instead}`);
    else if (tools !== undefined) sayUnknown(name, names, { tools, say });
  }
}

/** A list can name tools of several programs, so that only a misspelled name is reported beside a known one. */
function sayUnknown(
  name: string,
  names: readonly string[],
  { tools, say }: { readonly tools: readonly string[]; readonly say: Notify },
): void {
  const isKnown = (one: string): boolean => one === "" || one.startsWith("mcp__") || tools.includes(one);
  if (isKnown(name)) return;
  const same = equivalentTools(name).filter((one) => tools.includes(one));
  const hint = same.length === 0 ? didYouMean(name, tools) : ` Write ${same.join("|")}`;
  const isMisspelled = same.length === 0 && hint !== "";
  if (!isMisspelled && names.some(isKnown)) return;
  say(
    `the matcher ${JSON.stringify(name)} has no effect: no tool has this name${hint === "" ? "" : `.${hint}`}`,
  );
}
