/**
 * Measures the time from the last event of a call's block to the start of its tool, in one process on an idle event loop.
 * Started by run.mjs.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { anthropicCalls, defineTool, StreamingToolExecutor } from "@runahead/engine";
import { z } from "zod";
import { answer } from "./answer.mjs";

const SAMPLES = 3_000;
const WARM_UP = 500;

/** An event stream that the benchmark controls. */
function handFed() {
  const queue = [];
  let wake;
  return {
    push(event) {
      queue.push(event);
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (queue.length > 0) yield queue.shift();
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function makeTool(onEnter) {
  return defineTool({
    name: "read",
    description: "Reads a file",
    inputSchema: z.object({ path: z.string() }),
    isReadOnly: () => true,
    access: ({ path }) => [{ mode: "read", place: `fs:/${path}` }],
    call: () => {
      onEnter();
      return "done";
    },
  });
}

async function sample(stream, index) {
  const content_block = { type: "tool_use", id: `call_${index}`, name: "read", input: {} };
  stream.push({ type: "content_block_start", index, content_block });
  const delta = { type: "input_json_delta", partial_json: `{"path":"f${index}"}` };
  stream.push({ type: "content_block_delta", index, delta });
  await sleep(1);
  const handedOverMs = performance.now();
  stream.push({ type: "content_block_stop", index });
  return handedOverMs;
}

async function measure() {
  let enteredMs = 0;
  const executor = new StreamingToolExecutor({ tools: [makeTool(() => (enteredMs = performance.now()))] });
  const stream = handFed();
  const reading = (async () => {
    for await (const event of anthropicCalls(stream, executor)) void event;
  })();
  reading.catch((error) => process.send({ error: String(error) }));
  const latencies = [];
  for (let index = 0; index < SAMPLES + WARM_UP; index++) {
    enteredMs = 0;
    const handedOverMs = await sample(stream, index);
    await sleep(1);
    if (enteredMs === 0) throw new Error(`call ${index} did not start`);
    if (index >= WARM_UP) latencies.push((enteredMs - handedOverMs) * 1000);
    for (const update of executor.completed()) void update;
  }
  latencies.sort((one, other) => one - other);
  const at = (share) => latencies[Math.floor(latencies.length * share)];
  return { samples: SAMPLES, p50Us: at(0.5), p99Us: at(0.99), maxUs: latencies.at(-1) };
}

answer(measure);
