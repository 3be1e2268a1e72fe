/**
 * The whole bench: `node bench/run.mjs [--quick] [--only <peer or trace>[,…]]`. Prints the tables, checks the
 * targets, writes RESULTS.md and results.svg; ends with 1 when a target is missed. A part of the bench (--quick,
 * --only) writes to bench/.cache instead, because it is not a complete result.
 *
 * On a machine that also does other work, timed rows measure how long processes wait for a processor. As root,
 * `nice -n -20 node bench/run.mjs …` gives the bench priority over everything else; the report then says so. Do not use
 * real-time scheduling (`chrt -f`): two peers that spin can keep the server from running.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installPeers, nodeForPeers, versionOf } from "./install.mjs";
import { measureAll } from "./measure.mjs";
import { peers as allPeers } from "./peers.mjs";
import { killAll, runChild, startServer } from "./processes.mjs";
import { describeRun, tables, writeReport } from "./report.mjs";
import { checkTargets } from "./targets.mjs";
import { traces as allTraces } from "./traces.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url)).replace(/[\\/]$/, "");
const cache = `${folder}/.cache`;
const ALONE = ["latency", "memory", "linear"];

function readArguments() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
    },
  });
  const only = values.only.flatMap((names) => names.split(","));
  const known = [...allPeers, ...allTraces].map(({ name }) => name).concat(ALONE);
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(", ")}; known: ${known.join(", ")}`);
    process.exit(2);
  }
  return { quick: values.quick, only };
}

const orAll = (some, all) => (some.length > 0 ? some : all);

/** Names select within their kind. A kind without names is complete, unless only standalone parts are named. */
function choose({ only }) {
  const named = (list) => list.filter(({ name }) => only.includes(name));
  const alone = ALONE.filter((name) => only.includes(name));
  const onlyAlone = only.length > 0 && alone.length === only.length;
  return {
    peers: orAll(named(allPeers), allPeers),
    traces: onlyAlone ? [] : orAll(named(allTraces), allTraces),
    alone: only.length > 0 ? alone : ALONE,
  };
}

/** Prints one line per measurement, to show progress. */
function reporter(total) {
  let done = 0;
  const startMs = performance.now();
  return (trace, peer, { wallMs, cpuMs, error }) => {
    const numbers = wallMs === undefined ? error : `${wallMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms`;
    const seconds = Math.round((performance.now() - startMs) / 1000);
    console.error(`[${++done}/${total}, ${seconds} s] ${trace.name}: ${peer.title}: ${numbers}`);
  };
}

/** Measurements of Runahead alone, each in its own process. */
async function measureAlone(names, execPath) {
  const measured = {};
  for (const name of names) {
    console.error(`${name} …`);
    const options = { execPath, execArgv: ["--expose-gc"], limitMs: 300_000 };
    const { runs, error } = await runChild(`./${name}.mjs`, {}, options);
    measured[name] = runs[0] ?? { error };
  }
  return measured;
}

const versionOfNode = (path) => spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim();

function about(peers, nodes) {
  const used = [...new Set(peers.flatMap((peer) => peer.uses ?? []))];
  return describeRun({
    nodeVersions: [...new Set(Object.values(nodes).map(versionOfNode))],
    packages: [...used, "zod"].map((name) => `${name === "ai6" ? "ai" : name} ${versionOf(name)}`),
    command: ["node bench/run.mjs", ...process.argv.slice(2)].join(" "),
  });
}

async function main() {
  const { quick, only } = readArguments();
  const { peers, traces, alone } = choose({ only });
  mkdirSync(cache, { recursive: true });
  await installPeers();
  const nodes = { 20: process.execPath, 24: nodeForPeers() };
  const server = await startServer();
  const progress = reporter(peers.length * traces.length);
  const measured = await measureAll({ peers, traces, quick, nodes, origin: server.origin, progress });
  server.stop();
  const data = {
    peers,
    traces,
    ...measured,
    ...(await measureAlone(alone, nodes[24])),
    about: about(peers, nodes),
  };
  data.targets = checkTargets(data);
  console.log(tables(data).join("\n\n"));
  const whole = !quick && only.length === 0;
  writeReport(data, { folder: whole ? folder : cache, cache });
  if (data.targets.some(({ pass }) => !pass)) process.exitCode = 1;
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    killAll();
    process.exit(signal === "SIGINT" ? 130 : 143);
  });
}
process.once("exit", killAll);

await main();
