/** The result of a call in a few lines. */

import type { AgentEvent, FileDiff } from "@runahead/harness";
import { changedFile } from "../../shared/outputs.ts";
import { stripLine } from "../../shared/safe-text.ts";
import { dim, green, red } from "../screen/style.ts";
import { duration, oneLine, plural } from "../../shared/words.ts";

const SHOWN_LINES = 4;
const SHOWN_DIFF_LINES = 30;
/** Ctrl+O shows at most this many lines. */
const MOST_WHOLE_LINES = 5_000;
/** Tools whose results are long and only interest the model. Their lines are counted, not shown. */
const COUNTED = new Set(["Read", "Glob", "Grep", "WebFetch"]);

export type Settled = Pick<Extract<AgentEvent, { type: "call-settled" }>, "toolName" | "outcome" | "output">;
type Outcome = Settled["outcome"];
type ResultContent = Extract<Outcome, { type: "succeeded" }>["content"];

export function resultLines({ toolName, outcome, output }: Settled): string[] {
  switch (outcome.type) {
    case "succeeded": {
      const diff = changedFile(output)?.diff;
      if (diff !== undefined) return diffLines(diff);
      const lines = linesOf(textOf(outcome.content));
      if (COUNTED.has(toolName)) return [dim(plural(lines.length, "line"))];
      return folded(lines).map(dim);
    }
    case "failed":
      return folded(linesOf(outcome.message)).map(red);
    case "denied":
      return [dim(oneLine(`denied by ${outcome.by}. ${outcome.reason}`))];
    case "aborted":
      return stoppedLines(outcome);
  }
}

function stoppedLines({ effect, ranMs, output }: Extract<Outcome, { type: "aborted" }>): string[] {
  if (effect === "none") return [dim("not run")];
  return [dim(`stopped after ${duration(ranMs)}`), ...folded(linesOf(output)).map(dim)];
}

/** The whole result, for Ctrl+O. */
export function wholeLines({ outcome, output }: Settled): string[] {
  switch (outcome.type) {
    case "succeeded": {
      const diff = changedFile(output)?.diff;
      return bounded(
        diff === undefined ? linesOf(textOf(outcome.content)) : diffLines(diff, MOST_WHOLE_LINES),
      );
    }
    case "failed":
      return bounded(linesOf(outcome.message));
    case "denied":
      return bounded(linesOf(`denied by ${outcome.by}. ${outcome.reason}`));
    case "aborted":
      return bounded(linesOf(outcome.output));
  }
}

function bounded(lines: string[]): string[] {
  const more = lines.length - MOST_WHOLE_LINES;
  return more > 0 ? [`… ${plural(more, "earlier line")}`, ...lines.slice(more)] : lines;
}

/** The last lines. If there are more, the first line says how to see them. */
function folded(lines: readonly string[]): string[] {
  const [first = "", ...rest] = lastLines(lines);
  if (lines.length <= SHOWN_LINES) return first === "" && rest.length === 0 ? [] : [first, ...rest];
  return [`${first} (Ctrl+O to open)`, ...rest];
}

export function linesOf(text: string): string[] {
  return text.replace(/\n+$/, "").split("\n").map(stripLine);
}

export function lastLines(lines: readonly string[], most = SHOWN_LINES): string[] {
  if (lines.length === 1 && lines[0] === "") return [];
  if (lines.length <= most) return [...lines];
  return [`… ${plural(lines.length - most, "earlier line")}`, ...lines.slice(-most)];
}

function textOf(content: ResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** Numbers lines as in the new file, and removed lines as in the old one. */
function diffLines(diff: FileDiff, most = SHOWN_DIFF_LINES): string[] {
  if (diff.type === "left-out") return [dim("(too different to compare)")];
  const all = diff.hunks.flatMap(({ oldStart, newStart, lines }) => {
    let before = oldStart;
    let after = newStart;
    return lines.map((line) => {
      const number = line.startsWith("-") ? before : after;
      if (!line.startsWith("+")) before++;
      if (!line.startsWith("-")) after++;
      return painted(line, String(number).padStart(4));
    });
  });
  const more = all.length - most;
  const shown =
    more > 1 ? [...all.slice(0, most), dim(`… ${plural(more, "more line")} (Ctrl+O to open)`)] : all;
  return [dim(`+${diff.added} −${diff.removed} lines`), ...shown];
}

function painted(line: string, number: string): string {
  const text = `${number} ${line.slice(0, 1)} ${stripLine(line.slice(1))}`;
  if (line.startsWith("+")) return green(text);
  return line.startsWith("-") ? red(text) : dim(text);
}
