import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { type AgentQueue, createAgentQueue } from "@runahead/fleet";
import { postgres } from "@runahead/postgres";
import { bundled } from "../../../postgres/test/support/bundle.ts";
import { postgresServer } from "../../../postgres/test/support/postgres-server.ts";
import { type StallingProxy, stallingProxy } from "../../../workers/test/support/proxy.ts";
import { redisServer } from "../../../workers/test/support/redis-server.ts";
import { checkWritten } from "./check.ts";

const TURNS = 3;
const LEASE_MS = 800;
/** Ends with 5, so that its third line needs the approval of a person. */
const idOf = (number: number): string => `s${number}5`;
/** A worker makes fewer requests for a session than this. */
const MOST_REQUESTS = 80;
/** Every third request, because each kill takes seconds. `KILL_STEP=1` tries all of them, in about eight minutes. */
const STEP = Number(process.env["KILL_STEP"] ?? 3);
const STUCK_MS = 60_000;

/** Answers its questions until it has ended. */
async function ended(queue: AgentQueue, id: string): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const { status, questions } = await queue.info(id);
    for (const question of questions) await queue.answer(id, question.id, { behavior: "allow" });
    if (status === "ended") return;
    if (performance.now() - begun > STUCK_MS) throw new Error(`${id} is stuck: ${status}`);
    await pause(30);
  }
}

test("a worker that is killed at any of its requests, before or after the server has it, loses and repeats nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fleet-kills-"));
  const file = join(folder, "lines.txt");
  await writeFile(file, "");
  const script = await bundled(new URL("worker-child.ts", import.meta.url));
  const [redis, database] = await Promise.all([redisServer(), postgresServer()]);
  const proxies = { postgres: await stallingProxy(database.port), redis: await stallingProxy(redis.port) };
  const store = postgres(database.url, { leaseMs: LEASE_MS });
  const queue = createAgentQueue({ store, connection: redis.url });
  const children = new Set<ChildProcess>();
  const start = async (databaseUrl: string, redisUrl: string): Promise<ChildProcess> => {
    const args = [databaseUrl, redisUrl, file, String(TURNS), String(LEASE_MS), "0"];
    const child = fork(script, args, { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
    children.add(child);
    await once(child, "message");
    return child;
  };
  const ids: string[] = [];
  const points: Record<string, number> = {};
  /** Whether the worker made that many requests before the session had ended. */
  const killedAt = async (proxy: StallingProxy, kind: "atRequest" | "afterRequest", at: number) => {
    const id = idOf(ids.length);
    ids.push(id);
    for (const one of Object.values(proxies)) one.heal();
    const toDatabase = `postgres://postgres@127.0.0.1:${new URL(proxies.postgres.url).port}/postgres`;
    const victim = await start(toDatabase, proxies.redis.url);
    let other: Promise<ChildProcess> | undefined;
    proxy[kind](at, () => {
      victim.kill("SIGKILL");
      other = start(database.url, redis.url);
    });
    await queue.start(id, "Write.");
    await ended(queue, id);
    victim.kill("SIGKILL");
    (await other)?.kill("SIGKILL");
    return other !== undefined;
  };
  try {
    for (const [name, proxy] of Object.entries(proxies))
      for (const kind of ["atRequest", "afterRequest"] as const)
        for (let at = 1, missed = 0; at < MOST_REQUESTS && missed < 3; at += STEP)
          if (await killedAt(proxy, kind, at)) points[`${name} ${kind}`] = at;
          else missed++;
    console.log(`killed at requests: ${JSON.stringify(points)}`);
    expect(Object.values(points).every((last) => last >= 8)).toBe(true);
    expect(Object.keys(points)).toHaveLength(4);
    const { problems } = await checkWritten({ database, file, ids, turns: TURNS });
    expect(problems).toEqual([]);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await queue.close();
    await store.close();
    for (const one of Object.values(proxies)) await one.close();
    await redis.close();
    await database.close();
    for (const path of [folder, script]) await rm(path, { recursive: true, force: true });
  }
}, 900_000);
