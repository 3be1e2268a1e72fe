/** Runs every library on every trace, decides how often, and skips runs that would take too long. */

import { bounds } from "./bounds.mjs";
import { runChild } from "./processes.mjs";
import { findTrace } from "./traces.mjs";

/** The time limit of a run. */
const LIMIT_MS = 60_000;
/** After this time a library gets no more repetitions. Runahead always gets all. */
const BUDGET_MS = 15_000;
const NO_BUDGET_MS = 1e9;

export function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** If timed runs differ by more than this, something else used the machine, and they are measured again. */
const STEADY = 1.02;
const MOST_AGAIN = 2;
/** How many libraries without a target share the machine. */
const AT_ONCE = 3;

/** Libraries without a target: their times differ by more than two runs of one do. */
const isCompared = ({ role }) => role === "sdk" || role === "loop";

/** Short runs are repeated more often, because they vary more. */
function planOf(trace, peer, quick) {
  if (trace.kind === "timed") {
    const [repeats, budgetMs] = isCompared(peer) ? [3, 2_000] : [5, 5_000];
    const warm = { traceName: "warm-up", count: quick ? 1 : 40, budgetMs };
    return { warm, repeats: quick ? 1 : repeats };
  }
  const traceName = trace.count === 100_000 ? "instant-10000" : trace.name;
  const warm = { traceName, count: trace.count === 100 ? 200 : 30 };
  const repeats = trace.count === 100 ? 25 : trace.count === 1_000 ? 11 : 5;
  return { warm: { ...warm, budgetMs: 4_000 }, repeats: quick ? Math.min(repeats, 3) : repeats };
}

function summary({ runs, error }, planned) {
  if (runs.length === 0) return { error };
  const middle = (field) => median(runs.map((run) => run[field]));
  const most = (field) => Math.max(...runs.map((run) => run[field] ?? 0));
  const walls = runs.map(({ wallMs }) => wallMs);
  return {
    runs: runs.length,
    planned,
    spread: Math.max(...walls) / Math.min(...walls),
    wallMs: middle("wallMs"),
    cpuMs: middle("cpuMs"),
    races: most("races"),
    lost: most("lost"),
    ...(error === undefined ? {} : { error }),
  };
}

/** Why a library is not tried with more calls: the extrapolated time. */
function hopeless(peer, trace, results) {
  if (trace.kind !== "instant") return undefined;
  const before = (size) => results[`instant-${size}`]?.[peer.name];
  const last = before(trace.count / 10);
  const earlier = before(trace.count / 100);
  if (last === undefined) return undefined;
  if (last.wallMs === undefined) return last.error.startsWith(">") ? "> 60 s" : last.error;
  // Ten times the calls take at least ten times as long, or the factor of the previous step.
  const growth = Math.max(10, earlier?.wallMs === undefined ? 10 : last.wallMs / earlier.wallMs);
  const expectedMs = last.wallMs * growth;
  return expectedMs > LIMIT_MS ? `> 60 s (about ${Math.round(expectedMs / 1000)} s expected)` : undefined;
}

/** Measures one library on one trace. */
async function measureOne(peer, trace, { origin, nodes, quick, results }) {
  const reason = hopeless(peer, trace, results);
  if (reason !== undefined) return { error: reason, skipped: true };
  const plan = planOf(trace, peer, quick);
  const budgetMs = trace.kind === "timed" || peer.role === "ours" ? NO_BUDGET_MS : BUDGET_MS;
  const job = { peerFile: peer.file, traceName: trace.name, origin, ...plan, budgetMs };
  const options = { execPath: nodes[peer.node], limitMs: LIMIT_MS };
  const measure = async () => summary(await runChild("./child.mjs", job, options), plan.repeats);
  return trace.kind === "timed" && !isCompared(peer) ? steadiest(measure) : measure();
}

/** What was lost or out of order in any of the runs counts. */
async function steadiest(measure) {
  const all = [await measure()];
  while (all.length <= MOST_AGAIN && all.every(({ spread }) => spread > STEADY)) all.push(await measure());
  const [best] = all.toSorted((one, other) => one.spread - other.spread);
  if (best.runs === undefined) return best;
  const most = (field) => Math.max(...all.map((one) => one[field] ?? 0));
  return { ...best, races: most("races"), lost: most("lost") };
}

/**
 * Which libraries are measured at the same time. In a trace with durations a library mostly waits, so that those without a
 * target share the machine. Ours, and everything whose processor time is measured, have it for themselves.
 */
function together(peers, trace) {
  const shares = trace.kind === "timed" ? peers.filter(isCompared) : [];
  const alone = peers.filter((peer) => !shares.includes(peer));
  const groups = alone.map((peer) => [peer]);
  for (let at = 0; at < shares.length; at += AT_ONCE) groups.push(shares.slice(at, at + AT_ONCE));
  return groups;
}

/** `results[trace][peer]`, and the bounds of the traces that have durations. */
export async function measureAll({ peers, traces, progress, ...options }) {
  const results = {};
  for (const trace of traces) {
    const found = (results[trace.name] = {});
    for (const some of together(peers, trace))
      await Promise.all(
        some.map(async (peer) => {
          found[peer.name] = await measureOne(peer, trace, { ...options, results });
          progress(trace, peer, found[peer.name]);
        }),
      );
  }
  const timed = traces.filter((trace) => trace.kind === "timed");
  return { results, bounds: Object.fromEntries(timed.map(({ name }) => [name, bounds(findTrace(name))])) };
}
