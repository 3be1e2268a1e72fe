/**
 * Measures the memory of 100,000 settled calls, before and after their results are read. Started by run.mjs with
 * --expose-gc; the heap is measured after a garbage collection, with the executor still in use.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, StreamingToolExecutor } from "@runahead/engine";
import { z } from "zod";
import { answer } from "./answer.mjs";

const CALLS = 100_000;

async function heapBytes() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

async function measure() {
  const done = Promise.withResolvers();
  let ran = 0;
  const tool = defineTool({
    name: "read",
    description: "Reads a file",
    inputSchema: z.object({ path: z.string() }),
    isReadOnly: () => true,
    access: ({ path }) => [{ mode: "read", place: `fs:/${path}` }],
    call: ({ path }) => {
      if (++ran === CALLS) done.resolve();
      return `done ${path}`;
    },
  });
  const executor = new StreamingToolExecutor({ tools: [tool] });
  const before = await heapBytes();
  for (let index = 0; index < CALLS; index++) {
    executor.add({ id: `call_${index}`, name: "read", input: { path: `f${index}` } });
    if (index % 1_000 === 0) await sleep(0);
  }
  executor.end({ ok: true });
  await done.promise;
  const settled = await heapBytes();
  let read = 0;
  for await (const update of executor.remaining()) if (update.type === "result") read++;
  const delivered = await heapBytes();
  if (read !== CALLS || executor.inProgress === undefined) throw new Error(`${read} results, not ${CALLS}`);
  const perCall = (bytes) => Math.round((bytes - before) / CALLS);
  return { calls: CALLS, undeliveredBytes: perCall(settled), deliveredBytes: perCall(delivered) };
}

answer(measure);
