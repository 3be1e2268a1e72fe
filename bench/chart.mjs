/** The time table as one SVG picture: a panel per trace, a bar per peer, shortest possible time = 1. */

const COLUMNS = 2;
const PANEL = { width: 560, bar: 17, top: 40, bottom: 22, gap: 24 };
const LABEL_WIDTH = 200;
const VALUE_WIDTH = 118;
/** Longer bars are cut off, so that one slow peer does not flatten the rest. */
const MOST = 2.5;
const HEADER = 92;
const COLOURS = {
  paper: "#ffffff",
  ink: "#1f2328",
  faint: "#656d76",
  rule: "#d0d7de",
  ours: "#0969da",
  kept: "#afb8c1",
  broke: "#e5534b",
};

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function textAt(x, y, content, { size = 12, fill = COLOURS.ink, anchor = "start", weight = 400 } = {}) {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}" font-weight="${weight}">${escaped(content)}</text>`;
}

const rect = (x, y, width, height, fill) =>
  `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="${height}" fill="${fill}" rx="2"/>`;

function colourOf(peer, { races, lost }) {
  if (races + lost > 0) return COLOURS.broke;
  return peer.role === "ours" ? COLOURS.ours : COLOURS.kept;
}

function bar({ peer, result, ratio, x, y }) {
  const space = PANEL.width - LABEL_WIDTH - VALUE_WIDTH;
  const weight = peer.role === "ours" ? 600 : 400;
  const label = textAt(x + LABEL_WIDTH - 8, y + 12, peer.title, { anchor: "end", weight });
  if (ratio === undefined) {
    return (
      label + textAt(x + LABEL_WIDTH + 4, y + 12, result?.error ?? "not measured", { fill: COLOURS.faint })
    );
  }
  const length = (space * Math.min(ratio, MOST)) / MOST;
  // Next to the line of the bound, so that the line does not cross the text.
  const valueX = x + LABEL_WIDTH + Math.max(length, space / MOST) + 5;
  const cut = ratio > MOST ? "› " : "";
  const loss = result.lost > 0 ? `  ${result.lost} updates lost` : result.races > 0 ? "  order broken" : "";
  return [
    label,
    rect(x + LABEL_WIDTH, y + 1, length, PANEL.bar - 4, colourOf(peer, result)),
    textAt(valueX, y + 12, `${cut}${ratio.toFixed(2)}${loss}`, { size: 11, weight }),
  ].join("");
}

function panel({ trace, x, y }, { peers, results, bounds }) {
  const { perPathMs } = bounds[trace.name];
  const bars = peers.map((peer, index) => {
    const result = results[trace.name][peer.name];
    const ratio = result?.wallMs === undefined ? undefined : result.wallMs / perPathMs;
    return bar({ peer, result, ratio, x, y: y + PANEL.top + index * PANEL.bar });
  });
  const one = x + LABEL_WIDTH + (PANEL.width - LABEL_WIDTH - VALUE_WIDTH) / MOST;
  const bottom = y + PANEL.top + peers.length * PANEL.bar;
  const bound = `1 = ${(perPathMs / 1000).toFixed(2)} s`;
  return [
    textAt(x, y + 18, trace.title, { size: 14, weight: 600 }),
    ...bars,
    `<line x1="${one}" x2="${one}" y1="${y + PANEL.top - 6}" y2="${bottom}" stroke="${COLOURS.ink}" stroke-dasharray="3 3"/>`,
    textAt(one, bottom + 12, bound, { size: 10, fill: COLOURS.faint, anchor: "middle" }),
  ].join("\n");
}

function legend(width) {
  const entries = [
    [COLOURS.ours, "Runahead"],
    [COLOURS.kept, "kept the model's order"],
    [COLOURS.broke, "broke it: conflicting calls overlapped"],
  ];
  const parts = entries.map(
    ([colour, text], index) =>
      rect(24 + index * 190, 66, 12, 12, colour) +
      textAt(42 + index * 190, 76, text, { fill: COLOURS.faint }),
  );
  const note =
    "time ÷ the shortest possible time when only calls on the same path wait for each other; shorter is better";
  return [
    `<rect width="${width}" height="100%" fill="${COLOURS.paper}"/>`,
    textAt(24, 30, "How long a turn with tool calls takes", { size: 18, weight: 700 }),
    textAt(24, 50, note, { fill: COLOURS.faint }),
    ...parts,
  ];
}

/** Has its own background, so that it looks the same on light and dark pages. */
export function chart(data) {
  const timed = data.traces.filter((trace) => trace.kind === "timed");
  const panelHeight = PANEL.top + data.peers.length * PANEL.bar + PANEL.bottom;
  const width = 24 + COLUMNS * (PANEL.width + PANEL.gap);
  const height = HEADER + Math.ceil(timed.length / COLUMNS) * (panelHeight + 8) + 8;
  const panels = timed.map((trace, index) => {
    const x = 24 + (index % COLUMNS) * (PANEL.width + PANEL.gap);
    const y = HEADER + Math.floor(index / COLUMNS) * (panelHeight + 8);
    return panel({ trace, x, y }, data);
  });
  const font = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${font}">`,
    ...legend(width),
    ...panels,
    "</svg>",
    "",
  ].join("\n");
}
