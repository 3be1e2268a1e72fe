/** Renders a timeline as a self-contained page: it loads no other file and runs no script but its own. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { OUTCOMES, type Timeline, checkTimeline } from "./model.ts";
import { rowsOf } from "./rows.ts";
import { type Summary, allSavings, summarise } from "./savings.ts";
import { SIGNS, textTimeline } from "./text.ts";
import { count, duration } from "./words.ts";

/** This relative path works from the sources and from the build. */
const PAGE = new URL("../../src/timeline/page/", import.meta.url);
/** In dependency order. */
const SCRIPTS = ["data.js", "view.js", "filter.js", "rows.js", "overview.js", "details.js", "main.js"];

/**
 * Renders a timeline as a self-contained HTML page that loads nothing.
 *
 * @example
 * ```ts
 * await writeFile("run.html", htmlTimeline(recorder.timeline()));
 * ```
 */
export function htmlTimeline(timeline: Timeline): string {
  checkTimeline(timeline, "htmlTimeline");
  const savings = allSavings(timeline);
  const style = pageFile("style.css");
  const script = pageScript();
  const title = timeline.title || "Timeline";
  const data = { endMs: timeline.endMs, rows: rowsOf(timeline, savings), signs: SIGNS };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
${numbers(summarise(timeline, savings), timeline.leftOut)}
</header>
${pageFile("body.html").replace("<!--outcomes-->", outcomeButtons())}
<noscript><pre>${escapeHtml(textTimeline(timeline, 120))}</pre></noscript>
<script type="application/json" id="data">${jsonForScript(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** The content security policy: only this page's own script and style run; nothing is fetched, sent or framed. */
function policy(style: string, script: string): string {
  const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
}

function pageFile(name: string): string {
  return readFileSync(new URL(name, PAGE), "utf8");
}

/** Inline modules cannot import each other, so they are joined into one script. */
function pageScript(): string {
  const parts = SCRIPTS.map((name) =>
    pageFile(name)
      .replaceAll(/^import [^;]*;\n/gm, "")
      .replaceAll(/^export /gm, ""),
  );
  return `"use strict";\n{\n${parts.join("\n")}}\n`;
}

function numbers(
  { totalMs, modelMs, toolsMs, savedMs, savedSerialMs, ...rest }: Summary,
  leftOut: number,
): string {
  const { outcomes, turns, calls } = rest;
  const bad = calls - outcomes.succeeded;
  const shown: (readonly [string, string, string])[] = [
    ["Total", duration(totalMs), `${count(turns, "turn")}, ${count(calls, "call")}`],
    ["Model", duration(modelMs), "request to end of response"],
    ["Tools", duration(toolsMs), "sum of all calls"],
    ["Saved", duration(savedMs), `${duration(savedSerialMs)} vs. one call at a time`],
    ["Not successful", bad.toLocaleString("en"), `of ${count(calls, "call")}`],
  ];
  if (leftOut > 0) shown.push(["Not recorded", leftOut.toLocaleString("en"), "above the limits"]);
  const items = shown.map(
    ([name, value, note]) => `<div><dt>${name}</dt><dd>${value}</dd><dd class="note">${note}</dd></div>`,
  );
  return `<dl class="numbers">${items.join("")}</dl>`;
}

function outcomeButtons(): string {
  return OUTCOMES.map(
    (outcome) =>
      `<button type="button" class="outcome ${outcome}" data-outcome="${outcome}" aria-pressed="true"><span class="sign" aria-hidden="true">${SIGNS[outcome]}</span> ${outcome.replace("-", " ")} <span class="count"></span></button>`,
  ).join("");
}

/** Names and descriptions come from a model, so they must not contain markup. */
function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (letter) => entities[letter] as string);
}

/** Inside a script element, only `<` can end the element or start a comment. */
function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
