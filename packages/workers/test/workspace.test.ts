import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RemoteOptions, type RemoteTools, remote } from "../src/index.ts";
import { callTool } from "./support/calling.ts";
import { type RedisServer, redisServer } from "./support/redis-server.ts";
import { TOOLS } from "./support/tools.ts";
import { type WorkerProcess, endWorkers, workerProcess } from "./support/worker-process.ts";

let server: RedisServer;
let workers: WorkerProcess[];
const open: RemoteTools[] = [];

beforeAll(async () => {
  server = await redisServer();
  workers = await Promise.all([1, 2, 3].map(() => workerProcess(server.url, "q", 2)));
});

afterAll(async () => {
  for (const tools of open) await tools.close();
  await endWorkers();
  await server?.close();
});

function session(workspace: NonNullable<RemoteOptions["workspace"]>): RemoteTools {
  const tools = remote(TOOLS, { connection: server.url, queue: "q", workspace });
  open.push(tools);
  return tools;
}

/** The process that ran a call on the workspace, or why none did. */
async function where(tools: RemoteTools, waitMs = 0): Promise<unknown> {
  const { output, error } = await callTool(tools, ["Folder", { waitMs }]);
  return (output as { pid: number } | undefined)?.pid ?? error?.message;
}

test("calls of a session that touch files go to one worker, even if the first ones start together", async () => {
  const tools = session("together");
  const first = await Promise.all(Array.from({ length: 6 }, () => where(tools, 50)));
  const then = [await where(tools), await where(tools)];
  expect(new Set([...first, ...then]).size).toBe(1);
  expect(workers.map(({ pid }) => pid)).toContain(first[0]);
});

test("another caller with the same workspace goes there too, and other workspaces are spread", async () => {
  const pid = await where(session("shared"));
  expect(await where(session("shared"))).toBe(pid);
  const pids = new Set<unknown>();
  for (let at = 0; at < 12; at++) pids.add(await where(session(`spread-${at}`), 20));
  expect(pids.size).toBeGreaterThan(1);
});

test("a call that touches no files does not wait for that worker", async () => {
  const tools = session("busy");
  await where(tools);
  const ended: unknown[] = [];
  const busy = [1, 2, 3].map(() => where(tools, 1_500).then(() => ended.push("files")));
  await pause(100);
  const { output } = await callTool(tools, ["Add", { a: 1, b: 2 }]);
  ended.push(output);
  await Promise.all(busy);
  expect(ended).toEqual([3, "files", "files", "files"]);
});

/** A session that moves, on this very worker: it is to be lost for both. */
async function heldBy(pid: unknown): Promise<RemoteTools> {
  for (let at = 0; at < 100; at++) {
    const tools = session({ name: `moved-${at}`, whenLost: "move" });
    if ((await where(tools)) === pid) return tools;
  }
  throw new Error("no workspace went to that worker");
}

test("after the loss of its worker the next call on a workspace says so, and the one after it runs elsewhere", async () => {
  const lost = session("lost");
  const pid = await where(lost);
  const mover = await heldBy(pid);
  const holder = workers.find((worker) => worker.pid === pid) as WorkerProcess;
  holder.signal("SIGKILL");
  await holder.gone;
  const [message, elsewhere] = await Promise.all([where(lost), where(mover)]);
  expect(message).toMatch(
    /^Not run: worker w\w+, which held workspace lost, is gone, and the changes of earlier calls may be lost\. The next call starts on another worker\.$/,
  );
  const rest = workers.filter((worker) => worker !== holder).map((worker) => worker.pid);
  expect(rest).toContain(elsewhere);
  const next = await where(lost);
  expect(rest).toContain(next);
  expect(await where(lost)).toBe(next);
});

test("a worker that drains gives up its workspaces; running calls on them still finish", async () => {
  const tools = session({ name: "drained", whenLost: "move" });
  const pid = await where(tools);
  const holder = workers.find((worker) => worker.pid === pid) as WorkerProcess;
  const running = where(tools, 2_000);
  await pause(300);
  holder.signal("SIGTERM");
  await pause(300);
  const next = await where(tools);
  expect(await running).toBe(pid);
  expect(next).not.toBe(pid);
  expect(workers.map((worker) => worker.pid)).toContain(next);
});
