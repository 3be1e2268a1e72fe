/** Matchers that could not match as they are written. */

import { withKnownCase } from "@runahead/permissions/internal";
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

/** Says that a matcher matches no tool, so that a guard that never runs is noticed. */
export function sayNoMatch(text: string, say: Notify): void {
  if (/[=&"]/.test(text))
    return say(
      `the matcher ${JSON.stringify(text)} has no effect: it is a pattern for names of tools, and no name matches. Write "matcher": "Bash" and a rule such as "if": "Bash(git push *)"`,
    );
  if (!/^[\w ,|-]*$/.test(text)) return;
  for (const name of text.split(/[|,]/).map((one) => one.trim())) {
    const isServer = /^mcp__(?:(?!__)[\w-])+$/.test(name);
    const instead = isServer ? `${name}__.*` : name === "mcp__" ? "mcp__.*" : withKnownCase(name);
    if (instead !== name) say(`the matcher ${JSON.stringify(name)} has no effect: write ${instead}`);
  }
}
