/** Turns that use all of the engine, for runtimes that are not Node. Imports nothing but the engine. */

import {
  type StandardSchema,
  StreamingToolExecutor,
  type Update,
  anthropicCalls,
  defineTool,
  resolveFilePlace,
} from "../../src/index.ts";

type Input = Record<string, unknown>;

const schema: StandardSchema<Input> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Input }) },
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** What has started and ended, in the order in which it did. */
type Log = string[];

/** If what a call waits for never happens, its wrong order shows in the log. */
const MOST_LOOKS = 3_000;

const hasAll = (log: Log, what: unknown): boolean => (what as string[]).every((one) => log.includes(one));

const nameOf = (input: Input): string => String(input["name"]);

function tools(log: Log) {
  const run = async (input: Input): Promise<string> => {
    log.push(`+${nameOf(input)}`);
    await sleep(1);
    for (let at = 0; at < MOST_LOOKS && !hasAll(log, input["after"]); at++) await sleep(1);
    log.push(`-${nameOf(input)}`);
    return `${nameOf(input)} done`;
  };
  const read = defineTool({
    name: "Read",
    description: "Reads.",
    inputSchema: schema,
    isReadOnly: () => true,
    access: (input) => [{ mode: "read", place: `fs:/work/./${nameOf(input).slice(0, 1)}` }],
    call: run,
  });
  const write = defineTool({
    name: "Write",
    description: "Writes.",
    inputSchema: schema,
    access: (input) => [{ mode: "write", place: `fs:/work/${nameOf(input).slice(0, 1)}` }],
    call: run,
  });
  const print = defineTool({
    name: "Print",
    description: "Prints a lot.",
    inputSchema: schema,
    isReadOnly: () => true,
    maxResultChars: 100,
    call: (_input, { progress }) => {
      progress({ type: "output", text: "é😀".repeat(5_000) });
      return "é😀".repeat(1_000);
    },
  });
  const hang = defineTool({
    name: "Hang",
    description: "Waits until it is stopped.",
    inputSchema: schema,
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    call: (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  });
  return [read, write, print, hang];
}

interface Asked {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

async function* response(...calls: Asked[]) {
  yield { type: "message_start", message: { id: "msg_1" } };
  for (const [index, { id, name, input }] of calls.entries()) {
    yield { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } };
    const partial_json = JSON.stringify(input);
    yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
    yield { type: "content_block_stop", index };
    await sleep(1);
  }
  yield { type: "message_delta", delta: { stop_reason: "tool_use" } };
  yield { type: "message_stop" };
}

const read = (id: string, after: string[] = []): Asked => ({ id, name: "Read", input: { name: id, after } });
const write = (id: string): Asked => ({ id, name: "Write", input: { name: id, after: [] } });

async function resultsOf(updates: AsyncIterable<Update>): Promise<string[]> {
  const results: string[] = [];
  for await (const update of updates)
    if (update.type === "result") results.push(`${update.callId}: ${String(update.result.content)}`);
  return results;
}

/** Reads of different places run beside each other; a write waits for the read of its place. */
async function parallel() {
  const log: Log = [];
  const executor = new StreamingToolExecutor({ tools: tools(log) });
  const calls = [read("a1", ["-b1", "-b2"]), read("b1"), write("a2"), read("a3"), read("b2")];
  for await (const _event of anthropicCalls(response(...calls), executor));
  return { log, results: await resultsOf(executor.remaining()), cwd: executor.context.cwd };
}

async function interrupted() {
  const executor = new StreamingToolExecutor({ tools: tools([]) });
  executor.add({ id: "h", name: "Hang", input: {} });
  executor.add({ id: "w", name: "Write", input: { name: "x", after: [] } });
  executor.end();
  await sleep(10);
  executor.interrupt("stop");
  return (await resultsOf(executor.remaining())).map((text) => text.replace(/after [\d.]+ s/, "after N s"));
}

/** A result that is too large, progress that is cut, and a listener that fails. */
async function large() {
  const executor = new StreamingToolExecutor({
    tools: tools([]),
    onEvent: ({ type }) => {
      if (type === "call-progress") throw new Error("a listener's own");
    },
  });
  executor.add({ id: "p", name: "Print", input: {} });
  const [result = ""] = await resultsOf(executor.remaining());
  return { result, isWhole: result.isWellFormed() };
}

export async function runTurns() {
  return {
    parallel: await parallel(),
    interrupted: await interrupted(),
    large: await large(),
    place: resolveFilePlace("fs:/work/./a"),
  };
}
