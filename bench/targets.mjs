/** The targets for Runahead. Each returns `{text, value, pass}`, or nothing if `--only` left it out. */

const OURS = "runahead";

const target = (text, value, pass) => ({ text, value, pass });
const rounded = (number, digits = 2) => number.toFixed(digits);

/** The rows that are ours from the request to the results. */
const isOurs = ({ role }) => role === "ours" || role === "loop-of-ours";

/** Time against the per-path bound, and no order broken, on both Nodes. */
function timeTargets({ traces, peers, results, bounds }) {
  const timed = traces.filter((trace) => trace.kind === "timed");
  const ours = peers.filter(isOurs);
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

/**
 * Of an adapter inside another library: the most that it can take, and the row of the library itself. Without the
 * middleware, `early` cannot hear how the response goes on after the calls, so it only has to be as fast as without.
 */
const ADAPTERS = {
  "ai-sdk-7-early": { plain: "ai-sdk-7", most: Infinity },
  "runahead-run-with": { plain: "anthropic", most: 1.03 },
  "ai-sdk-7-middleware": { plain: "ai-sdk-7", most: 1.03 },
};
/** Two equal runs differ by less than this. */
const EQUAL = 1.01;

/** Time of adapters against the bound, and against the library without the adapter where that breaks no order. */
function adapterTargets({ traces, peers, results, bounds }) {
  const timed = traces.filter((trace) => trace.kind === "timed");
  const adapters = peers.filter(({ name }) => name in ADAPTERS);
  return timed.flatMap((trace) =>
    adapters.flatMap((peer) => {
      const { plain: plainName, most } = ADAPTERS[peer.name];
      const result = results[trace.name]?.[peer.name];
      if (result === undefined) return [];
      const name = `${peer.title}, ${trace.title}`;
      if (result.wallMs === undefined) return [target(name, "failed", false)];
      const ratio = result.wallMs / bounds[trace.name].perPathMs;
      const text = `${name}: ≤ ${most} × the per-path bound`;
      const inTime = most < Infinity ? [target(text, rounded(ratio, 3), ratio <= most)] : [];
      const plain = results[trace.name]?.[plainName];
      if (plain?.wallMs === undefined || plain.races + plain.lost > 0) return inTime;
      const against = result.wallMs / plain.wallMs;
      return [
        ...inTime,
        target(`${name}: not slower than without`, `${rounded(against)} ×`, against <= EQUAL),
      ];
    }),
  );
}

/** Microseconds of processor time per call; `undefined` if not requested, `NaN` if it failed. */
function cpuUs(results, trace, peer, calls = 1) {
  const result = results[trace]?.[peer];
  return result && ((result.cpuMs ?? Number.NaN) * 1000) / calls;
}

const LOOP = "runahead-query";

const shownUs = (us) => (us < 1_000 ? `${rounded(us, 1)} µs` : `${rounded(us / 1_000, 0)} ms`);

/** Where the processor time is compared with that of every SDK. */
const CPU_PLACES = [
  ...[100, 1_000, 10_000, 100_000].map((count) => ({
    trace: `instant-${count}`,
    count,
    place: `per instant call at ${count.toLocaleString("en")}`,
  })),
  { trace: "large-inputs", count: 1, place: "of 64 KB inputs" },
];

/** Below every SDK that finished at all: the engine, and the agent's own loop. */
function sdkTargets(data) {
  return [...belowEverySdk(data, OURS, "CPU"), ...belowEverySdk(data, LOOP, "CPU of query()")];
}

function belowEverySdk({ peers, results }, name, what) {
  return CPU_PLACES.flatMap(({ trace, count, place }) => {
    const ours = cpuUs(results, trace, name, count);
    const others = peers
      .filter((peer) => peer.role === "sdk")
      .map((peer) => ({ title: peer.title, us: cpuUs(results, trace, peer.name, count) }))
      .filter(({ us }) => us > 0);
    if (ours === undefined || others.length === 0) return [];
    const best = others.reduce((least, other) => (other.us < least.us ? other : least));
    const text = `${what} ${place}: below every SDK (${best.title}: ${shownUs(best.us)})`;
    return [target(text, shownUs(ours), ours < best.us)];
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
    ...ratioTarget(
      "CPU of query() per instant call at 10,000 against the hand-written loop",
      us("instant-10000", LOOP, 10_000),
      us("instant-10000", "handwritten", 10_000),
      2,
    ),
    ...ratioTarget(
      "CPU of query() with 64 KB inputs against the hand-written loop",
      us("large-inputs", LOOP),
      us("large-inputs", "handwritten"),
      2,
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
    ...adapterTargets(data),
    ...latencyTargets(data),
    ...sdkTargets(data),
    ...ratioTargets(data),
    ...linearTargets(data),
  ];
}
