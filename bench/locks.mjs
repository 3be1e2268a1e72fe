/**
 * Executors that share locks: measures 8 agents side by side against one, 1,000 in one process against the ideal time,
 * edits of one file by all of them against one after the other, and the processor time per call with locks against
 * without. Started by agent.mjs, or alone: `node bench/locks.mjs`.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { createLocks, defineTool, StreamingToolExecutor } from "@runahead/engine";
import { z } from "zod";
import { answerOrPrint } from "./answer.mjs";

const TURNS = 5;
const TEXT_MS = 400;
const CALL_MS = 150;
const SIDE_BY_SIDE = 8;
const MANY = 1_000;
/** As long as a short response takes: with so many at once, starting them takes a part of it. */
const MANY_TEXT_MS = 1_000;
const EDITS = 10;
const EDIT_MS = 10;
const CALLS = 10_000;
const ROUNDS = 31;

const inputSchema = z.object({ path: z.string() });
const edit = (call) =>
  defineTool({
    name: "edit",
    description: "Edits a file",
    inputSchema,
    access: ({ path }) => [{ mode: "write", place: `fs:/${path}` }],
    call,
  });

async function resultsOf(executor) {
  let results = 0;
  for await (const update of executor.remaining()) {
    if (update.type !== "result") continue;
    if (update.outcome.type !== "succeeded") throw new Error(`a call ${update.outcome.type}`);
    results++;
  }
  return results;
}

const tools = [edit(() => sleep(CALL_MS))];

/** Turns with a call of its own file that runs while the response still streams. */
async function agentAtWork(locks, name, textMs) {
  for (let turn = 0; turn < TURNS; turn++) {
    const executor = new StreamingToolExecutor({ tools, locks, resolvePlace: (place) => place });
    executor.add({ id: `${turn}`, name: "edit", input: { path: `${name}/${turn}` } });
    await sleep(textMs);
    if ((await resultsOf(executor)) !== 1) throw new Error("a result is missing");
  }
}

async function wallMs(count, work) {
  const startMs = performance.now();
  await Promise.all(Array.from({ length: count }, (_, at) => work(at)));
  return performance.now() - startMs;
}

function together(count, maxConcurrency, textMs) {
  const locks = createLocks({ maxConcurrency });
  return wallMs(count, (at) => agentAtWork(locks, at, textMs));
}

/** All of them edit one file: the shortest time is that of one edit after the other. */
function contended() {
  const locks = createLocks();
  const shortEdit = edit(() => sleep(EDIT_MS));
  return wallMs(SIDE_BY_SIDE, async () => {
    const executor = new StreamingToolExecutor({ tools: [shortEdit], locks, resolvePlace: (place) => place });
    for (let at = 0; at < EDITS; at++) executor.add({ id: `${at}`, name: "edit", input: { path: "one" } });
    await resultsOf(executor);
  });
}

async function cpuUs(tool, locks) {
  const before = process.cpuUsage();
  const executor = new StreamingToolExecutor({ tools: [tool], locks, resolvePlace: (place) => place });
  for (let at = 0; at < CALLS; at++) executor.add({ id: `${at}`, name: "edit", input: { path: `${at}` } });
  if ((await resultsOf(executor)) !== CALLS) throw new Error("a result is missing");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

/**
 * In turns and in both orders, so that what else the machine does concerns both. The medians are compared: the fastest
 * rounds are those that happened to need no garbage collection.
 */
async function instantCalls(members) {
  const tool = { ...edit(() => "done"), ...members };
  const [plain, locked] = [[], []];
  const plainRound = async () => plain.push(await cpuUs(tool, undefined));
  const lockedRound = async () => locked.push(await cpuUs(tool, createLocks()));
  for (let round = 0; round < ROUNDS; round++)
    for (const measured of round % 2 === 0 ? [plainRound, lockedRound] : [lockedRound, plainRound])
      await measured();
  const [plainUs, lockedUs] = [plain, locked].map(median);
  return { plainUs, lockedUs, ratio: lockedUs / plainUs };
}

const median = (times) => times.toSorted((one, other) => one - other)[times.length >> 1];

async function measure() {
  await together(SIDE_BY_SIDE, 10, TEXT_MS);
  const oneMs = await together(1, 10, TEXT_MS);
  return {
    turns: TURNS,
    sideBySide: SIDE_BY_SIDE,
    many: MANY,
    oneMs,
    eightMs: await together(SIDE_BY_SIDE, 10, TEXT_MS),
    idealMs: TURNS * MANY_TEXT_MS,
    manyMs: await together(MANY, Number.POSITIVE_INFINITY, MANY_TEXT_MS),
    contendedMs: await contended(),
    serialMs: SIDE_BY_SIDE * EDITS * EDIT_MS,
    writes: await instantCalls({}),
    reads: await instantCalls({
      isReadOnly: () => true,
      access: ({ path }) => [{ mode: "read", place: `fs:/${path}` }],
    }),
  };
}

await answerOrPrint(import.meta.url, measure, console.log);
