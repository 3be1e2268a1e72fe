/**
 * Records the demo in a real terminal and writes it as an animated SVG, and single screens of the same run as pictures:
 * `node scripts/record-demo.mjs [FOLDER]` (default: docs/). CSS alone shows the frames one after the other, so the
 * recording also plays where scripts do not run.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
// These are development dependencies of the command line package.
const ofProgram = createRequire(join(ROOT, "packages/cli/package.json"));
const { spawn } = ofProgram("@lydell/node-pty");
const xterm = ofProgram("@xterm/headless");
const [COLUMNS, ROWS] = [100, 30];
const SAMPLE_MS = 100;
/** How long the last frame stays before the animation starts again. */
const LAST_MS = 4_000;
const MOST_BYTES = 300_000;
const MOST_WAIT_MS = 30_000;
/** The recording starts when this is on the screen: the start of the prompt. */
const FIRST_SEEN = "The discount test fails.";
const COMMAND = "runahead demo --timeline timeline.html";
const [CELL_WIDTH, CELL_HEIGHT, EDGE] = [8.4, 18, 14];
/** The sixteen terminal colours, for a dark background. */
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

/** The screen as lines of pieces, one piece per style. */
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

const textIn = (lines) =>
  lines.map((pieces) => pieces.map(({ text }) => text.trimEnd()).join(" ")).join("\n");

function lookOf(cell) {
  const colour = cell.isFgPalette() ? `c${cell.getFgColor() % 16}` : "";
  return [colour, cell.isBold() ? "b" : "", cell.isDim() ? "d" : ""].filter((one) => one !== "").join(" ");
}

/** Records each screen that differs from the one before, and its time. The first one shows the prompt. */
async function record() {
  const home = mkdtempSync(join(tmpdir(), "ra-"));
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, TERM: "xterm-256color", LANG: "C.UTF-8" };
  const program = [join(ROOT, "packages/cli/bin/runahead.mjs"), ...COMMAND.split(" ").slice(1)];
  terminal.write(`\u001b[2m$\u001b[22m ${COMMAND}\r\n`);
  const pty = spawn(process.execPath, program, {
    name: "xterm-256color",
    cols: COLUMNS,
    rows: ROWS,
    cwd: home,
    env,
  });
  pty.onData((data) => terminal.write(data));
  terminal.onData((data) => pty.write(data));
  let begun;
  const frames = [];
  const sample = () => {
    const lines = screenOf(terminal);
    if (begun === undefined && !textIn(lines).includes(FIRST_SEEN)) return;
    begun ??= performance.now();
    const key = JSON.stringify(lines);
    if (key !== frames.at(-1)?.key) frames.push({ key, lines, atMs: performance.now() - begun });
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const code = await new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  await new Promise((resolve) => setTimeout(resolve, 2 * SAMPLE_MS));
  clearInterval(timer);
  rmSync(home, { recursive: true, force: true });
  if (code !== 0) throw new Error(`The demo exited with code ${code}.`);
  const leaked = frames.flatMap(({ lines }) => textIn(lines).match(/\S*(?:\/tmp\/|\$0\.0000)\S*/g) ?? []);
  if (leaked.length > 0) throw new Error(`The recording shows ${leaked[0]}.`);
  return { frames, endMs: performance.now() - begun + LAST_MS };
}

/** Merges lines that stay the same over several frames, so that each is drawn once. */
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

function svgOf(recorded, label, rowCount = ROWS) {
  const { endMs } = recorded;
  const texts = new Map();
  const times = new Map();
  const rows = linesOver(recorded).map(({ key, row, pieces, fromMs, toMs }) => {
    const text = nameIn(texts, key, "t", () => textOf(pieces));
    const time = nameIn(times, `${fromMs} ${toMs}`, "k", () => keyframes(fromMs, toMs, endMs));
    const isLast = toMs >= endMs;
    return `<use href="#${text}" y="${row * CELL_HEIGHT}" class="${time}${isLast ? " e" : ""}"/>`;
  });
  const seconds = (endMs / 1000).toFixed(2);
  const [width, height] = [COLUMNS * CELL_WIDTH + 2 * EDGE, rowCount * CELL_HEIGHT + 2 * EDGE];
  const style = [
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9;white-space:pre}`,
    ".b{font-weight:700}.d{opacity:.6}",
    ...PALETTE.map((colour, at) => `.c${at}{fill:${colour}}`),
    `use{visibility:hidden;animation:${seconds}s step-end infinite}`,
    // Viewers without animation show the last frame.
    ".e{visibility:visible}",
    ...[...times].map(([, { name, made }]) => `.${name}{animation-name:${name}}@keyframes ${name}{${made}}`),
    // With reduced motion, the last frame is shown.
    "@media(prefers-reduced-motion:reduce){use{animation-play-state:paused;animation-delay:-" +
      `${((endMs - LAST_MS / 2) / 1000).toFixed(2)}s}}`,
  ].join("");
  const defs = [...texts].map(([, { name, made }]) => `<g id="${name}">${made}</g>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(label)}"><style>${style}</style><rect width="100%" height="100%" rx="8" fill="#0d1117"/><defs>${defs}</defs><g transform="translate(${EDGE} ${EDGE})">${rows.join("")}</g></svg>\n`;
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
      // Fits the text to the grid of cells in any font.
      return `<text x="${x}" y="13" textLength="${width}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${className}>${escape(shown)}</text>`;
    })
    .join("");
}

/** The last screen of the recording on which all of these texts are. */
function screenWith({ frames }, ...texts) {
  const frame = frames.findLast(({ lines }) => texts.every((text) => textIn(lines).includes(text)));
  if (frame === undefined) throw new Error(`No screen of the recording shows ${texts.join(", ")}.`);
  return frame.lines;
}

/** A picture of one screen, without the empty rows at its end. */
function pictureOf(lines, label) {
  const used = lines.findLastIndex((pieces) => pieces.length > 0) + 1;
  return svgOf({ frames: [{ lines, atMs: 0 }], endMs: LAST_MS }, label, used);
}

const SOURCE = `/** The price of all items, in cents. */
export function total(items, discount = 0) {
  const sum = items.reduce((cents, item) => cents + item.cents, 0);
  return sum - discount;
}
`;

/** A model that reads a file and wants to change it. */
function editRecording() {
  const call = (id, name, input) => ({
    at: 200,
    event: { type: "call-complete", call: { id, name, input } },
  });
  const edit = {
    file_path: "src/cart.js",
    old_string: "  return sum - discount;",
    new_string: "  // A discount never makes the total negative.\n  return Math.max(0, sum - discount);",
  };
  return [
    [
      { at: 0, event: { type: "message-started", id: "a", model: "demo" } },
      call("read", "Read", { file_path: "src/cart.js" }),
      call("edit", "Edit", edit),
      { at: 300, event: { type: "stopped", reason: "tool_use", detail: "" } },
    ],
  ];
}

/** The temporary home folder is shown under an ordinary name. */
function withoutHome(lines, home) {
  return lines.map((pieces) =>
    pieces.map((piece) => ({ ...piece, text: piece.text.replaceAll(home, "/home/me") })),
  );
}

/** Starts the program in a small project, and returns the first screen with this text. */
async function dialogScreen() {
  const home = mkdtempSync(join(tmpdir(), "ra-"));
  const cwd = join(home, "shop");
  mkdirSync(join(cwd, "src"), { recursive: true });
  writeFileSync(join(cwd, "src/cart.js"), SOURCE);
  writeFileSync(join(home, "recording.json"), JSON.stringify(editRecording()));
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const env = { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8" };
  const args = ["--replay", join(home, "recording.json"), "A discount can make the total negative. Fix it."];
  const program = [join(ROOT, "packages/cli/bin/runahead.mjs"), ...args];
  const pty = spawn(process.execPath, program, {
    name: "xterm-256color",
    cols: COLUMNS,
    rows: ROWS,
    cwd,
    env,
  });
  pty.onData((data) => terminal.write(data));
  terminal.onData((data) => pty.write(data));
  const ended = new Promise((resolve) => pty.onExit(resolve));
  try {
    for (let waited = 0; waited < MOST_WAIT_MS; waited += SAMPLE_MS) {
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
      const lines = screenOf(terminal);
      if (["Change this file?", "end the turn"].every((text) => textIn(lines).includes(text)))
        return withoutHome(lines, home);
    }
    throw new Error(`The dialog did not appear:\n${textIn(screenOf(terminal))}`);
  } finally {
    pty.kill("SIGKILL");
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

const folder = process.argv[2] ?? join(ROOT, "docs");
const recorded = await record();
const made = [
  [
    "demo.svg",
    svgOf(recorded, "Runahead fixes a failing test; its tools finish while the model is still streaming"),
  ],
  [
    "agents.svg",
    pictureOf(
      screenWith(recorded, "explore: find users of discounted  · running", "└ "),
      "A running sub-agent is shown below its call, with what it does now",
    ),
  ],
  [
    "dialog.svg",
    pictureOf(
      await dialogScreen(),
      "The permission dialog shows a change at its place in the file, with line numbers",
    ),
  ],
];
for (const [name, svg] of made) {
  const bytes = Buffer.byteLength(svg);
  if (bytes > MOST_BYTES) throw new Error(`${name} is too large: ${bytes} bytes (limit ${MOST_BYTES}).`);
  writeFileSync(join(folder, name), svg);
  console.log(`${join(folder, name)}: ${Math.round(bytes / 1000)} KB`);
}
