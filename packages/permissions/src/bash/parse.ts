/** The bash grammar, loaded on first use. */

import { createRequire } from "node:module";
import type * as Grammar from "unbash";

/** Above this length parsing is no longer linear, and nobody reads the question. */
const MAX_COMMAND_CHARS = 10_000;

let grammar: typeof Grammar | undefined;

/** Loads the grammar in advance; otherwise it is loaded on first use. */
export function loadGrammar(): typeof Grammar {
  // Loading takes 13 to 40 ms, which a start without a shell command should not cost, and a synchronous verdict cannot wait for a promise. Node 20.19 and later can require an ES module.
  grammar ??= createRequire(import.meta.url)("unbash") as typeof Grammar;
  return grammar;
}

/** With more brackets, parsing takes too long for a verdict. */
const MAX_BRACKETS = 400;

/** The syntax tree of a command, or why there is none. */
export type Parsed =
  /** The tree of the package `unbash`. Syntax errors are in `script.errors`. */
  | {
      readonly type: "script";
      /** The syntax tree. */
      readonly script: Grammar.ParsedScript;
    }
  /** Too long, too deeply nested, or not text that a shell can read. */
  | {
      readonly type: "unreadable";
      /** Why it cannot be parsed. */
      readonly why: string;
    };

/**
 * Parses a shell command into its syntax tree. Never throws: a text that is longer than 10,000 characters, contains a
 * NUL character or has too many brackets is `unreadable`.
 *
 * @example
 * ```ts
 * const parsed = parseShell("git status | head");
 * if (parsed.type === "script") console.log(parsed.script.commands.length); // 1
 * ```
 */
export function parseShell(source: string): Parsed {
  if (typeof source !== "string") return { type: "unreadable", why: "it is not text" };
  if (source.length > MAX_COMMAND_CHARS)
    return { type: "unreadable", why: `it is longer than ${MAX_COMMAND_CHARS} characters` };
  if (source.includes("\0")) return { type: "unreadable", why: "it contains a NUL character" };
  if ((source.match(/[({[`]/g)?.length ?? 0) > MAX_BRACKETS)
    return { type: "unreadable", why: "it has too many brackets" };
  try {
    return { type: "script", script: loadGrammar().parse(source) };
  } catch {
    return { type: "unreadable", why: "it could not be parsed" };
  }
}
