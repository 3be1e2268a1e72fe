/** Matches the tools, or other subjects of an event, that a hook runs for. */

import { type Context, Script, createContext } from "node:vm";
import { messageOf } from "@runahead/base";
import type { Notify } from "./words.ts";

export interface Matcher {
  readonly text: string;
  /** Returns true if one of the names matches, or if there are none. Results of patterns are cached. */
  matches(names: readonly string[]): boolean;
}

interface MatcherOptions {
  readonly text: string;
  /** The result if the pattern cannot be evaluated: true for guards, so that none is skipped. */
  readonly inDoubt: boolean;
  readonly notify: Notify;
}

const EXACT = /^[A-Za-z0-9_ ,|-]*$/;
const PATTERN_LIMIT_MS = 50;

export function createMatcher({ text, inDoubt, notify }: MatcherOptions): Matcher {
  if (text === "" || text === "*") return { text, matches: () => true };
  if (EXACT.test(text)) {
    const wanted = new Set(text.split(/[|,]/).map((name) => name.trim()));
    return { text, matches: (names) => names.length === 0 || names.some((name) => wanted.has(name)) };
  }
  const consequence = inDoubt ? "so the hook runs for everything" : "so the hook does not run";
  const problem = problemOf(text);
  if (problem !== undefined) {
    notify(
      `the matcher ${JSON.stringify(text)} is not a valid regular expression (${problem}), ${consequence}`,
    );
    return { text, matches: () => inDoubt };
  }
  const known = new Map<string, boolean>();
  const test = (name: string): boolean => {
    const found = known.get(name) ?? testPattern(text, name);
    if (found === undefined)
      notify(
        `the matcher ${JSON.stringify(text)} takes too long for ${JSON.stringify(name)}, ${consequence}`,
      );
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

/** Returns undefined if it takes too long. Only a separate script can be stopped during a match. */
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
