import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Plugin } from "esbuild";
import { expect, test } from "vitest";
import { createAgentQueue } from "@runahead/fleet";
import { postgres } from "@runahead/postgres";
import { bundled } from "../../../postgres/test/support/bundle.ts";
import { postgresServer } from "../../../postgres/test/support/postgres-server.ts";
import { redisServer } from "../../../workers/test/support/redis-server.ts";

const CHILD = new URL("worker-child.ts", import.meta.url);
/** The next version of Runahead: its sessions have a format that this version does not know. */
const NEXT: Plugin = {
  name: "next",
  setup: (made) => {
    made.onLoad({ filter: /agent\/src\/session\/entry\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replace("export const VERSION = 1;", "export const VERSION = 2;");
      if (contents === source) throw new Error("the version was not found");
      return { contents, loader: "ts" };
    });
  },
};
const SESSIONS = 60;
const TURNS = 6;

test("workers are replaced by a newer version one after the other, and no turn is lost or runs twice", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fleet-rolling-"));
  const file = join(folder, "lines.txt");
  const scripts = { old: await bundled(CHILD), next: await bundled(CHILD, NEXT) };
  const [redis, database] = await Promise.all([redisServer(), postgresServer()]);
  const running = new Set<ChildProcess>();
  const start = async (version: keyof typeof scripts): Promise<ChildProcess> => {
    const args = [database.url, redis.url, file, String(TURNS), "3000", "60"];
    const child = fork(scripts[version], args, {
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    running.add(child);
    await once(child, "message");
    return child;
  };
  const store = postgres(database.url);
  const queue = createAgentQueue({ store, connection: redis.url });
  const lines = async (): Promise<string[]> =>
    (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  try {
    const old = [await start("old"), await start("old"), await start("old")];
    const ids = Array.from({ length: SESSIONS }, (_, at) => `s${at}1`);
    const begin = async (part: readonly string[]): Promise<void> => {
      for (const id of part) await queue.start(id, "Write.");
    };
    await begin(ids.slice(0, SESSIONS / 2));
    for (const [at, worker] of old.entries()) {
      await start("next");
      const exited = once(worker, "exit");
      worker.kill("SIGTERM");
      // Both versions run now, and the newer one begins sessions that the older ones cannot continue.
      await begin(ids.slice(SESSIONS / 2 + at * 10, SESSIONS / 2 + (at + 1) * 10));
      const [code] = (await exited) as [number];
      expect(code).toBe(0);
    }
    const isDone = async (id: string): Promise<boolean> => (await queue.info(id)).status === "ended";
    for (const id of ids) while (!(await isDone(id))) await pause(50);
    const wanted = ids.flatMap((id) => Array.from({ length: TURNS }, (_, turn) => `${id}#${turn}`));
    expect((await lines()).toSorted()).toEqual(wanted.toSorted());
    const [versions] = await database.query(
      `SELECT count(*) FILTER (WHERE line LIKE '%"version":1%') AS old, count(*) FILTER (WHERE line LIKE '%"version":2%') AS next
       FROM runahead.entries WHERE line LIKE '{"type":"session"%'`,
    );
    expect([Number(versions?.["old"]) > 0, Number(versions?.["next"]) > 0]).toEqual([true, true]);
  } finally {
    for (const child of running) child.kill("SIGKILL");
    await queue.close();
    await store.close();
    await redis.close();
    await database.close();
    for (const path of [folder, scripts.old, scripts.next]) await rm(path, { recursive: true, force: true });
  }
}, 400_000);
