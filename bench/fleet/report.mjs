/** What the benchmark of the fleet writes: its own page, and the table of sizes in docs/operating.md. */

import { readFileSync, writeFileSync } from "node:fs";
import { describeRun } from "../report.mjs";
import { table, targetTable } from "../table.mjs";

const MOST = 1.5;
const SIZING = new URL("../../docs/operating.md", import.meta.url);
const PAGE = new URL("../FLEET.md", import.meta.url);

const share = (part) => `${(part * 100).toFixed(0)} %`;
const inMs = (value) => `${value.toFixed(2)} ms`;
const inTimes = (value) => `${value.toFixed(2)} ×`;

const SIDE_ROWS = [
  ["time of a turn, 32 sessions at a time", "many", "ms"],
  ["time of a turn, one session at a time", "alone", "ms"],
  ["CPU time of all processes per turn, 32 sessions at a time", "many", "all"],
  ["of it client and worker", "many", "ours"],
];
/** The rows that the target is about: `ours` is a part of another one. */
const TARGET_ROWS = SIDE_ROWS.filter(([, , what]) => what !== "ours");

export function sideTables(side) {
  const rows = SIDE_ROWS.map(([title, when, what]) => {
    const { fleet, postgres, files, ratio } = side[when];
    return [title, inMs(fleet[what]), inMs(postgres[what]), inTimes(ratio[what]), inMs(files[what])];
  });
  const head = ["what", "fleet", "one process, Postgres", "ratio", "one process, files"];
  const targets = TARGET_ROWS.map(([title, when, what]) => {
    const value = side[when].ratio[what];
    return { text: `${title}, against one process: ≤ ${MOST} ×`, value: inTimes(value), pass: value <= MOST };
  });
  return {
    text: `${table(head, rows)}\n\n${targetTable(targets)}`,
    pass: targets.every(({ pass }) => pass),
  };
}

export function growthTable(runs, slots) {
  const [first] = runs;
  const rows = runs.map((run) => [
    `${run.workers}`,
    run.turnsPerSecond.toFixed(0),
    share(run.turnsPerSecond / run.workers / first.turnsPerSecond),
    run.statementsPerSecond.toFixed(0),
    share(run.machineBusy),
    run.databaseCores.toFixed(2),
  ]);
  const head = [
    `workers of ${slots} slots`,
    "turns/s",
    "of linear growth",
    "statements/s",
    "machine busy",
    "cores of Postgres",
  ];
  return table(head, rows);
}

/** The rate at which Postgres is the limit, by its share of a core; and the rate per core that follows. */
export function limitedTable(runs, slots) {
  const counts = [...new Set(runs.map(({ workers }) => workers))];
  const shares = [...new Set(runs.map(({ share: one }) => one))];
  const limits = shares.map((one) => {
    const own = runs.filter((run) => run.share === one);
    const best = own.reduce((most, run) => (run.turnsPerSecond > most.turnsPerSecond ? run : most));
    return { share: one, own, best };
  });
  const rows = limits.map(({ share: one, own, best }) => [
    one.toFixed(2),
    ...own.map(({ turnsPerSecond }) => turnsPerSecond.toFixed(0)),
    best.databaseCores.toFixed(2),
    share(best.machineBusy),
    (best.turnsPerSecond / one).toFixed(0),
  ]);
  const head = [
    "cores of Postgres",
    ...counts.map((count) => `turns/s, ${count} worker${count === 1 ? "" : "s"} of ${slots} slots`),
    "cores that it used at the limit",
    "machine busy",
    "turns/s per core",
  ];
  const perCore = limits.reduce((sum, { best, share: one }) => sum + best.turnsPerSecond / one, 0);
  return { text: table(head, rows), perCore: perCore / limits.length };
}

export function limitTable({ runs }) {
  const rows = runs.map((run) => [
    `${run.connections}`,
    run.turnsPerSecond.toFixed(0),
    run.statementsPerSecond.toFixed(0),
    run.databaseCores.toFixed(2),
    share(run.machineBusy),
  ]);
  const head = ["connections", "turns/s", "statements/s", "cores of Postgres", "machine busy"];
  return table(head, rows);
}

export function loadTable({ run, waiting, count }) {
  return table(
    ["what", "value"],
    [
      ["sessions of three turns, all ended", String(count)],
      [`turns per second, ${run.workers} workers`, run.turnsPerSecond.toFixed(0)],
      ["sessions started per second, while workers run", run.startedPerSecond.toFixed(0)],
      ["CPU time of a worker per turn", `${run.cpuMsPerTurn.toFixed(2)} ms`],
      ["CPU time of Postgres per turn", `${run.databaseMsPerTurn.toFixed(2)} ms`],
      ["statements of the database per turn", run.commitsPerTurn.toFixed(1)],
      ["rows that the database writes per turn", run.rowsPerTurn.toFixed(1)],
      ["write-ahead log per turn", `${(run.walPerTurn / 1_000).toFixed(1)} kB`],
      ["disk space of a session of three turns", `${(run.bytesPerSession / 1_000).toFixed(1)} kB`],
      ["memory of a worker", `${(run.rss / 1e6).toFixed(0)} MB`],
      [
        "memory of a worker per session that waits for a person",
        `${Math.max(0, waiting.memory).toFixed(0)} B`,
      ],
      ["disk space of a session that waits for a person", `${(waiting.disk / 1_000).toFixed(1)} kB`],
    ],
  );
}

const PER_SECOND = (1_000_000 * 3) / 86_400;
const PEAK = 3;
const TURN_S = 10;
const SLOTS = 16;
const rounded = (number) => Number(number.toPrecision(2)).toLocaleString("en-US");

/** The arithmetic for 1,000,000 sessions a day, from what was measured. */
export function sizingTable({ run, limit, atLimit }) {
  const peak = Math.ceil(PER_SECOND) * PEAK;
  const sessions = peak * TURN_S;
  const [cpu, database] = [run.cpuMsPerTurn.toFixed(1), run.databaseMsPerTurn.toFixed(1)];
  const [statements, rows] = [run.commitsPerTurn.toFixed(1), run.rowsPerTurn.toFixed(1)];
  const [wal, disk] = [(run.walPerTurn / 1_000).toFixed(1), (run.bytesPerSession / 1_000).toFixed(1)];
  const lines = [
    ["turns", "1,000,000 × 3 ÷ 86,400 s", `35 per second, ${peak} at the peak`],
    [
      "CPU of workers",
      `${peak} × ${cpu} ms`,
      `${((peak * cpu) / 1_000).toFixed(2)} cores at the peak; take 2 workers on different machines, for failures`,
    ],
    [
      "CPU of Postgres",
      `${peak} × ${database} ms`,
      `${((peak * database) / 1_000).toFixed(2)} cores at the peak`,
    ],
    [
      "statements of Postgres",
      `${peak} × ${statements}`,
      `${rounded(peak * statements)} per second at the peak`,
    ],
    [
      "the rate at which Postgres is the limit",
      "measured with workers and a part of a core",
      `${rounded(atLimit.perCore)} turns per second and core: ${rounded((atLimit.perCore * 86_400) / 3 / PEAK)} sessions a day with such a peak`,
    ],
    [
      "the same for all cores of our machine",
      "measured with recorded statements",
      `${rounded(limit.best.turnsPerSecond)} turns per second: ${rounded((limit.best.turnsPerSecond * 86_400) / 3 / PEAK)} sessions a day with such a peak`,
    ],
    ["rows that Postgres writes", `${peak} × ${rows}`, `${rounded(peak * rows)} per second at the peak`],
    [
      "write-ahead log",
      `3,000,000 × ${wal} kB`,
      `${rounded(3 * wal)} GB a day, ${rounded((peak * wal) / 1_000)} MB per second at the peak`,
    ],
    ["disk", `1,000,000 × ${disk} kB`, `${rounded(Number(disk))} GB a day until sessions are deleted`],
    [
      `sessions that run at once, if a turn of a real model takes ${TURN_S} s`,
      `${peak} × ${TURN_S} s`,
      `${sessions.toLocaleString("en-US")}: ${Math.ceil(sessions / SLOTS)} workers of ${SLOTS} slots, on as many cores as their tools need`,
    ],
  ];
  const row = (cells) => `| ${cells.join(" | ")} |`;
  return [row(["what", "arithmetic", "result"]), "|---|---|---|", ...lines.map(row)].join("\n");
}

const SIZING_ROWS = /^\| what \| arithmetic \| result \|\n(?:\|.*\n)+/m;

export function writePages({ load, growth, limited, limit, side, sizing }) {
  const { date, machine } = describeRun({});
  writeFileSync(
    PAGE,
    `# Benchmark of the fleet

Clients, workers, Redis and Postgres run on one machine, each in its own process. The model is scripted and takes no time. A
session has three turns; two of them make a call that writes. Every commit of the database waits for the disk.

## A turn through the fleet, and the same turn in one process

*Through the fleet*: a client sends the prompt and reads all events of the session until its run has ended, and a worker in
another process runs it. *The same turn in one process*: the same model, tool, prompt and store, with \`createAgent\` and
\`sessions({ store })\` in the process of the client, without a queue, without Redis and without a reader of events. Both have the
same guarantees: every call that writes is durable before it starts, and the fencing number is checked with every append.

Both alternate, after a warm-up of 60 rounds in which both processes compile their code. Times are medians of all rounds, and
their ratio is the median of the ratios in each round. CPU times are means, because the kernel counts those of the servers in
steps of 10 ms; those of all processes include Redis and Postgres.

${side}

## Throughput by workers

Each call takes 50 ms, and each worker runs two sessions at a time, so that the slots are the limit at first. All sessions wait
when the workers begin. Statements include those that look for the end of the sessions. Where the machine is busy, its cores are
the limit and not the database.

${growth}

## Throughput by workers until the database is the limit

The same with a Postgres that has a part of a core, so that it is the limit long before the cores of the machine: a control group
stops all its processes once they have used their share of 10 ms. Sessions are sent while the workers run. With few workers, the
slots are the limit, whatever the share. With more workers, the throughput grows until Postgres has used its share, and stays
there while the machine is not busy. Postgres with twice the share ends twice the turns: so the last column is the rate at
which a core of Postgres is the limit.

${limited}

## The rate at which all cores are the limit of the database

The statements of one session of three turns through the fleet are recorded, from the prompt to the release of its lease, and
\`pgbench\` repeats them for new sessions as fast as it can: so the database has the cores that Node would use, but for those of
\`pgbench\`. After each row, the tables are compared with what that many sessions must have left. The rate grows with the
connections until the machine is busy with Postgres. That is the limit: more workers end no more turns per second.

${limit}

## 10,000 sessions on 4 workers

${load}

- Date: ${date}
- Machine: ${machine}
- Node: ${process.version}
- Packages: Redis 7 (append-only file), Postgres 15 (synchronous_commit on)
- Command: \`node bench/fleet.mjs\`
`,
  );
  const text = readFileSync(SIZING, "utf8");
  if (!SIZING_ROWS.test(text)) throw new Error("docs/operating.md has no table of sizes");
  writeFileSync(SIZING, text.replace(SIZING_ROWS, `${sizing}\n`));
}
