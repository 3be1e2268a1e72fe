/**
 * Records the demo in a real terminal and writes it as an animated picture: `node scripts/record-demo.mjs [FILE]`.
 * The picture is an SVG that plays its frames with CSS alone, so that it works where scripts do not run.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
// Development dependencies of the program.
const ofProgram = createRequire(join(ROOT, "packages/cli/package.json"));
const { spawn } = ofProgram("@lydell/node-pty");
const xterm = ofProgram("@xterm/headless");
const [COLUMNS, ROWS] = [100, 30];
const SAMPLE_MS = 100;
/** How long the last frame stays before the loop restarts. */
const LAST_MS = 4_000;
const MOST_BYTES = 300_000;
const [CELL_WIDTH, CELL_HEIGHT, EDGE] = [8.4, 18, 14];
/** The sixteen terminal colours on a dark background. */
const PALETTE = [
  "#484f58",
  "#ff7b72",
  "#3fb950",
  "#d29922",
  "#58a6ff",
  "#bc8cff",
  "#39c5cf",
  "#b1bac4",
  "#6e7681",
  "#ffa198",
  "#56d364",
  "#e3b341",
  "#79c0ff",
  "#d2a8ff",
  "#56d4dd",
  "#f0f6fc",
];

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The screen as lines of pieces, each with one style. */
function screenOf(terminal) {
  const { active } = terminal.buffer;
  return Array.from({ length: ROWS }, (_, row) => piecesOf(active.getLine(active.viewportY + row)));
}

function piecesOf(line) {
  if (line === undefined) return [];
  const pieces = [];
  const cell = line.getCell(0);
  for (let column = 0; column < COLUMNS; column++) {
    line.getCell(column, cell);
    const letters = cell.getChars() || " ";
    const look = lookOf(cell);
    const last = pieces.at(-1);
    if (cell.getWidth() === 0) continue;
    if (last !== undefined && last.look === look) last.text += letters;
    else pieces.push({ column, look, text: letters });
  }
  return pieces.filter(({ text }) => text.trim() !== "");
}

function lookOf(cell) {
  const colour = cell.isFgPalette() ? `c${cell.getFgColor() % 16}` : "";
  return [colour, cell.isBold() ? "b" : "", cell.isDim() ? "d" : ""].filter((one) => one !== "").join(" ");
}

/** The distinct frames, and the time at which each begins. */
async function record() {
  const home = mkdtempSync(join(tmpdir(), "ra-"));
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, TERM: "xterm-256color", LANG: "C.UTF-8" };
  const program = [join(ROOT, "packages/cli/bin/runahead.mjs"), "demo"];
  const pty = spawn(process.execPath, program, {
    name: "xterm-256color",
    cols: COLUMNS,
    rows: ROWS,
    cwd: home,
    env,
  });
  pty.onData((data) => terminal.write(data));
  terminal.onData((data) => pty.write(data));
  const begun = performance.now();
  const frames = [];
  const sample = () => {
    const lines = screenOf(terminal);
    const key = JSON.stringify(lines);
    if (key !== frames.at(-1)?.key) frames.push({ key, lines, atMs: performance.now() - begun });
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const code = await new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  await new Promise((resolve) => setTimeout(resolve, 2 * SAMPLE_MS));
  clearInterval(timer);
  rmSync(home, { recursive: true, force: true });
  if (code !== 0) throw new Error(`The demo ended with ${code}.`);
  return { frames, endMs: performance.now() - begun + LAST_MS };
}

/** A line that does not change between frames is drawn once. */
function linesOver({ frames, endMs }) {
  const shown = [];
  const open = Array.from({ length: ROWS }, () => undefined);
  for (const { lines, atMs } of frames)
    for (const [row, pieces] of lines.entries()) {
      const key = JSON.stringify(pieces);
      if (open[row]?.key === key) continue;
      if (open[row] !== undefined) open[row].toMs = atMs;
      open[row] = pieces.length === 0 ? undefined : { key, row, pieces, fromMs: atMs, toMs: endMs };
      if (open[row] !== undefined) shown.push(open[row]);
    }
  return shown;
}

const percent = (ms, endMs) => `${Number(((ms / endMs) * 100).toFixed(2))}%`;

function svgOf(recorded) {
  const { endMs } = recorded;
  const texts = new Map();
  const times = new Map();
  const rows = linesOver(recorded).map(({ key, row, pieces, fromMs, toMs }) => {
    const text = nameIn(texts, key, "t", () => textOf(pieces));
    const time = nameIn(times, `${fromMs} ${toMs}`, "k", () => keyframes(fromMs, toMs, endMs));
    return `<use href="#${text}" y="${row * CELL_HEIGHT}" class="${time}"/>`;
  });
  const seconds = (endMs / 1000).toFixed(2);
  const [width, height] = [COLUMNS * CELL_WIDTH + 2 * EDGE, ROWS * CELL_HEIGHT + 2 * EDGE];
  const style = [
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9;white-space:pre}`,
    ".b{font-weight:700}.d{opacity:.6}",
    ...PALETTE.map((colour, at) => `.c${at}{fill:${colour}}`),
    `use{visibility:hidden;animation:${seconds}s step-end infinite}`,
    ...[...times].map(([, { name, made }]) => `.${name}{animation-name:${name}}@keyframes ${name}{${made}}`),
    // With reduced motion, only the last frame is shown.
    "@media(prefers-reduced-motion:reduce){use{animation-play-state:paused;animation-delay:-" +
      `${((endMs - LAST_MS / 2) / 1000).toFixed(2)}s}}`,
  ].join("");
  const defs = [...texts].map(([, { name, made }]) => `<g id="${name}">${made}</g>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Runahead fixes a failing test while the model is still streaming its response"><style>${style}</style><rect width="100%" height="100%" rx="8" fill="#0d1117"/><defs>${defs}</defs><g transform="translate(${EDGE} ${EDGE})">${rows.join("")}</g></svg>\n`;
}

function nameIn(map, key, letter, make) {
  const known = map.get(key);
  if (known !== undefined) return known.name;
  const name = `${letter}${map.size}`;
  map.set(key, { name, made: make() });
  return name;
}

function keyframes(fromMs, toMs, endMs) {
  const before = fromMs <= 0 ? "" : "0%{visibility:hidden}";
  const after = toMs >= endMs ? "" : `${percent(toMs, endMs)}{visibility:hidden}`;
  return `${before}${percent(fromMs, endMs)}{visibility:visible}${after}`;
}

function textOf(pieces) {
  return pieces
    .map(({ column, look, text }) => {
      const shown = text.trimEnd();
      const width = (shown.length * CELL_WIDTH).toFixed(1);
      const className = look === "" ? "" : ` class="${look}"`;
      const x = (column * CELL_WIDTH).toFixed(1);
      // Keeps each character in its cell, whatever the font.
      return `<text x="${x}" y="13" textLength="${width}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${className}>${escape(shown)}</text>`;
    })
    .join("");
}

const file = process.argv[2] ?? join(ROOT, "docs/demo.svg");
const svg = svgOf(await record());
if (Buffer.byteLength(svg) > MOST_BYTES) {
  console.error(`The picture has ${Buffer.byteLength(svg)} bytes (limit ${MOST_BYTES}).`);
  process.exit(1);
}
writeFileSync(file, svg);
console.log(`${file}: ${Math.round(Buffer.byteLength(svg) / 1000)} KB`);
