/**
 * What n calls cost and what 4n calls cost, where calls change what others depend on (their input, the context, how
 * long they are waited for): processor time, records of the journal and memory. Linear work grows by 4, quadratic
 * work by 16. Started by run.mjs, or alone, which writes LINEAR.md: `node --expose-gc bench/linear.mjs`.
 */

import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, StreamingToolExecutor } from "@runahead/engine";
import { z } from "zod";
import { answerOrPrint } from "./answer.mjs";

const FEW = 5_000;
const READS = 5_000;
const LARGE = 500;
const ROUNDS = 3;
/** How much four times as many calls cost at most. Time is not measured exactly; records are counted. */
const MOST_TIME = 8;
const MOST_RECORDS = 4.1;
/** How many bytes a delivered call leaves behind at most. */
const MOST_BYTES = 200;

const changeContext = ({ change }) =>
  change((context) => ({ ...context, changes: (context.changes ?? 0) + 1 }));
const moved = (input) => ({ ...input, path: `moved/${input.path}` });

/** A clock that advances at once, for calls that do not end. */
function hastyClock() {
  let nowMs = 0;
  const after = (delayMs, action) =>
    setTimeout(() => {
      nowMs += delayMs;
      action();
    }, 0);
  return { now: () => nowMs, after, cancel: clearTimeout };
}

const CASES = {
  "a hook changes the input of every call": () => ({
    options: { hooks: { preToolUse: ({ input }) => ({ input: moved(input) }) } },
  }),
  "a hook makes every read of a file a write of it": () => ({
    tool: { access: ({ mode = "read" }) => [{ mode, place: "fs:/one" }] },
    options: { hooks: { preToolUse: ({ input }) => ({ input: { ...input, mode: "write" } }) } },
  }),
  "canUseTool changes the input of every call": () => ({
    options: { canUseTool: async (_tool, input) => ({ behavior: "allow", input: moved(input) }) },
  }),
  "canUseTool moves every call to the same file": () => ({
    options: {
      canUseTool: async (_tool, input) => ({ behavior: "allow", input: { ...input, path: "one" } }),
    },
  }),
  "every call changes the context": () => ({
    tool: { call: async (_input, context) => changeContext(context) },
  }),
  "every call changes the context, after a slow first call": () => ({
    tool: {
      async call({ path }, context) {
        if (path === "0") await sleep(50);
        changeContext(context);
      },
    },
  }),
  "every call changes the context, and canUseTool is asynchronous": () => ({
    tool: {
      access: () => [{ mode: "write", place: "context:/cwd" }],
      call: async (_input, context) => changeContext(context),
    },
    options: { canUseTool: async () => ({ behavior: "allow" }) },
  }),
  "every second call is abandoned": () => ({
    tool: {
      timeoutMs: () => 1,
      access: () => [{ mode: "read", place: "fs:/one" }],
      call: ({ path }) => (Number(path) % 2 === 0 ? "done" : new Promise(() => {})),
    },
    options: { limit: Number.POSITIVE_INFINITY, clock: hastyClock() },
  }),
};

function newExecutor({ tool = {}, options = {} }) {
  return new StreamingToolExecutor({
    tools: [
      defineTool({
        name: "edit",
        description: "Edits a file",
        inputSchema: z.object({ path: z.string() }).loose(),
        access: ({ path }) => [{ mode: "write", place: `fs:/${path}` }],
        call: async () => "done",
        ...tool,
      }),
    ],
    resolvePlace: (place) => place,
    ...options,
  });
}

function addCalls(executor, count) {
  for (let index = 0; index < count; index++)
    executor.add({ id: `call_${index}`, name: "edit", input: { path: `${index}` } });
}

async function runAll(executor, count) {
  addCalls(executor, count);
  let results = 0;
  for await (const update of executor.remaining()) if (update.type === "result") results++;
  if (results !== count) throw new Error(`${results} results, not ${count}`);
}

async function cpuUs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function best(cost) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, await cost());
  return least;
}

/** One row: the cost of some calls, and of four times as many. */
async function compare(title, { few = FEW, unit, most }, cost) {
  await cost(few);
  const fewCost = await cost(few);
  const manyCost = await cost(4 * few);
  return { title, few, many: 4 * few, unit, most, fewEach: fewCost / few, manyEach: manyCost / (4 * few) };
}

const timeOf = (makeCase) => (count) => best(() => cpuUs(() => runAll(newExecutor(makeCase()), count)));

/** How many events are recorded. */
const recordsOf = (makeCase) => async (count) => {
  let records = 0;
  const { tool, options = {} } = makeCase();
  const journal = { record: () => void records++ };
  await runAll(newExecutor({ tool, options: { ...options, journal } }), count);
  return records;
};

/** So many reads wait for the result of one call. */
function pendingReads(count) {
  return best(async () => {
    let finish;
    const call = () => new Promise((resolve) => (finish = resolve));
    const executor = newExecutor({ tool: { call } });
    addCalls(executor, 1);
    const reader = executor.remaining();
    return cpuUs(async () => {
      const reads = Array.from({ length: count }, () => reader.next());
      finish("done");
      const results = (await Promise.all(reads)).filter((read) => read.done !== true);
      if (results.length !== 1) throw new Error(`${results.length} reads got the result, not 1`);
    });
  });
}

/** What delivered calls with an output of 20 KB leave behind while one call with the same time limit runs. */
async function keptBytes(count) {
  let finish;
  const slow = new Promise((resolve) => (finish = resolve));
  const large = () => Array.from({ length: 2_500 }, (_, at) => at * 1.5);
  const tool = {
    access: ({ path }) => [{ mode: "write", place: path === "slow" ? "fs:/slow" : "fs:/quick" }],
    call: async ({ path }) => (path === "slow" ? slow : large()),
    toResult: () => "done",
  };
  const executor = newExecutor({ tool });
  addCalls(executor, count);
  executor.add({ id: "slow", name: "edit", input: { path: "slow" } });
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const reader = executor.remaining();
  for (let read = 0; read < count; read++) await reader.next();
  await sleep(20);
  globalThis.gc();
  const kept = Math.max(0, process.memoryUsage().heapUsed - before);
  finish("done");
  await reader.next();
  return kept;
}

async function measure() {
  const rows = [];
  for (const [title, makeCase] of Object.entries(CASES))
    rows.push(await compare(title, { unit: "µs", most: MOST_TIME }, timeOf(makeCase)));
  for (const title of Object.keys(CASES).filter((name) => name.includes("changes the context")))
    rows.push(await compare(title, { unit: "records", most: MOST_RECORDS }, recordsOf(CASES[title])));
  const reads = "reads that wait for the result of one call";
  rows.push(await compare(reads, { few: READS, unit: "µs", most: MOST_TIME }, pendingReads));
  const kept = "delivered calls with an output of 20 KB, while a call with the same time limit runs";
  const { manyEach, ...memory } = await compare(kept, { few: LARGE, unit: "bytes" }, keptBytes);
  rows.push({ ...memory, manyEach, mostEach: MOST_BYTES });
  return { rows: rows.map((row) => ({ ...row, ...judged(row) })) };
}

/** What four times as many calls cost, and whether that is within the row's bound. */
function judged({ most, mostEach, fewEach, manyEach }) {
  const growth = (4 * manyEach) / fewEach;
  return { growth, pass: mostEach === undefined ? growth <= most : manyEach <= mostEach };
}

function markdown(rows) {
  const lines = rows.map(({ title, few, many, unit, fewEach, manyEach, growth, most, mostEach, pass }) => {
    const bound = mostEach === undefined ? `growth ≤ ${most}` : `≤ ${mostEach} ${unit} each`;
    const each = [fewEach, manyEach].map((value) => `${value.toFixed(1)} ${unit}`);
    const grown = mostEach === undefined ? growth.toFixed(2) : "";
    return `| ${[title, few, each[0], many, each[1], grown, bound, pass ? "PASS" : "FAIL"].join(" | ")} |`;
  });
  return `# Work per call

What each of n calls costs, and each of 4n. \`growth\` is the cost of 4n calls divided by that of n: 4 is linear, 16 is
quadratic. Processor time is the best of ${ROUNDS} runs. Written by \`node --expose-gc bench/linear.mjs\`, Node ${process.version}.

| case | n | each | 4n | each | growth | bound | result |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${lines.join("\n")}
`;
}

/** Writes the table to LINEAR.md. */
function alone({ rows }) {
  const text = markdown(rows);
  console.log(text);
  writeFileSync(new URL("LINEAR.md", import.meta.url), text);
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1);
}

await answerOrPrint(import.meta.url, measure, alone);
