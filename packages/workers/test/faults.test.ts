import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { StreamingToolExecutor } from "@runahead/engine";
import { afterAll, beforeAll, test } from "vitest";
import { drainWorker, fleet, remote } from "../src/index.ts";
import { callTool } from "./support/calling.ts";
import { type Begun, begunIn, until } from "./support/ledger.ts";
import { stallingProxy } from "./support/proxy.ts";
import { type RedisServer, redisServer } from "./support/redis-server.ts";
import { TOOLS } from "./support/tools.ts";
import { type WorkerProcess, endWorkers, workerProcess } from "./support/worker-process.ts";

let server: RedisServer;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runahead-faults-"));
  server = await redisServer();
});

afterAll(async () => {
  await endWorkers();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const LOST =
  /^Outcome unknown: worker w\w+ was lost while this call was running\. It may have had effects, and its output is lost\.$/;
const LIMIT = { timeout: 90_000 };

let attempts = 0;

/** A queue and a file that no other attempt has used. */
function unused(name: string): { readonly queue: string; readonly file: string } {
  const queue = `${name}-${++attempts}`;
  return { queue, file: join(folder, queue) };
}

/** Waits until one of them has started it, and returns that one. */
async function taker(file: string, workers: readonly WorkerProcess[]): Promise<WorkerProcess> {
  const [begun] = await until(
    () => begunIn(file),
    (lines) => lines.length > 0,
  );
  return workers.find(({ pid }) => pid === (begun as Begun).pid) as WorkerProcess;
}

/** More than a caller sends until its first call runs. */
const FIRST_REQUESTS = 14;

test.concurrent(
  "a connection that is lost at any moment of the first call does not stop the caller from calling",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue, file } = unused("cut");
    await workerProcess(server.url, queue);
    const cutAt = async (requests: number): Promise<unknown> => {
      const proxy = await stallingProxy(server.port);
      proxy.cutAfter(requests);
      const tools = remote(TOOLS, { connection: proxy.url, queue, waitMs: 30_000 });
      const { output, error } = await callTool(tools, ["Look", { file, line: `${requests}`, waitMs: 0 }]);
      await tools.close();
      await proxy.close();
      return output ?? error?.message;
    };
    const requests = Array.from({ length: FIRST_REQUESTS }, (_, at) => at + 1);
    expects(await Promise.all(requests.map(cutAt))).toEqual(requests.map((at) => `looked ${at}`));
  },
);

test.concurrent(
  "G01: when a worker is killed, a call that writes has an unknown outcome, and a read-only call is tried elsewhere",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue, file } = unused("killed");
    const killed = await workerProcess(server.url, queue);
    const tools = remote(TOOLS, { connection: server.url, queue });
    const once = remote(TOOLS, { connection: server.url, queue, tries: 1 });
    const writes = `${file}-writes`;
    const reads = `${file}-reads`;
    const readsOnce = `${file}-once`;
    const writing = callTool(tools, ["Mark", { file: writes, line: "x", waitMs: 60_000 }]);
    const reading = callTool(tools, ["Look", { file: reads, line: "x", waitMs: 2_000 }]);
    const readingOnce = callTool(once, ["Look", { file: readsOnce, line: "x", waitMs: 60_000 }]);
    for (const one of [writes, reads, readsOnce]) await taker(one, [killed]);
    killed.signal("SIGKILL");
    const other = await workerProcess(server.url, queue);
    expects((await writing).error?.message).toMatch(LOST);
    expects((await reading).output).toBe("looked x");
    expects(begunIn(reads).map(({ pid }) => pid)).toEqual([killed.pid, other.pid]);
    expects((await readingOnce).error?.message).toBe(
      "The worker was lost. The call is read-only, so it is safe to try again.",
    );
    // The other one has looked for stalled calls by now, more than once.
    await pause(4_000);
    expects([begunIn(writes).length, begunIn(readsOnce).length]).toEqual([1, 1]);
    await once.close();
    await tools.close();
  },
);

test.concurrent(
  "when a worker is lost, a tool that can reconcile says whether the call happened, by the key that it had there",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue, file } = unused("reconciled");
    const killed = await workerProcess(server.url, queue);
    const tools = remote(TOOLS, { connection: server.url, queue });
    const paid = `${file}-paid`;
    const unpaid = `${file}-unpaid`;
    const executor = new StreamingToolExecutor({ tools, scope: "session/1" });
    executor.add({ id: "one", name: "Pay", input: { file: paid, pays: true } });
    executor.add({ id: "two", name: "Pay", input: { file: unpaid, pays: false } });
    for (const one of [paid, unpaid]) await taker(one, [killed]);
    killed.signal("SIGKILL");
    const results: unknown[] = [];
    for await (const update of executor.remaining())
      if (update.type === "result") results.push(update.result.content);
    expects(results).toEqual([
      "paid session/1/one",
      "Error: Not run: its worker was lost before the call had an effect.",
    ]);
    await tools.close();
  },
);

test.concurrent(
  "a paused worker is detected; when it resumes, it stops the call and works again",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue, file } = unused("paused");
    const worker = await workerProcess(server.url, queue);
    const tools = remote(TOOLS, { connection: server.url, queue });
    const calling = callTool(tools, ["Mark", { file, line: "x", waitMs: 60_000 }]);
    await taker(file, [worker]);
    worker.signal("SIGSTOP");
    expects((await calling).error?.message).toMatch(LOST);
    worker.signal("SIGCONT");
    expects((await callTool(tools, ["Add", { a: 1, b: 1 }])).output).toBe(2);
    await until(
      async () => (await fleet({ connection: server.url, queue })).workers,
      ([one]) => one?.running.length === 0,
    );
    expects(begunIn(file)).toHaveLength(1);
    await tools.close();
  },
);

test.concurrent("a worker that hangs is detected", LIMIT, async ({ expect: expects }) => {
  const { queue } = unused("hung");
  const worker = await workerProcess(server.url, queue);
  const tools = remote(TOOLS, { connection: server.url, queue, tries: 1 });
  const { error } = await callTool(tools, ["Block", { forMs: 15_000 }]);
  expects(error?.message).toMatch(/^The worker was lost\./);
  worker.signal("SIGKILL");
  await tools.close();
});

test.concurrent(
  "a worker without a network is detected; when the network is back, it stops the call and works again",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue, file } = unused("cut");
    const proxy = await stallingProxy(server.port);
    const worker = await workerProcess(proxy.url, queue);
    const tools = remote(TOOLS, { connection: server.url, queue });
    const calling = callTool(tools, ["Mark", { file, line: "x", waitMs: 60_000 }]);
    await taker(file, [worker]);
    proxy.stall();
    expects((await calling).error?.message).toMatch(LOST);
    proxy.heal();
    expects((await callTool(tools, ["Add", { a: 1, b: 1 }])).output).toBe(2);
    await until(
      async () => (await fleet({ connection: server.url, queue })).workers,
      ([one]) => one?.running.length === 0,
    );
    expects(begunIn(file)).toHaveLength(1);
    worker.signal("SIGKILL");
    await worker.gone;
    await tools.close();
    await proxy.close();
  },
);

test.concurrent(
  "a caller that loses the network for a while still gets its answer",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue, file } = unused("caller-cut");
    const worker = await workerProcess(server.url, queue);
    const proxy = await stallingProxy(server.port);
    const tools = remote(TOOLS, { connection: proxy.url, queue });
    const calling = callTool(tools, ["Mark", { file, line: "x", waitMs: 1_500 }]);
    await taker(file, [worker]);
    proxy.stall();
    await pause(3_000);
    proxy.heal();
    expects((await calling).output).toBe("marked x");
    expects(begunIn(file)).toHaveLength(1);
    worker.signal("SIGTERM");
    await worker.gone;
    await tools.close();
    await proxy.close();
  },
);

test.concurrent(
  "a caller that workers took for dead is alive for them when it sends its next call",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue } = unused("caller-back");
    await workerProcess(server.url, queue);
    const proxy = await stallingProxy(server.port);
    const tools = remote(TOOLS, { connection: proxy.url, queue });
    expects((await callTool(tools, ["Add", { a: 1, b: 1 }])).output).toBe(2);
    proxy.stall();
    await until(
      async () => (await server.command("KEYS", `*${queue}/caller:*`)) as string[],
      (keys) => keys.length === 0,
    );
    // They wait for the connection, and are sent before the next heartbeat.
    const calling = Array.from({ length: 20 }, () => callTool(tools, ["Add", { a: 1, b: 1 }]));
    proxy.heal();
    const ended = (await Promise.all(calling)).map(({ output, error }) => error?.message ?? output);
    expects(ended).toEqual(ended.map(() => 2));
    await tools.close();
    await proxy.close();
  },
);

test.concurrent(
  "a draining worker finishes its calls, takes no new ones, and ends",
  LIMIT,
  async ({ expect: expects }) => {
    const { queue, file } = unused("drained");
    const worker = await workerProcess(server.url, queue);
    const tools = remote(TOOLS, { connection: server.url, queue, waitMs: 3_500 });
    const calling = callTool(tools, ["Mark", { file, line: "x", waitMs: 3_000 }]);
    await taker(file, [worker]);
    expects(await drainWorker({ connection: server.url, queue }, worker.id)).toBe(true);
    await until(
      async () => (await fleet({ connection: server.url, queue })).workers,
      ([one]) => one?.state === "draining",
    );
    const late = callTool(tools, ["Mark", { file, line: "late" }]);
    expects((await calling).output).toBe("marked x");
    expects(await worker.gone).toBe(0);
    expects((await late).error?.message).toBe("Not run: no worker took it within 3.5 s.");
    expects(begunIn(file)).toHaveLength(1);
    expects(await drainWorker({ connection: server.url, queue }, worker.id)).toBe(false);
    await tools.close();
  },
);

test.concurrent("the calls of a caller that dies are stopped", LIMIT, async ({ expect: expects }) => {
  const { queue, file } = unused("orphans");
  const worker = await workerProcess(server.url, queue);
  const path = fileURLToPath(new URL("support/caller-child.ts", import.meta.url));
  const caller = fork(path, [server.url, queue, file], { execArgv: ["--import", "tsx"] });
  await taker(file, [worker]);
  caller.kill("SIGKILL");
  const [one] = await until(
    async () => (await fleet({ connection: server.url, queue })).workers,
    ([seen]) => seen?.ended === 1,
  );
  expects(one?.running).toEqual([]);
  worker.signal("SIGTERM");
  await worker.gone;
});

test.concurrent.for(["stall", "deafen"] as const)(
  "a call is run once where the connection is lost while it is sent: %s",
  LIMIT,
  async (fault, { expect: expects }) => {
    const { queue, file } = unused(`sent-${fault}`);
    const worker = await workerProcess(server.url, queue);
    const proxy = await stallingProxy(server.port);
    const tools = remote(TOOLS, { connection: proxy.url, queue });
    expects((await callTool(tools, ["Add", { a: 1, b: 1 }])).output).toBe(2);
    proxy[fault]();
    const calling = callTool(tools, ["Mark", { file, line: "x" }]);
    if (fault === "stall") await pause(1_500);
    else await taker(file, [worker]);
    expects(begunIn(file)).toHaveLength(fault === "stall" ? 0 : 1);
    proxy.heal();
    expects((await calling).output).toBe("marked x");
    await pause(1_500);
    expects(begunIn(file)).toHaveLength(1);
    worker.signal("SIGTERM");
    await worker.gone;
    await tools.close();
    await proxy.close();
  },
);
