/** The targets for Runahead. Each returns `{text, value, pass}`, or nothing if `--only` left it out. */

const OURS = "runahead";

const target = (text, value, pass) => ({ text, value, pass });
const rounded = (number, digits = 2) => number.toFixed(digits);

/** Time against the per-path bound, and no order broken, on both Nodes. */
function timeTargets({ traces, peers, results, bounds }) {
  const timed = traces.filter((trace) => trace.kind === "timed");
  const ours = peers.filter((peer) => peer.role === "ours");
  return timed.flatMap((trace) =>
    ours.flatMap((peer) => {
      const result = results[trace.name]?.[peer.name];
      if (result === undefined) return [];
      const name = `${peer.title}, ${trace.title}`;
      if (result.wallMs === undefined) return [target(name, "failed", false)];
      const ratio = result.wallMs / bounds[trace.name].perPathMs;
      return [
        target(
          `${name}: ≤ ${trace.maxRatio} × the per-path bound`,
          rounded(ratio, 3),
          ratio <= trace.maxRatio,
        ),
        target(
          `${name}: nothing lost, no order broken`,
          result.lost + result.races,
          result.lost + result.races === 0,
        ),
      ];
    }),
  );
}

/** Microseconds of processor time per call; `undefined` if not requested, `NaN` if it failed. */
function cpuUs(results, trace, peer, calls = 1) {
  const result = results[trace]?.[peer];
  return result && ((result.cpuMs ?? Number.NaN) * 1000) / calls;
}

/** Below every SDK that finished at all. */
function sdkTargets({ peers, results }) {
  return [100, 1_000, 10_000].flatMap((count) => {
    const trace = `instant-${count}`;
    const ours = cpuUs(results, trace, OURS, count);
    const others = peers
      .filter((peer) => peer.role === "sdk")
      .map((peer) => ({ title: peer.title, us: cpuUs(results, trace, peer.name, count) }))
      .filter(({ us }) => us > 0);
    if (ours === undefined || others.length === 0) return [];
    const best = others.reduce((least, other) => (other.us < least.us ? other : least));
    const text = `CPU per instant call at ${count.toLocaleString("en")}: below every SDK (${best.title}: ${rounded(best.us, 1)} µs)`;
    return [target(text, `${rounded(ours, 1)} µs`, ours < best.us)];
  });
}

/** The ratio of two numbers, if both were requested. */
function ratioTarget(text, value, reference, most) {
  if (value === undefined || reference === undefined) return [];
  return [target(`${text}: ≤ ${most} ×`, `${rounded(value / reference)} ×`, value / reference <= most)];
}

function ratioTargets({ results }) {
  const us = (...place) => cpuUs(results, ...place);
  return [
    ...ratioTarget(
      "CPU per instant call at 10,000 against the hand-written loop",
      us("instant-10000", OURS, 10_000),
      us("instant-10000", "handwritten", 10_000),
      2,
    ),
    ...ratioTarget(
      "CPU per instant call at 100,000 against that at 1,000",
      us("instant-100000", OURS, 100_000),
      us("instant-1000", OURS, 1_000),
      1.5,
    ),
    ...ratioTarget(
      "CPU of 64 KB inputs against the hand-written loop",
      us("large-inputs", OURS),
      us("large-inputs", "handwritten"),
      1.5,
    ),
  ];
}

function latencyTargets({ latency }) {
  if (latency === undefined) return [];
  if (latency.p99Us === undefined) return [target("latency", "failed", false)];
  const text = "last byte of a block to the tool's call, p99: < 1 ms";
  return [target(text, `${rounded(latency.p99Us, 0)} µs`, latency.p99Us < 1_000)];
}

/** Four times as many calls cost about four times as much, also where each of them changes something. */
function linearTargets({ linear }) {
  if (linear === undefined) return [];
  if (linear.rows === undefined) return [target("work per call", "failed", false)];
  return linear.rows.map(({ title, few, many, unit, growth, most, manyEach, mostEach, pass }) =>
    mostEach === undefined
      ? target(
          `${unit} of ${many} against those of ${few}, ${title}: ≤ ${most} ×`,
          `${rounded(growth)} ×`,
          pass,
        )
      : target(`${unit} each, ${title}: ≤ ${mostEach}`, rounded(manyEach, 0), pass),
  );
}

export function checkTargets(data) {
  return [
    ...timeTargets(data),
    ...latencyTargets(data),
    ...sdkTargets(data),
    ...ratioTargets(data),
    ...linearTargets(data),
  ];
}
