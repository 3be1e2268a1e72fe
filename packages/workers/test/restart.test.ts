import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { remote, startWorker } from "../src/index.ts";
import { type Called, callTool, statuses } from "./support/calling.ts";
import { begunIn, until } from "./support/ledger.ts";
import { type RedisServer, redisServer } from "./support/redis-server.ts";
import { TOOLS } from "./support/tools.ts";

interface Place {
  readonly server: RedisServer;
  readonly folder: string;
}

/** Each has a server of its own to harm; they wait for most of their time. */
function harm(title: string, run: (place: Place) => Promise<void>): void {
  test.concurrent(title, { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "runahead-restart-"));
    const server = await redisServer();
    try {
      await run({ server, folder });
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

harm(
  "a server that is killed and comes back loses no answer of a running call, and the caller reports the wait",
  async ({ server, folder }) => {
    const worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q", concurrency: 8 });
    const tools = remote(TOOLS, { connection: server.url, queue: "q" });
    const file = join(folder, "running");
    // Some end while the server is gone, some after it is back.
    const waits = [500, 1_500, 4_000, 7_000];
    const calling = waits.map((waitMs) => callTool(tools, ["Mark", { file, line: String(waitMs), waitMs }]));
    await until(
      () => begunIn(file),
      (lines) => lines.length === waits.length,
    );
    await server.kill();
    await pause(5_000);
    await server.start();
    const ended = await Promise.all(calling);
    expect(ended.map(({ output, error }) => output ?? error)).toEqual(
      waits.map((waitMs) => `marked ${waitMs}`),
    );
    expect(begunIn(file)).toHaveLength(waits.length);
    expect(statuses(ended[3] as Called)).toContainEqual(
      expect.stringMatching(/^Waiting for the Redis server at 127\.0\.0\.1:\d+: connection refused/),
    );
    await tools.close();
    await worker.stop();
  },
);

harm(
  "a call that writes and was waiting when the server restarted is not run: it may have started before",
  async ({ server, folder }) => {
    const tools = remote(TOOLS, { connection: server.url, queue: "q" });
    const file = join(folder, "waiting");
    const writes = callTool(tools, ["Mark", { file, line: "write" }]);
    const reads = callTool(tools, ["Look", { file, line: "read", waitMs: 0 }]);
    await pause(500);
    await server.kill();
    await server.start();
    const worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
    expect((await reads).output).toBe("looked read");
    expect((await writes).error?.message).toBe(
      "Outcome unknown: the Redis server restarted while the call was waiting, and may have lost the record that it started. " +
        "It may have had effects, and its output is lost.",
    );
    expect(begunIn(file).map(({ line }) => line)).toEqual(["read"]);
    await tools.close();
    await worker.stop();
  },
);

harm(
  "after a server comes back empty, no call runs twice, and each has an end",
  async ({ server, folder }) => {
    const worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
    const tools = remote(TOOLS, { connection: server.url, queue: "q" });
    const file = join(folder, "forgotten");
    const calling = [
      callTool(tools, ["Mark", { file, line: "short", waitMs: 300 }]),
      callTool(tools, ["Mark", { file, line: "long", waitMs: 4_000 }]),
    ];
    await until(
      () => begunIn(file),
      (lines) => lines.length === 2,
    );
    await server.command("FLUSHALL");
    const ended = await Promise.all(calling);
    expect(begunIn(file)).toHaveLength(2);
    // Answers find the mailbox again, or the loss is reported.
    for (const { output, error } of ended)
      expect(String(output ?? error?.message)).toMatch(/^marked (short|long)$|^Outcome unknown: /);
    await tools.close();
    await worker.stop();
  },
);

harm("a worker that is missed for a moment only is not given up", async ({ server, folder }) => {
  const notices: string[] = [];
  const onNotice = (message: string): void => void notices.push(message);
  const worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q", onNotice });
  const tools = remote(TOOLS, { connection: server.url, queue: "q" });
  const calling = callTool(tools, ["Mark", { file: join(folder, "missed"), line: "x", waitMs: 6_000 }]);
  await pause(1_500);
  const [job] = (await server.command("LRANGE", "runahead:q:active", "0", "-1")) as string[];
  const redis = new Redis(server.url);
  // For as long as it takes that the caller looks once.
  const enough = performance.now() + 1_050;
  while (performance.now() < enough) await redis.del(`runahead:q/holding:${job}`, `runahead:q:${job}:lock`);
  redis.disconnect();
  expect((await calling).output).toBe("marked x");
  await tools.close();
  await worker.stop();
  // BullMQ lost its lock, which nobody needs to know.
  expect(notices).toEqual([]);
});

harm(
  "a full server refuses calls, which are not run, and accepts answers when it has room",
  async ({ server, folder }) => {
    const worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
    const tools = remote(TOOLS, { connection: server.url, queue: "q" });
    const file = join(folder, "full");
    const running = callTool(tools, ["Mark", { file, line: "running", waitMs: 1_000 }]);
    await until(
      () => begunIn(file),
      (lines) => lines.length === 1,
    );
    await server.command("CONFIG", "SET", "maxmemory", "1");
    const { error } = await callTool(tools, ["Mark", { file, line: "refused" }]);
    await pause(1_500);
    await server.command("CONFIG", "SET", "maxmemory", "0");
    expect(error?.message).toMatch(/^Not run: the server refused the call: OOM command not allowed/);
    expect((await running).output).toBe("marked running");
    expect(begunIn(file)).toHaveLength(1);
    await tools.close();
    await worker.stop();
  },
);

harm("what a worker that has ended left in the queue is swept away by the next", async ({ server }) => {
  const first = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
  const tools = remote(TOOLS, { connection: server.url, queue: "q", workspace: "s" });
  for (let at = 0; at < 3; at++) await callTool(tools, ["Folder", {}]);
  const left = (): Promise<unknown> => server.command("KEYS", `runahead:q*${first.id}*`);
  expect(await left()).not.toEqual([]);
  await first.drain();
  const second = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
  await until(left, (keys) => (keys as string[]).length === 0);
  await tools.close();
  await second.drain();
});

harm("a worker and a caller whose server is gone can be closed", async ({ server, folder }) => {
  const worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
  const tools = remote(TOOLS, { connection: server.url, queue: "q" });
  const file = join(folder, "closed");
  const calling = callTool(tools, ["Mark", { file, line: "x", waitMs: 60_000 }]);
  await until(
    () => begunIn(file),
    (lines) => lines.length === 1,
  );
  await server.kill();
  await pause(200);
  await tools.close();
  expect((await calling).error?.message).toMatch(
    /^Outcome unknown: it was stopped while the server could not be reached/,
  );
  await worker.stop();
});

harm("a worker ends that was asked to drain while the server was gone", async ({ server }) => {
  const worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
  await server.kill();
  // By now its connections try to reconnect.
  await pause(300);
  const drained = worker.drain();
  await pause(300);
  await server.start();
  await drained;
  await worker.ended;
});
