/** Renders a timeline as lines for a terminal. */

import { checkTimeline } from "./model.ts";
import type { CallOutcome, Timeline } from "./model.ts";
import type { SegmentKind } from "./row-parts.ts";
import { type Row, rowsOf } from "./rows.ts";
import { type Summary, allSavings, summarise } from "./savings.ts";
import { count, duration, fit } from "./words.ts";

const LETTERS: Readonly<Record<SegmentKind, string>> = {
  request: "░",
  stream: "▒",
  results: " ",
  arriving: "-",
  judging: ":",
  waiting: "·",
  asking: "?",
  running: "█",
  pause: "~",
  point: "|",
};

export const SIGNS: Readonly<Record<CallOutcome, string>> = {
  succeeded: "✓",
  failed: "✗",
  denied: "⊘",
  stopped: "■",
  "not-run": "–",
  unfinished: "…",
};

/** More rows are only counted. */
const MOST_ROWS = 500;
/** Of the calls of one script, more are only counted. */
const MOST_NESTED = 10;
const NOTE_COLUMNS = 12;
/** From this width on, there is room to show which call a call waited for. */
const WIDE_COLUMNS = 110;
const WAITED_FOR_COLUMNS = 20;
/** Below this width, only names and times are shown. */
const LEAST_BAR_COLUMNS = 12;

/**
 * Renders a timeline as text. No line is wider than `width` columns.
 *
 * @example
 * ```ts
 * console.log(textTimeline(timeline, process.stdout.columns));
 * ```
 */
export function textTimeline(timeline: Timeline, width: number): string {
  checkTimeline(timeline, "textTimeline");
  const columns = Math.max(1, Math.floor(Number.isFinite(width) ? width : 80));
  const savings = allSavings(timeline);
  const rows = rowsOf(timeline, savings, MOST_NESTED);
  const lines = rows.slice(0, MOST_ROWS).map((row) => lineOf(row, columns, timeline.endMs));
  const more = rows.length - MOST_ROWS;
  if (more > 0) lines.push(`… and ${count(more, "more row")}. The HTML page shows all rows.`);
  if (timeline.leftOut > 0)
    lines.push(`${count(timeline.leftOut, "item")} above the recording limits not shown.`);
  lines.push(...summaryLines(summarise(timeline, savings)), LEGEND);
  return lines.flatMap((line) => wrapped(line, columns)).join("\n");
}

const LEGEND = "░ request ▒ stream - input : judge · wait ? ask █ run ~ pause * critical path ← waited for";

function summaryLines(summary: Summary): string[] {
  const { totalMs, turns, calls, modelMs, toolsMs, savedMs, savedSerialMs } = summary;
  return [
    `${duration(totalMs)}: ${count(turns, "turn")}, ${count(calls, "call")}, ${duration(modelMs)} in the model, ${duration(toolsMs)} in tools.`,
    `Saved by running ahead: ${duration(savedMs)} vs. calls after the response, ${duration(savedSerialMs)} vs. one call at a time.`,
  ];
}

function lineOf(row: Row, columns: number, endMs: number): string {
  const sign = row.outcome === undefined ? " " : SIGNS[row.outcome];
  const indent = "  ".repeat(Math.min(row.depth * 2 + (row.type === "call" ? 1 : 0), 6));
  const label = `${indent}${row.name} ${row.text}`.trimEnd();
  const labelColumns = Math.min(40, Math.floor(columns * 0.4));
  const isWide = columns >= WIDE_COLUMNS;
  const barColumns = columns - labelColumns - NOTE_COLUMNS - 6 - (isWide ? WAITED_FOR_COLUMNS : 0);
  const note = row.isCritical ? `${row.note} *` : row.note;
  const waitedFor = isWide && row.waitedFor !== "" ? fit(`← ${row.waitedFor}`, WAITED_FOR_COLUMNS) : "";
  if (barColumns < LEAST_BAR_COLUMNS)
    return `${sign} ${fit(label, Math.max(0, columns - 2 - note.length - 1))} ${note}`;
  return `${sign} ${fit(label, labelColumns)} │${bar(row, barColumns, endMs)}│ ${waitedFor === "" ? note : `${fit(note, NOTE_COLUMNS - 1)} ${waitedFor}`}`.trimEnd();
}

function bar(row: Row, columns: number, endMs: number): string {
  const letters = Array.from({ length: columns }, () => " ");
  const scale = endMs > 0 ? columns / endMs : 0;
  for (const [kind, fromMs, toMs] of row.segments) {
    const from = Math.min(columns - 1, Math.max(0, Math.floor(fromMs * scale)));
    const to = Math.min(columns, Math.max(from + 1, Math.round(toMs * scale)));
    letters.fill(LETTERS[kind], from, to);
  }
  return letters.join("");
}

/** Wraps a line between words. A line with a bar already has the right width. */
function wrapped(line: string, columns: number): string[] {
  if (line.includes("│") || Array.from(line).length <= columns) return [line];
  const lines: string[] = [""];
  for (const word of line.split(" ")) {
    const last = lines.at(-1) as string;
    const joined = last === "" ? word : `${last} ${word}`;
    if (Array.from(joined).length <= columns) lines[lines.length - 1] = joined;
    else lines.push(fit(word, Math.min(columns, Array.from(word).length)));
  }
  return lines.filter((one) => one !== "");
}
