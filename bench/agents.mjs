/**
 * Many agents in one process: measures how long 1,000 agents take against the ideal time, and the memory of an idle session
 * and of a running turn. Started by run.mjs with --expose-gc.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, replay, scripted, sessions } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { answer } from "./answer.mjs";

const AGENTS = 1_000;
const TURNS = 3;
const READS = 4;
const READ_MS = 300;
const TEXT_MS = 1_000;
const PIECES = 20;
const IDLE = 2_000;
const REPEATS = 5;

const read = (call) =>
  defineTool({
    name: "read",
    description: "Reads a file",
    inputSchema: z.object({ path: z.string() }),
    isReadOnly: () => true,
    access: ({ path }) => [{ mode: "read", place: `memory:/${path}` }],
    call,
  });

/** A response that streams for a second, with its calls in the first half. */
function responseOf(turn) {
  const events = [{ at: 0, event: { type: "message-started", id: `m${turn}`, model: "bench" } }];
  for (let piece = 1; piece <= PIECES; piece++) {
    const at = (TEXT_MS * piece) / PIECES;
    events.push({ at, event: { type: "text", text: "some words of the answer " } });
    if (piece % 2 !== 0 || piece / 2 > READS) continue;
    const call = { id: `${turn}-${piece}`, name: "read", input: { path: `f${piece}` } };
    events.push({ at, event: { type: "call-begun", id: call.id, name: call.name } });
    events.push({ at, event: { type: "call-complete", call } });
    events.push({ at, event: { type: "block", block: { type: "tool_use", ...call } } });
  }
  events.push({ at: TEXT_MS, event: { type: "stopped", reason: "tool_use", detail: "" } });
  return events;
}

const last = [
  { at: 0, event: { type: "message-started", id: "last", model: "bench" } },
  { at: 0, event: { type: "block", block: { type: "text", text: "Done." } } },
  { at: 0, event: { type: "stopped", reason: "end_turn", detail: "" } },
];
const recording = [...Array.from({ length: TURNS }, (_, turn) => responseOf(turn)), last];
const idealMs = TURNS * TEXT_MS;

async function inFolder(job) {
  const home = mkdtempSync(join(tmpdir(), "runahead-bench-"));
  try {
    return await job(sessions({ home, cwd: home }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Runs all agents at once; `open` returns the session of each, if it has one. */
async function together(open) {
  const tool = read(() => sleep(READ_MS, "content"));
  const made = [];
  for (let index = 0; index < AGENTS; index++)
    made.push(createAgent({ model: replay(recording), tools: [tool], ...(await open()) }));
  const startMs = performance.now();
  const results = await Promise.all(made.map((agent) => agent.send("go")));
  const wallMs = performance.now() - startMs;
  for (const { reason, turns } of results)
    if (reason !== "completed" || turns !== TURNS + 1) throw new Error(`it ended: ${reason} after ${turns}`);
  await Promise.all(made.map((agent) => agent.close()));
  return wallMs;
}

async function medianOf(time) {
  const times = [];
  for (let run = 0; run < REPEATS; run++) times.push(await time());
  return times.toSorted((one, other) => one - other)[REPEATS >> 1];
}

async function heapBytes() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

/** Sessions that have answered one prompt and wait for the next. */
function idleBytes() {
  return inFolder(async (store) => {
    const before = await heapBytes();
    const made = [];
    for (let index = 0; index < IDLE; index++) {
      const model = scripted([[{ type: "text", text: "Done." }]]);
      const agent = createAgent({ model, tools: [], session: await store.create() });
      await agent.send("go");
      made.push(agent);
    }
    const after = await heapBytes();
    await Promise.all(made.map((agent) => agent.close()));
    return Math.round((after - before) / IDLE);
  });
}

/** Turns that have streamed text and wait for a call. */
async function turnBytes() {
  let open = () => {};
  const opened = new Promise((resolve) => (open = resolve));
  const tool = read(() => opened);
  const blocks = [
    { type: "text", text: "Let me look." },
    { type: "tool_use", id: "1", name: "read", input: { path: "f" } },
  ];
  const make = () =>
    createAgent({ model: scripted([blocks, [{ type: "text", text: "Done." }]]), tools: [tool] });
  const made = Array.from({ length: AGENTS }, make);
  const before = await heapBytes();
  const answers = made.map((agent) => agent.send("go"));
  await sleep(100);
  const after = await heapBytes();
  open("content");
  await Promise.all(answers);
  return Math.round((after - before) / AGENTS);
}

async function measure() {
  await together(() => ({}));
  return {
    agents: AGENTS,
    idealMs,
    wallMs: await medianOf(() => together(() => ({}))),
    savedWallMs: await medianOf(() =>
      inFolder((store) => together(async () => ({ session: await store.create() }))),
    ),
    idleBytes: await idleBytes(),
    turnBytes: await turnBytes(),
  };
}

answer(measure);
