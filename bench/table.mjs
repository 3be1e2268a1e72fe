/** Formats the numbers as Markdown tables. */

export function table(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const pad = (text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]));
  const line = (row) => `| ${row.map(pad).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(all[0]), rule, ...all.slice(1).map(line)].join("\n");
}

/** A cell: the number, the number of runs if there were few, or why there is none. */
function cell(result, format) {
  if (result === undefined) return "";
  if (result.wallMs === undefined) return result.error.startsWith(">") ? result.error : "failed";
  const few = result.runs < result.planned ? ` (${result.runs} run${result.runs === 1 ? "" : "s"})` : "";
  return format(result) + few;
}

const marks = ({ lost, races }) => (lost > 0 ? ` ✗${lost} lost` : races > 0 ? ` ✗${races}` : "");

const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const costOfExclusive = ({ exclusiveMs, perPathMs }) => (exclusiveMs / perPathMs).toFixed(2);

/** Time divided by the per-path bound. */
export function timeTable({ traces, peers, results, bounds }) {
  const timed = traces.filter((trace) => trace.kind === "timed");
  const bound = (title, field) => [title, ...timed.map((trace) => seconds(bounds[trace.name][field]))];
  const rows = peers.map((peer) => [
    peer.title,
    ...timed.map((trace) =>
      cell(results[trace.name][peer.name], (result) => {
        const ratio = result.wallMs / bounds[trace.name].perPathMs;
        return ratio.toFixed(peer.role === "ours" ? 3 : 2) + marks(result);
      }),
    ),
  ]);
  return table(
    ["time ÷ per-path bound", ...timed.map((trace) => trace.name)],
    [
      bound("per-path bound", "perPathMs"),
      bound("writes-exclusive bound", "exclusiveMs"),
      ["writes-exclusive ÷ per-path", ...timed.map((trace) => costOfExclusive(bounds[trace.name]))],
      ...rows,
    ],
  );
}

const cpuOf = (trace) => (result) =>
  trace.kind === "instant"
    ? `${((result.cpuMs * 1000) / trace.count).toFixed(1)} µs`
    : `${result.cpuMs.toFixed(0)} ms`;

/** Processor time per instant call, and for the large inputs together. */
export function cpuTable({ traces, peers, results }) {
  const columns = traces.filter((trace) => trace.kind !== "timed");
  const rows = peers.map((peer) => [
    peer.title,
    ...columns.map((trace) => cell(results[trace.name][peer.name], cpuOf(trace))),
  ]);
  return table(["CPU", ...columns.map((trace) => trace.name)], rows);
}

/** Latency and memory of Runahead alone. */
export function ownTable({ latency, memory, linear }) {
  const rows = [];
  if (latency?.p99Us !== undefined) {
    const { samples, p50Us, p99Us, maxUs } = latency;
    const numbers = `${p50Us.toFixed(0)} / ${p99Us.toFixed(0)} / ${maxUs.toFixed(0)} µs`;
    rows.push([
      `last byte of a block to the tool's call, idle, ${samples} samples: p50 / p99 / max`,
      numbers,
    ]);
  }
  if (memory?.deliveredBytes !== undefined) {
    rows.push([
      `heap per call, ${memory.calls} settled calls that nobody has read`,
      `${memory.undeliveredBytes} B`,
    ]);
    rows.push([`heap per call, the same calls after they were read`, `${memory.deliveredBytes} B`]);
  }
  for (const { title, few, many, unit, fewEach, manyEach } of linear?.rows ?? []) {
    rows.push([
      `each of ${few} and of ${many}: ${title}`,
      `${fewEach.toFixed(1)} ${unit}, ${manyEach.toFixed(1)} ${unit}`,
    ]);
  }
  for (const [name, one] of Object.entries({ latency, memory, linear })) {
    if (one?.error !== undefined) rows.push([name, "failed"]);
  }
  return table(["Runahead alone", "value"], rows);
}

/** The error messages; empty without errors. */
export function failures({ traces, peers, results, latency, memory, linear }) {
  const measured = traces.flatMap((trace) =>
    peers.map((peer) => [`${trace.name}, ${peer.title}`, results[trace.name][peer.name]?.error]),
  );
  return [...measured, ["latency", latency?.error], ["memory", memory?.error], ["linear", linear?.error]]
    .filter(([, error]) => error !== undefined && !error.startsWith(">"))
    .map(([name, error]) => `- ${name}: ${error}`)
    .join("\n");
}

export function targetTable(targets) {
  return table(
    ["target", "value", "result"],
    targets.map(({ text, value, pass }) => [text, value, pass ? "PASS" : "FAIL"]),
  );
}
