/**
 * The picture of the README, drawn from the published table: `node bench/summary.mjs` reads RESULTS.md and writes
 * summary.svg. Two panels: how long a turn with a slow tool takes, and how many of four edits of one file are lost.
 */

import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL(".", import.meta.url);
const PEERS = [
  "Runahead",
  "AI SDK 7 + early() + middleware",
  "Anthropic SDK, runToolsEagerly",
  "AI SDK 6.0.0",
  "Mastra",
  "AI SDK 7",
  "OpenAI Agents",
  "LangChain agents",
  "hand-written, serial",
];
const ROW = 24;
const TOP = 64;
const LABEL = 222;
const PANEL = 320;
const WIDTH = LABEL + 2 * PANEL + 24;

/** The rows of the time table: by peer, by column. */
function readTable(markdown) {
  const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
  const cells = (line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const head = cells(lines.find((line) => line.includes("time ÷ per-path bound")));
  return (peer, column) => {
    const row = lines.map(cells).find(([name]) => name === peer);
    const at = head.indexOf(column);
    if (row === undefined || at < 0) throw new Error(`RESULTS.md has no ${peer} in ${column}.`);
    return row[at];
  };
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const text = (x, y, words, { anchor = "start", style = "ink" } = {}) =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" class="${style}">${escaped(words)}</text>`;

const bar = (x, y, width, style) =>
  `<rect x="${x}" y="${y}" width="${Math.max(width, 2).toFixed(1)}" height="14" rx="2" class="${style}"/>`;

function rowOf(peer, at, value) {
  const y = TOP + at * ROW;
  const style = peer.startsWith("Runahead") || peer.includes("early()") ? "ours" : "other";
  const ratio = Number.parseFloat(value(peer, "slow-tool"));
  const lost = Number(/✗(\d+) lost/.exec(value(peer, "same-file"))?.[1] ?? 0);
  const space = PANEL - 70;
  const second = LABEL + PANEL + 12;
  return [
    text(LABEL - 10, y + 12, peer, { anchor: "end", style: style === "ours" ? "strong" : "ink" }),
    bar(LABEL, y, (space * ratio) / 2, style),
    text(LABEL + (space * ratio) / 2 + 6, y + 12, `${ratio.toFixed(2)} ×`),
    ...[0, 1, 2, 3].map((edit) => bar(second + edit * 34, y, 28, edit < 4 - lost ? style : "lost")),
    text(second + 4 * 34 + 6, y + 12, lost === 0 ? "none lost" : `${lost} of 4 lost`),
  ].join("\n");
}

const value = readTable(readFileSync(new URL("RESULTS.md", folder), "utf8"));
const height = TOP + PEERS.length * ROW + 20;
const one = LABEL + (PANEL - 70) / 2;
const style = `
  text { font: 12px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
  .ink { fill: #1f2328; } .faint { fill: #656d76; } .strong { fill: #1f2328; font-weight: 600; }
  .title { fill: #1f2328; font-weight: 600; font-size: 14px; }
  .ours { fill: #0969da; } .other { fill: #afb8c1; } .lost { fill: #e5534b; }
  line { stroke: #656d76; stroke-dasharray: 3 3; }
  @media (prefers-color-scheme: dark) {
    .ink, .strong, .title { fill: #e6edf3; } .faint { fill: #9198a1; }
    .ours { fill: #4493f8; } .other { fill: #656d76; } .lost { fill: #f85149; } line { stroke: #9198a1; }
  }`;
const svg = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
  "<title>Time per turn and edits lost, for each library</title>",
  `<style>${style}</style>`,
  text(LABEL, 22, "A 2 s tool under 2 s of text", { style: "title" }),
  text(LABEL, 42, "time ÷ shortest possible time", { style: "faint" }),
  text(LABEL + PANEL + 12, 22, "Four edits of one file in one response", { style: "title" }),
  text(LABEL + PANEL + 12, 42, "red: overwritten by another edit", { style: "faint" }),
  ...PEERS.map((peer, at) => rowOf(peer, at, value)),
  `<line x1="${one}" x2="${one}" y1="${TOP - 8}" y2="${height - 16}"/>`,
  "</svg>",
  "",
].join("\n");
writeFileSync(new URL("summary.svg", folder), svg);
