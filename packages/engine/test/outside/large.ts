/** Bounds that only turns of many calls show: what they keep, what they record, and how many readers can wait. */

import type * as Engine from "../../src/index.ts";
import { collectGarbage } from "../support/garbage.ts";
import { WorldTime } from "./time.ts";

const inputSchema = {
  "~standard": { version: 1, vendor: "outside", validate: (value: unknown) => ({ value }) },
} as const;

type Members = Pick<Engine.AnyTool, "access" | "call">;
type Path = { readonly path: string };

const toolOf = (members: Members): Engine.AnyTool => ({
  name: "Tool",
  description: "",
  inputSchema,
  ...members,
});
const writesPath: NonNullable<Engine.AnyTool["access"]> = (input) => [
  { mode: "write", place: `kv:/${(input as unknown as Path).path}` },
];

/** With a clock that stands still, so that no time limit ends a call on a slow machine. */
function newExecutor(
  engine: typeof Engine,
  options: Omit<Engine.ExecutorOptions, "clock">,
): Engine.StreamingToolExecutor {
  return new engine.StreamingToolExecutor({ ...options, clock: new WorldTime().clock });
}

function add(executor: Engine.StreamingToolExecutor, ...paths: string[]): void {
  for (const path of paths) executor.add({ id: path, name: "Tool", input: { path } });
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at}`);

/** What is wrong, if anything. */
export async function largeTurns(engine: typeof Engine): Promise<string | undefined> {
  return (
    (await keptOutputs(engine)) ??
    (await waitingReads(engine)) ??
    (await recordsOfChanges(engine)) ??
    (await verdictsOfChanges(engine))
  );
}

/** What a delivered call returned is not kept, whatever still runs (promise 6). */
export async function keptOutputs(engine: typeof Engine): Promise<string | undefined> {
  let finish: (value: string) => void = () => {};
  const outputs: WeakRef<object>[] = [];
  const call = async (input: object): Promise<unknown> => {
    if ((input as Path).path === "slow") return new Promise((resolve) => (finish = resolve));
    const output = { large: true };
    outputs.push(new WeakRef(output));
    return output;
  };
  const executor = newExecutor(engine, { tools: [toolOf({ access: writesPath, call })] });
  add(executor, ...numbered(20), "slow");
  await loops(3);
  const read = [...executor.completed()].length;
  for (let turn = 0; turn < 3; turn++) {
    await loops(1);
    collectGarbage();
  }
  const kept = outputs.filter((output) => output.deref() !== undefined).length;
  finish("done");
  for await (const _update of executor.remaining());
  return read === 20 && kept === 0 ? undefined : `6: ${kept} outputs of ${read} delivered calls are kept`;
}

/** Any number of reads can wait. */
async function waitingReads(engine: typeof Engine): Promise<string | undefined> {
  let finish: (value: string) => void = () => {};
  const call = (): Promise<string> => new Promise((resolve) => (finish = resolve));
  const executor = newExecutor(engine, { tools: [toolOf({ access: writesPath, call })] });
  add(executor, "only");
  const reader = executor.remaining();
  let ended = 0;
  const read = async (): Promise<void> => {
    if ((await reader.next()).done === true) ended++;
  };
  for (let left = 20_000; left > 0; left--) void read();
  finish("done");
  await loops(3);
  return ended === 19_999 ? undefined : `1: of 20,000 reads that waited for one result, ${ended} ended`;
}

/** A change of the context is one record, however many calls wait. */
async function recordsOfChanges(engine: typeof Engine): Promise<string | undefined> {
  const count = 200;
  let records = 0;
  const call: Engine.AnyTool["call"] = async (input, { change }) => {
    if ((input as unknown as Path).path === "0") await loops(1);
    change((context) => ({ ...context, at: (input as unknown as Path).path }));
  };
  const executor = newExecutor(engine, {
    tools: [toolOf({ access: writesPath, call })],
    journal: { record: () => void records++ },
  });
  add(executor, ...numbered(count));
  for await (const _update of executor.remaining());
  return records <= 8 * count
    ? undefined
    : `6: ${count} calls that change the context make ${records} records`;
}

/** Rules that take a moment are asked a few times about each call, however many calls change the context. */
async function verdictsOfChanges(engine: typeof Engine): Promise<string | undefined> {
  const count = 200;
  let verdicts = 0;
  const call: Engine.AnyTool["call"] = (input, { change }) => {
    const { path } = input as unknown as Path;
    if (Number(path) % 2 === 0) change((context) => ({ ...context, cwd: `/${path}` }));
  };
  const access: Engine.AnyTool["access"] = (input, { cwd }) => {
    const isMove = Number((input as unknown as Path).path) % 2 === 0;
    return isMove
      ? [{ mode: "write", place: "context:/cwd" }]
      : [
          { mode: "read", place: "context:/cwd" },
          { mode: "write", place: `kv:${cwd}/file` },
        ];
  };
  const executor = newExecutor(engine, {
    tools: [toolOf({ access, call })],
    context: { cwd: "/" },
    canUseTool: async () => {
      verdicts++;
      await loops(1);
      return { behavior: "allow" };
    },
  });
  add(executor, ...numbered(count));
  for await (const _update of executor.remaining());
  return verdicts <= 4 * count
    ? undefined
    : `6: the rules are asked ${verdicts} times about ${count} calls, of which half change the context`;
}

async function loops(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => void setImmediate(resolve));
}
