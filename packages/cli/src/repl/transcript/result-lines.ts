/** The result of a call in a few lines. */

import { homedir } from "node:os";
import { extname } from "node:path";
import type { Markdown } from "@earendil-works/pi-tui";
import type { AgentEvent } from "@runahead/harness";
import { type ChangedFile, changedFile } from "../../shared/outputs.ts";
import { revisionComment } from "../../shared/live/question.ts";
import { strip, stripLine } from "../../shared/safe-text.ts";
import { languageOf, paintLine } from "../screen/highlight.ts";
import { imageLine } from "../screen/images.ts";
import { wholeMarkdown } from "../screen/markdown.ts";
import { dim, red } from "../screen/style.ts";
import {
  PLAN_TOOL,
  counted,
  duration,
  homePath,
  membersOf,
  oneLine,
  relativePaths,
} from "../../shared/words.ts";
import { diffLines } from "./diff-lines.ts";
import { imageWords, inlineImage } from "./image-words.ts";

const SHOWN_LINES = 4;
const SHOWN_DIFF_LINES = 30;
const SHOWN_PLAN_ROWS = 30;
/** Ctrl+O shows at most this many lines. */
const MOST_WHOLE_LINES = 5_000;
/** A diff with more added lines has no colours of code, which take about a millisecond per line. */
const MOST_PAINTED_LINES = 300;
/** Tools whose results are long and only interest the model. Their lines are counted, not shown. */
const COUNTED = new Set(["Read", "Glob", "Grep", "WebFetch"]);

export type Settled = Pick<Extract<AgentEvent, { type: "call-settled" }>, "toolName" | "outcome" | "output">;
type Outcome = Settled["outcome"];
type ResultContent = Extract<Outcome, { type: "succeeded" }>["content"];

/** Paths below the folder are relative to it; default: no folder. */
export function resultLines({ toolName, outcome, output }: Settled, folder = ""): string[] {
  switch (outcome.type) {
    case "succeeded": {
      const changed = changedFile(output);
      if (changed !== undefined) return changeLines(changed, SHOWN_DIFF_LINES);
      const answered = answerLines(output);
      if (answered !== undefined) return answered;
      if (toolName === PLAN_TOOL) return planLines(output, textOf(outcome.content)).map(dim);
      if (COUNTED.has(toolName)) return [dim(countWords(outcome.content, output))];
      return folded(linesOf(textOf(outcome.content).replace(EPILOGUE, ""))).map(dim);
    }
    case "failed":
      return folded(linesOf(relativePaths(outcome.message, toolName === "Bash" ? "" : folder))).map(red);
    case "denied":
      return [dim(oneLine(relativePaths(deniedWords(outcome), folder)))];
    case "aborted":
      return stoppedLines(outcome);
  }
}

function deniedWords({ by, reason }: { readonly by: string; readonly reason: string }): string {
  const comment = revisionComment(reason);
  if (comment !== undefined) return `to be revised: ${comment}`;
  return `denied by ${by}${reason.trim() === "" ? "" : `: ${reason}`}`;
}

/** What only the model needs to know about a sub-agent. */
const EPILOGUE = /\n+\[agent-\d+: to continue it with its context, use SendMessage\.\]\s*$/;

/** Where the output of a stopped command is. The path is long, and Ctrl+O shows the output. */
const SAVED = /\n*^\(The full output is in .*\.\)$/m;

/** The user's answers to the model's questions, a line for each. */
function answerLines(output: unknown): string[] | undefined {
  const { questions, answers } = membersOf(output);
  const { type, answers: given } = membersOf(answers);
  if (!Array.isArray(questions) || type !== "answered" || !Array.isArray(given)) return undefined;
  return questions.map((one: unknown, at) => {
    const { header, question } = membersOf(one);
    const { labels, text } = membersOf(given[at]);
    const words = Array.isArray(labels) ? labels.join(", ") : typeof text === "string" ? text : "";
    const name = oneLine(
      [header, question].find((word): word is string => typeof word === "string" && word !== "") ?? "",
    );
    const mark = /[?!.:\u2026]$/.test(name) ? "" : ":";
    return `${dim(`${name}${mark}`)} ${words === "" ? dim("no answer") : oneLine(words)}`;
  });
}

/** The images of a result, where the terminal draws them. */
export function imageLines({ outcome }: Settled): string[] {
  if (outcome.type !== "succeeded" || typeof outcome.content === "string") return [];
  return outcome.content.flatMap((block) => {
    const image = inlineImage(block);
    return image === undefined ? [] : (imageLine(image) ?? []);
  });
}

function stoppedLines({ effect, ranMs, output }: Extract<Outcome, { type: "aborted" }>): string[] {
  if (effect === "none") return [dim("not run")];
  return [dim(`stopped after ${duration(ranMs)}`), ...folded(linesOf(output.replace(SAVED, ""))).map(dim)];
}

/** The whole result, for Ctrl+O. */
export function wholeLines({ outcome, output }: Settled): string[] {
  switch (outcome.type) {
    case "succeeded": {
      const changed = changedFile(output);
      return bounded(
        changed === undefined ? linesOf(textOf(outcome.content)) : changeLines(changed, MOST_WHOLE_LINES),
      );
    }
    case "failed":
      return bounded(linesOf(outcome.message));
    case "denied":
      return bounded(linesOf(deniedWords(outcome)));
    case "aborted":
      return bounded(linesOf(outcome.output));
  }
}

function changeLines({ path, diff }: ChangedFile, most: number): string[] {
  const language = languageOf(extname(path).slice(1));
  const isLong = diff.type === "hunks" && diff.added > MOST_PAINTED_LINES;
  const paint = language === undefined || isLong ? undefined : (code: string) => paintLine(code, language);
  return diffLines(diff, { most, paint });
}

function bounded(lines: string[]): string[] {
  const more = lines.length - MOST_WHOLE_LINES;
  return more > 0 ? [`… ${counted(more, "earlier line")}`, ...lines.slice(more)] : lines;
}

/** How much a call returned that only interests the model. */
function countWords(content: ResultContent, output: unknown): string {
  const { lines, files, total, pages, unit } = membersOf(output);
  const images = typeof content === "string" ? [] : content.filter(({ type }) => type === "image");
  if (images.length > 0) return images.map(imageWords).join(", ");
  if (Array.isArray(pages)) return counted(pages.length, "page");
  if (Array.isArray(files) && typeof total === "number") return counted(total, "file");
  if (typeof total === "number" && typeof unit === "string") return counted(total, unit.replace(/s$/, ""));
  if (Array.isArray(lines)) return counted(lines.length, "line");
  return counted(linesOf(textOf(content)).length, "line");
}

/** The last lines. If there are more, the first line says how many and how to see them. */
function folded(lines: readonly string[]): string[] {
  const [first = "", ...rest] = lastLines(lines);
  if (lines.length <= SHOWN_LINES) return first === "" && rest.length === 0 ? [] : [first, ...rest];
  return [`${first} (Ctrl+O to open)`, ...rest];
}

/** Where the approved plan is kept. */
function planLines(output: unknown, text: string): string[] {
  const { plan, path } = membersOf(output);
  if (typeof plan !== "string") return folded(linesOf(text));
  return typeof path === "string"
    ? [`approved, saved in ${oneLine(homePath(path, homedir()))}`]
    : ["approved, not saved"];
}

/** The approved plan as it was read in the question; undefined if the call presented none. It keeps its rows for a width. */
export function planOf({ toolName, outcome, output }: Settled): Markdown | undefined {
  const { plan } = membersOf(output);
  if (toolName !== PLAN_TOOL || outcome.type !== "succeeded" || typeof plan !== "string") return undefined;
  const drawn = wholeMarkdown();
  drawn.setText(strip(plan).trim());
  return drawn;
}

/** If the plan is long, the last row says how to see the rest. */
export function planRows(plan: Markdown, width: number): readonly string[] {
  const rows = plan.render(width).map((row) => row.trimEnd());
  const more = rows.length - SHOWN_PLAN_ROWS;
  if (more <= 0) return rows;
  return [...rows.slice(0, SHOWN_PLAN_ROWS), dim(`… ${counted(more, "more line")} (Ctrl+O to open)`)];
}

/** The note of the Bash tool in place of the middle of a long output. */
const LEFT_OUT = /^\[\u2026 lines [\d,]+\u2013[\d,]+ of ([\d,]+) left out\./;
const UNCOUNTED = /^\[\u2026 about [\d,]+ of [\d,]+ (?:bytes|characters) left out\./;

/** How many lines there were, also if the result has only the first and the last of them. */
function totalOf(lines: readonly string[]): number | undefined {
  if (lines.some((line) => UNCOUNTED.test(line))) return undefined;
  const note = lines.findLast((line) => LEFT_OUT.test(line)) ?? "";
  const total = LEFT_OUT.exec(note)?.[1];
  return total === undefined ? lines.length : Number(total.replaceAll(",", ""));
}

export function linesOf(text: string): string[] {
  return text.replace(/\n+$/, "").split("\n").map(stripLine);
}

export function lastLines(lines: readonly string[], most = SHOWN_LINES): string[] {
  if (lines.length === 1 && lines[0] === "") return [];
  if (lines.length <= most) return [...lines];
  const total = totalOf(lines);
  const words = total === undefined ? "earlier output" : counted(total - most, "earlier line");
  return [`… ${words}`, ...lines.slice(-most)];
}

function textOf(content: ResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : imageWords(block))).join("\n");
}
