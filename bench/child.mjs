/**
 * Runs one library on one trace in its own process: warms up, measures, and sends each run to run.mjs when it ends, so that
 * a run that takes too long does not lose the others.
 */

import { perPath } from "./bounds.mjs";
import { makeTools, makeWorld } from "./tools.mjs";
import { callsOf, findTrace } from "./traces.mjs";

/** A call's own name in a trace. */
const keyOf = ({ tool, input }) => [tool, input.path ?? input.command, input.line].join(" ");

/** Counts the conflicting pairs of calls that did not run in the model's order. */
function racesOf(trace, world) {
  const runs = new Map(world.runs.map((run) => [keyOf(run), run]));
  let races = 0;
  for (const turn of trace.turns) {
    const calls = callsOf(turn);
    for (const later of calls) {
      for (const earlier of calls.slice(0, later.index)) {
        if (!perPath(earlier, later)) continue;
        if (runs.get(keyOf(later)).startMs < runs.get(keyOf(earlier)).endMs) races++;
      }
    }
  }
  return races;
}

/** Counts the edits that are missing in the files. */
function lostOf(trace, world) {
  const edits = trace.turns.flatMap(callsOf).filter((call) => call.tool === "edit");
  return edits.filter(({ input }) => !world.files.get(input.path)?.includes(input.line)).length;
}

function countOf(trace) {
  return trace.turns.reduce((total, turn) => total + callsOf(turn).length, 0);
}

/** Returns a function that runs a trace once and returns the measurements. */
function measurer(peer, trace, baseURL) {
  let world = makeWorld();
  const timed = trace.kind === "timed";
  const run = peer.prepare({ baseURL, trace, tools: makeTools(() => world, { timed }) });
  const expected = countOf(trace);
  return async () => {
    world = makeWorld();
    const cpuBefore = process.cpuUsage();
    const startMs = performance.now();
    await run();
    const wallMs = performance.now() - startMs;
    const { user, system } = process.cpuUsage(cpuBefore);
    if (world.count !== expected) throw new Error(`${world.count} calls ran, not ${expected}`);
    const order = timed ? { races: racesOf(trace, world), lost: lostOf(trace, world) } : {};
    return { wallMs, cpuMs: (user + system) / 1000, ...order };
  };
}

/**
 * Warms up the code and the connection, as in a program that has been running for a while. For the same reason, no garbage
 * collection is forced between runs: it would discard the compiled code.
 */
async function warmUp(measure, { count, budgetMs }) {
  const startMs = performance.now();
  for (let done = 0; done < count && performance.now() - startMs < budgetMs; done++) await measure();
}

async function main({ peerFile, traceName, origin, repeats, warm, budgetMs }) {
  const peer = await import(`./peers/${peerFile}`);
  const measurerOf = (name) => measurer(peer, findTrace(name), `${origin}/t/${name}`);
  await warmUp(measurerOf(warm.traceName), warm);
  const measure = measurerOf(traceName);
  const startMs = performance.now();
  process.send({ ready: true });
  for (let done = 0; done < repeats && (done === 0 || performance.now() - startMs < budgetMs); done++) {
    process.send({ run: await measure() });
  }
  process.send({ finished: true });
}

process.on("disconnect", () => process.exit());
process.once("message", (job) => {
  main(job)
    .catch((error) => process.send({ error: String(error?.message ?? error).slice(0, 300) }))
    .finally(() => process.disconnect());
});
