/** A command that prints `{"async": true}` first continues in the background. */

import { type Shape, isShape } from "@runahead/base";
import { LONGEST_LIMIT_MS } from "./event.ts";

/** What a command printed to continue in the background. */
export interface BackgroundRequest {
  /** Its text, which is not part of the answer. */
  readonly text: string;
  /** Its own time limit, from now on. */
  readonly limitMs: number | undefined;
}

/** Longer output is an answer. This also keeps the number of attempts to parse it small. */
const MAX_CHARS = 1_000;

/** An object with other members is an answer, because it may deny something. */
const MEMBERS: ReadonlySet<string> = new Set(["async", "asyncTimeout", "suppressOutput"]);

/** Returns undefined if the output does not begin with such a request, or not yet. */
export function backgroundRequest(output: string): BackgroundRequest | undefined {
  const [line = ""] = output.trimStart().split("\n", 1);
  return requestIn(line) ?? requestIn(output.trimStart());
}

function requestIn(text: string): BackgroundRequest | undefined {
  if (!text.startsWith("{") || text.length > MAX_CHARS) return undefined;
  const answer = parsed(text);
  if (answer?.["async"] !== true || Object.keys(answer).some((name) => !MEMBERS.has(name))) return undefined;
  return { text, limitMs: limitOf(answer["asyncTimeout"]) };
}

function limitOf(timeout: unknown): number | undefined {
  return typeof timeout === "number" && timeout > 0 ? Math.min(timeout, LONGEST_LIMIT_MS) : undefined;
}

function parsed(text: string): Shape | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isShape(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
