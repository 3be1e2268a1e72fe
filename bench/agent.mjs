/**
 * The benchmark of the agent: `node bench/agent.mjs [--only <name>[,…]]`. Runs each part in its own process, prints the
 * numbers, checks the targets and writes AGENT.md. Exits with 1 if a target is missed. With `--only`, writes nothing.
 */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { killAll, runChild } from "./processes.mjs";
import { describeRun } from "./report.mjs";
import { table, targetTable } from "./table.mjs";

const LIMIT_MS = 300_000;
const micro = (us) => `${us.toFixed(0)} µs`;
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const perCall = ({ plainUs, lockedUs }) => `${plainUs.toFixed(2)} / ${lockedUs.toFixed(2)} µs`;
const tokensOf = ({ input, output }) => input + output;
const kb = (bytes) => `${Math.round(bytes / 1024).toLocaleString("en")} KB`;
const times = (ratio) => `${ratio.toFixed(2)} ×`;

/** For each part: the rows of the table, and the targets as `{text, value, pass}`. */
const PARTS = {
  agents: {
    rows: ({ agents, idealMs, wallMs, savedWallMs, idleBytes, turnBytes }) => [
      [
        `${agents} agents, 3 turns of 4 reads of 300 ms under 1 s of text (ideal ${seconds(idealMs)})`,
        seconds(wallMs),
      ],
      ["the same with sessions on disk", seconds(savedWallMs)],
      ["heap per idle session", `${idleBytes} B`],
      ["heap per running turn", `${turnBytes} B`],
    ],
    targets: ({ agents, idealMs, wallMs }) => [
      most(`${agents} agents in one process against the ideal`, wallMs / idealMs, 1.2),
    ],
  },
  compaction: {
    rows: ({ prompts, summaryMs, compactions, plainMs, compactedMs }) => [
      [
        `longest time from a prompt to the first text, ${prompts} prompts: with ${compactions} compactions of ${seconds(summaryMs)} / without`,
        `${compactedMs.toFixed(0)} / ${plainMs.toFixed(0)} ms`,
      ],
    ],
    targets: ({ extraMs, summaryMs }) => [
      {
        text: `a compaction delays the first text: < 10 % of the summary's ${seconds(summaryMs)}`,
        value: `${extraMs.toFixed(0)} ms`,
        pass: extraMs < summaryMs / 10,
      },
    ],
  },
  "long-sessions": {
    rows: ({ turns, window, early, late, journalBytes, resumeMs, listMs, listed }) => [
      [
        `CPU per turn, the first / the last ${window} of ${turns} turns`,
        `${early.cpuMs.toFixed(1)} / ${late.cpuMs.toFixed(1)} ms`,
      ],
      ["journal per turn, the same turns", `${kb(early.journalBytes)} / ${kb(late.journalBytes)}`],
      ["heap at the end of the same turns", `${kb(early.heapBytes)} / ${kb(late.heapBytes)}`],
      [`resume ${turns} turns from ${kb(journalBytes)}`, `${resumeMs.toFixed(0)} ms`],
      [`list ${listed} sessions, one of them with ${turns} turns`, `${listMs.toFixed(0)} ms`],
    ],
    targets: ({ turns, window, early, late, journalBytes, resumeMs, listMs, fewMs }) => [
      most(
        `CPU per turn of the last ${window} of ${turns} turns against the first`,
        late.cpuMs / early.cpuMs,
        1.5,
      ),
      most("journal per turn, the same turns", late.journalBytes / early.journalBytes, 1.1),
      {
        text: `heap that a turn leaves in memory, ${turns} turns: ≤ 2 KB`,
        value: kb((late.heapBytes - early.heapBytes) / turns),
        pass: (late.heapBytes - early.heapBytes) / turns <= 2_048,
      },
      {
        text: "resume: < 1 s per 10 MB of journal",
        value: seconds((resumeMs * 10e6) / journalBytes),
        pass: (resumeMs * 10e6) / journalBytes < 1_000,
      },
      {
        text: "list with the long session: ≤ 50 ms more than with a short one",
        value: `${(listMs - fewMs).toFixed(0)} ms`,
        pass: listMs - fewMs <= 50,
      },
    ],
  },
  "sub-agents": {
    rows: ({ few, many, turns, manyTurns, idealMs, oneMs, fewMs, manyMs }) => [
      [
        `1 / ${few} sub-agents of ${turns} turns that edit their own files`,
        `${seconds(oneMs)} / ${seconds(fewMs)}`,
      ],
      [
        `${many} sub-agents of ${manyTurns} turns in one session (ideal ${seconds(idealMs)})`,
        seconds(manyMs),
      ],
    ],
    targets: ({ few, many, idealMs, oneMs, fewMs, manyMs }) => [
      most(`${few} sub-agents against one`, fewMs / oneMs, 1.1),
      most(`${many} sub-agents in one session against the ideal`, manyMs / idealMs, 1.2),
    ],
  },
  locks: {
    rows: ({
      turns,
      sideBySide,
      many,
      idealMs,
      oneMs,
      eightMs,
      manyMs,
      contendedMs,
      serialMs,
      writes,
      reads,
    }) => [
      [
        `${turns} turns with locks: one executor / ${sideBySide} side by side / ${many} with longer responses (ideal ${seconds(idealMs)})`,
        `${seconds(oneMs)} / ${seconds(eightMs)} / ${seconds(manyMs)}`,
      ],
      [
        `${sideBySide} executors that edit one file (one edit after the other: ${seconds(serialMs)})`,
        seconds(contendedMs),
      ],
      ["CPU per instant write: without / with locks", perCall(writes)],
      ["CPU per instant read: without / with locks", perCall(reads)],
    ],
    targets: ({ sideBySide, many, idealMs, oneMs, eightMs, manyMs, writes, reads }) => [
      most(`${sideBySide} executors side by side against one`, eightMs / oneMs, 1.1),
      most(`${many} executors with the same locks against the ideal`, manyMs / idealMs, 1.2),
      most("CPU per instant write with locks against without", writes.ratio, 1.05),
      most("CPU per instant read with locks against without", reads.ratio, 1.05),
    ],
  },
  "code-mode": {
    rows: ({ lookups, serial, parallel, script }) => {
      const row = ({ turns, input, output, ms }) =>
        `${turns} turns, ${input + output} tokens, ${seconds(ms)}`;
      return [
        [`${lookups} lookups and a filter: one call per turn`, row(serial)],
        ["the same with all calls in one turn", row(parallel)],
        ["the same with one script (code mode)", row(script)],
      ];
    },
    targets: ({ serial, parallel, script }) => [
      most("tokens of a script against calls in one turn", tokensOf(script) / tokensOf(parallel), 0.2),
      most("time of a script against one call per turn", script.ms / serial.ms, 0.2),
    ],
  },
  permissions: {
    rows: ({ samples, chars, p50Us, p99Us }) => [
      [
        `a verdict on a shell command of ${chars} characters, ${samples} samples: p50 / p99`,
        `${micro(p50Us)} / ${micro(p99Us)}`,
      ],
    ],
    targets: ({ p99Us }) => [
      { text: "a verdict on a shell command, p99: < 1 ms", value: micro(p99Us), pass: p99Us < 1_000 },
    ],
  },
  bash: {
    rows: ({ bashMs, redirectedMs, memoryBytes }) => [
      ["1 GB of output through Bash / redirected to a file", `${seconds(bashMs)} / ${seconds(redirectedMs)}`],
      ["memory that it takes", `${Math.round(memoryBytes / 1e6)} MB`],
    ],
    targets: ({ ratio, memoryBytes }) => [
      most("1 GB of output through Bash against a redirection", ratio, 3),
      {
        text: "memory for 1 GB of output: ≤ 200 MB",
        value: `${Math.round(memoryBytes / 1e6)} MB`,
        pass: memoryBytes <= 200e6,
      },
    ],
  },
  confined: {
    rows: ({ bareMs, confinedMs }) => [
      [
        "a command that only reads: through Bash in the read-only sandbox / spawned as it is",
        `${confinedMs.toFixed(1)} / ${bareMs.toFixed(1)} ms`,
      ],
    ],
    targets: ({ ratio }) => [most("a confined read against a bare spawn", ratio, 4)],
  },
  search: {
    rows: ({ files, searches }) =>
      searches.map(({ name, toolMs, rgMs }) => [
        `${name} in ${files} files / rg itself`,
        `${toolMs.toFixed(0)} / ${rgMs.toFixed(0)} ms`,
      ]),
    targets: ({ searches }) =>
      searches.map(({ name, ratio }) => most(`${name} against rg itself`, ratio, 1.15)),
  },
};

function most(text, ratio, limit) {
  return { text: `${text}: ≤ ${limit} ×`, value: times(ratio), pass: ratio <= limit };
}

function wanted() {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true, default: [] } } });
  const only = values.only.flatMap((names) => names.split(","));
  const unknown = only.filter((name) => !(name in PARTS));
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(", ")}; known: ${Object.keys(PARTS).join(", ")}`);
    process.exit(2);
  }
  return only.length > 0 ? only : Object.keys(PARTS);
}

async function measure(name) {
  console.error(`${name} …`);
  const options = { execPath: process.execPath, execArgv: ["--expose-gc"], limitMs: LIMIT_MS };
  const { runs, error } = await runChild(`./${name}.mjs`, {}, options);
  if (runs[0] === undefined)
    return {
      rows: [[name, "failed"]],
      targets: [{ text: `${name}: ${error}`, value: "failed", pass: false }],
    };
  return { rows: PARTS[name].rows(runs[0]), targets: PARTS[name].targets(runs[0]) };
}

function markdown(tables) {
  const { date, machine } = describeRun({});
  const about = `- Date: ${date}\n- Machine: ${machine}\n- Node: ${process.version}\n- Command: \`node bench/agent.mjs\``;
  return ["# Benchmark of the agent", ...tables, about].join("\n\n").concat("\n");
}

async function main() {
  const names = wanted();
  const measured = [];
  for (const name of names) measured.push(await measure(name));
  const targets = measured.flatMap((one) => one.targets);
  const tables = [
    table(
      ["what", "value"],
      measured.flatMap((one) => one.rows),
    ),
    targetTable(targets),
  ];
  console.log(tables.join("\n\n"));
  if (names.length === Object.keys(PARTS).length)
    writeFileSync(fileURLToPath(new URL("AGENT.md", import.meta.url)), markdown(tables));
  if (targets.some(({ pass }) => !pass)) process.exitCode = 1;
}

process.once("exit", killAll);
await main();
