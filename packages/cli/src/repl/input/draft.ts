/** What an edit will change, shown from the first piece of its input until it is done. */

import { stripLine } from "../../shared/safe-text.ts";
import { dim, green, red } from "../screen/style.ts";
import { plural } from "../../shared/words.ts";

const SHOWN_LINES = 8;
/** Only the end of a text is read, because that is where it grows. */
const MOST_CHARS = 4_000;

const GONE = ["old_string"];
const COME = ["new_string", "content", "new_source"];
const TOOLS = new Set(["Edit", "Write", "NotebookEdit"]);

/** Returns no lines if the call changes no file, or if the change is not known yet. */
export function draftLines(toolName: string, input: unknown): string[] {
  if (!TOOLS.has(toolName) || typeof input !== "object" || input === null) return [];
  const texts = (names: readonly string[]): string[] =>
    names.flatMap((name) => {
      const text: unknown = (input as Record<string, unknown>)[name];
      return typeof text === "string" && text !== "" ? [text] : [];
    });
  const gone = texts(GONE).flatMap(lastOf);
  const come = texts(COME).flatMap(lastOf);
  const count = [...texts(GONE), ...texts(COME)].reduce((sum, text) => sum + linesIn(text), 0);
  const lines = [...gone.map((line) => red(`- ${line}`)), ...come.map((line) => green(`+ ${line}`))];
  const shown = lines.slice(-SHOWN_LINES);
  const more = count - shown.length;
  return more > 0 ? [dim(`… ${plural(more, "earlier line")}`), ...shown] : shown;
}

function lastOf(text: string): string[] {
  return text.slice(-MOST_CHARS).replace(/\n$/, "").split("\n").slice(-SHOWN_LINES).map(stripLine);
}

function linesIn(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}
