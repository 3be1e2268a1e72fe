/** Writes the results of a benchmark run: RESULTS.md and results.svg. */

import { writeFileSync } from "node:fs";
import { arch, cpus, getPriority, platform, release, totalmem } from "node:os";
import { chart } from "./chart.mjs";
import { cpuTable, failures, ownTable, targetTable, timeTable } from "./table.mjs";

/** Whether the process gets more processor time than others, as with `nice -n -20`. */
const hasPriority = () => getPriority() < 0;

/** The machine, versions and date of the run. */
export function describeRun({ nodeVersions, packages, command }) {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()} ${release()} ${arch()}${hasPriority() ? ", raised priority" : ""}`,
    nodeVersions,
    packages,
    command,
  };
}

export function tables(data) {
  const parts = [];
  if (data.traces.some((trace) => trace.kind === "timed")) parts.push(timeTable(data));
  if (data.traces.some((trace) => trace.kind !== "timed")) parts.push(cpuTable(data));
  if ([data.latency, data.memory, data.linear].some((alone) => alone !== undefined))
    parts.push(ownTable(data));
  if (data.targets.length > 0) parts.push(targetTable(data.targets));
  const failed = failures(data);
  return failed === "" ? parts : [...parts, failed];
}

const NOTES = `A local server replays the same scripted responses to every library. Each tool takes as long as its input says. We measure
the time from the first request to the end of the loop, each library in its own process: the median of at least 5 runs
after a warm-up (3 timed runs of the libraries and loops that we compare with, and fewer if one takes more than 15 s).
Timed runs of ours that differ by more than 2 % are measured again, at most twice, and the steadiest count.

Times are divided by the **per-path bound**: the shortest possible time if only calls on the same path wait for each other
(and bash waits for everything). A value below 1 is only possible by breaking the model's order. \`✗n\` is the number of
conflicting pairs of calls that overlapped or ran in the wrong order, and \`✗n lost\` the number of edits that were
overwritten. CPU is the processor time of the whole loop, per call in the columns with many calls. \`> 60 s\` means not
finished, or not tried because fewer calls already took that long.`;

function markdown(data) {
  const { date, machine, nodeVersions, packages, command } = data.about;
  return [
    "# Benchmark of the engine",
    NOTES,
    "![The time table as a chart](results.svg)",
    ...tables(data),
    [
      `- Date: ${date}`,
      `- Machine: ${machine}`,
      `- Node: ${nodeVersions.join(", ")}`,
      `- Packages: ${packages.join(", ")}`,
      `- Command: \`${command}\``,
    ].join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}

/** Keeps the raw numbers in the cache, so that tables and charts can be made again without measuring. */
export function writeReport(data, { folder, cache }) {
  writeFileSync(`${cache}/results.json`, JSON.stringify(data, null, 2));
  writeFileSync(`${folder}/RESULTS.md`, markdown(data));
  if (data.traces.some((trace) => trace.kind === "timed"))
    writeFileSync(`${folder}/results.svg`, chart(data));
}
