/** What the benchmarks of workers and of the fleet start on this machine: Redis, and processes that say when they are ready. */

import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when `isTrue` does. Throws after 30 s. */
export async function until(isTrue, what) {
  for (let tries = 0; tries < 600; tries++) {
    if (await isTrue().catch(() => false)) return;
    await pause(50);
  }
  throw new Error(`${what} did not start`);
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

/** Starts Redis with an append-only file, as in production, in a folder of its own. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), "runahead-bench-redis-"));
  const port = await freePort();
  const place = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const kept = ["--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction"];
  const server = spawn("redis-server", [...place, ...kept], { stdio: "ignore" });
  const close = () => {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  await until(() => answers(port), "Redis");
  return { url: `redis://127.0.0.1:${port}`, folder, close, pid: server.pid };
}

/** Starts a module as `node FILE --child …`, and resolves when it has sent its first message. */
export async function startChild(file, ...args) {
  const child = fork(file, ["--child", ...args], { execArgv: ["--expose-gc"] });
  await new Promise((resolve) => child.once("message", resolve));
  return child;
}
