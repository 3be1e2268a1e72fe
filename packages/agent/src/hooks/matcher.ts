/** Which tools, or other subjects of an event, a hook wants to see. */

import { type Context, Script, createContext } from "node:vm";
import { messageOf } from "@runahead/base";
import type { Tell } from "./words.ts";

export interface Matcher {
  readonly text: string;
  /** Quick: what a pattern says of a name is remembered. Whatever has no name is matched by all. */
  matches(names: readonly string[]): boolean;
}

interface MatcherOptions {
  readonly text: string;
  /** What is said of a name when the pattern cannot say it: true for guards, so that none is passed by. */
  readonly inDoubt: boolean;
  readonly tell: Tell;
}

const EXACT = /^[A-Za-z0-9_ ,|-]*$/;
const PATTERN_LIMIT_MS = 50;

export function createMatcher({ text, inDoubt, tell }: MatcherOptions): Matcher {
  if (text === "" || text === "*") return { text, matches: () => true };
  if (EXACT.test(text)) {
    const wanted = new Set(text.split(/[|,]/).map((name) => name.trim()));
    return { text, matches: (names) => names.length === 0 || names.some((name) => wanted.has(name)) };
  }
  const consequence = inDoubt ? "so the hook runs for all" : "so the hook does not run";
  const problem = problemOf(text);
  if (problem !== undefined) {
    tell(`the matcher ${JSON.stringify(text)} is not a regular expression (${problem}), ${consequence}`);
    return { text, matches: () => inDoubt };
  }
  const known = new Map<string, boolean>();
  const test = (name: string): boolean => {
    const found = known.get(name) ?? testPattern(text, name);
    if (found === undefined)
      tell(`the matcher ${JSON.stringify(text)} takes too long for ${JSON.stringify(name)}, ${consequence}`);
    known.set(name, found ?? inDoubt);
    return found ?? inDoubt;
  };
  return { text, matches: (names) => names.length === 0 || names.some(test) };
}

function problemOf(pattern: string): string | undefined {
  try {
    void new RegExp(pattern);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

let sandbox: { readonly context: Context; readonly script: Script } | undefined;

/** Undefined where it takes too long: only a script of its own can be stopped while it looks for a match. */
function testPattern(pattern: string, name: string): boolean | undefined {
  sandbox ??= { context: createContext({}), script: new Script("new RegExp(pattern).test(name)") };
  const { context, script } = sandbox;
  Object.assign(context, { pattern, name });
  try {
    return script.runInContext(context, { timeout: PATTERN_LIMIT_MS }) === true;
  } catch {
    return undefined;
  }
}
