import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RemoteTools, fleet, remote } from "../src/index.ts";
import { type Called, callTool } from "./support/calling.ts";
import { begunIn, until } from "./support/ledger.ts";
import { type StallingProxy, stallingProxy } from "./support/proxy.ts";
import { type RedisServer, redisServer } from "./support/redis-server.ts";
import { TOOLS } from "./support/tools.ts";
import { type WorkerProcess, endWorkers, workerProcess } from "./support/worker-process.ts";

const CALLS = 1_200;
const IN_FLIGHT = 48;
const KILLED_AT = 150;
const QUEUE = "fire";

let server: RedisServer;
let proxy: StallingProxy;
let workers: WorkerProcess[];
let tools: RemoteTools;
let folder = "";

// For every attempt: the faults leave nothing that a second one could use.
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "runahead-fire-"));
  server = await redisServer();
  proxy = await stallingProxy(server.port);
  const urls = [server.url, server.url, proxy.url, server.url, server.url];
  workers = await Promise.all(urls.map((url) => workerProcess(url, QUEUE, 8)));
  tools = remote(TOOLS, { connection: server.url, queue: QUEUE });
});

afterEach(async () => {
  await tools?.close();
  await endWorkers();
  await proxy?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What happens to the fleet when so many calls have been made. */
function faults(): Map<number, () => void> {
  const [killed, paused, , drained] = workers as [WorkerProcess, WorkerProcess, WorkerProcess, WorkerProcess];
  const later = (act: () => void): void => void setTimeout(act, 7_000).unref();
  return new Map<number, () => void>([
    [KILLED_AT, () => killed.signal("SIGKILL")],
    [300, () => (paused.signal("SIGSTOP"), later(() => paused.signal("SIGCONT")))],
    [450, () => (proxy.stall(), later(() => proxy.heal()))],
    [600, () => drained.signal("SIGTERM")],
  ]);
}

interface Made {
  readonly line: string;
  readonly writes: boolean;
  readonly called: Called;
}

/** Writing and reading calls in turns, some short and some longer, so many in flight at a time. */
async function makeCalls(file: string): Promise<Made[]> {
  const planned = faults();
  const made: Made[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < CALLS) {
      const at = next++;
      planned.get(at)?.();
      const writes = at % 2 === 0;
      const line = `${writes ? "w" : "r"}${at}`;
      // Around the kill they are long, so that every worker runs some of them.
      const waitMs = Math.abs(at - KILLED_AT) < 2 * IN_FLIGHT ? 500 : (at * 37) % 150;
      const input = { file, line, waitMs };
      made.push({ line, writes, called: await callTool(tools, [writes ? "Mark" : "Look", input]) });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
  return made;
}

test("V2: 1,200 calls on workers that are killed, paused, cut off and drained: one truthful end each, no write twice", async () => {
  const file = join(folder, "ledger");
  const made = await makeCalls(file);
  const times = new Map<string, number>();
  for (const { line } of begunIn(file)) times.set(line, (times.get(line) ?? 0) + 1);
  expect(new Set(made.map(({ line }) => line)).size).toBe(CALLS);
  const wrong = made.filter(({ line, writes, called: { output, error } }) => {
    const begun = times.get(line) ?? 0;
    if (!writes) return output !== `looked ${line}`;
    if (error === undefined) return output !== `marked ${line}` || begun !== 1;
    return !/^Outcome unknown: .* was lost/.test(error.message) || begun > 1;
  });
  expect(wrong.map(({ line, called }) => [line, times.get(line), called.error?.message])).toEqual([]);
  const unknown = made.filter(({ called }) => called.error !== undefined).length;
  // Only what was running where something happened, and something was.
  expect(unknown).toBeGreaterThan(0);
  expect(unknown).toBeLessThan(4 * IN_FLIGHT);
  await checkAftermath(file, times);
});

/** The workers that were paused and cut off are back, and have not started calls that were given up. */
async function checkAftermath(file: string, before: ReadonlyMap<string, number>): Promise<void> {
  const left = await until(
    () => fleet({ connection: server.url, queue: QUEUE }),
    (now) => now.workers.length === 3 && now.workers.every(({ running }) => running.length === 0),
  );
  expect(left.waiting).toBe(0);
  const writes = begunIn(file).filter(({ line }) => line.startsWith("w"));
  expect(writes.length).toBe([...before].filter(([line]) => line.startsWith("w")).length);
  const [killed, , , drained] = workers;
  expect(await Promise.all([killed?.gone, drained?.gone])).toEqual([null, 0]);
}
