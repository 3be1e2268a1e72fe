/**
 * Measures the processor time per call at 1,000 and at 10,000 calls that change the input, the context or the waiting time
 * of others. Started by run.mjs, or alone: `node bench/linear.mjs`.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, StreamingToolExecutor } from "@runahead/engine";
import { z } from "zod";
import { answerOrPrint } from "./answer.mjs";

const FEW = 1_000;
const MANY = 10_000;
const ROUNDS = 3;

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
  "every second call is abandoned": () => ({
    tool: {
      timeoutMs: () => 1,
      access: () => [{ mode: "read", place: "fs:/one" }],
      call: ({ path }) => (Number(path) % 2 === 0 ? "done" : new Promise(() => {})),
    },
    options: { limit: Number.POSITIVE_INFINITY, clock: hastyClock() },
  }),
};

async function cpuUs(count, { tool = {}, options = {} }) {
  const executor = new StreamingToolExecutor({
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
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++)
    executor.add({ id: `call_${index}`, name: "edit", input: { path: `${index}` } });
  let results = 0;
  for await (const update of executor.remaining()) if (update.type === "result") results++;
  const { user, system } = process.cpuUsage(before);
  if (results !== count) throw new Error(`${results} results, not ${count}`);
  return (user + system) / count;
}

async function best(count, makeCase) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, await cpuUs(count, makeCase()));
  return least;
}

async function measure() {
  const rows = [];
  for (const [title, makeCase] of Object.entries(CASES)) {
    await best(FEW, makeCase);
    rows.push({
      title,
      few: FEW,
      many: MANY,
      fewUs: await best(FEW, makeCase),
      manyUs: await best(MANY, makeCase),
    });
  }
  return { rows };
}

function print({ rows }) {
  for (const { title, fewUs, manyUs } of rows)
    console.log(`${title}: ${fewUs.toFixed(1)} µs a call at ${FEW}, ${manyUs.toFixed(1)} µs at ${MANY}`);
  process.exit();
}

await answerOrPrint(import.meta.url, measure, print);
