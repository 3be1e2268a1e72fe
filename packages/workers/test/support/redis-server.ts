/** A real Redis server for tests: on this machine only, on a port and in a folder of its own. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** As a crash does. */
  kill(): Promise<void>;
  /** Again, on the same port and with what it had written. */
  start(): Promise<void>;
  close(): Promise<void>;
  /** Runs one command. */
  command(...words: readonly string[]): Promise<unknown>;
}

const MISSING = "redis-server is missing. Run: sudo apt-get install -y redis-server";
const UP_MS = 20_000;

export async function redisServer(...more: readonly string[]): Promise<RedisServer> {
  if (spawnSync("redis-server", ["--version"], { stdio: "ignore" }).status !== 0) throw new Error(MISSING);
  const folder = mkdtempSync(join(tmpdir(), "runahead-redis-"));
  const port = await freePort();
  const server = new Server(port, folder, more);
  // Cleans up after a test that fails too.
  const atExit = (): void => server.drop();
  process.once("exit", atExit);
  server.onClose = () => process.off("exit", atExit);
  try {
    await server.start();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

class Server implements RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #more: readonly string[];
  #child: ChildProcess | undefined;
  onClose: () => void = () => {};

  constructor(port: number, folder: string, more: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = folder;
    this.#more = more;
  }

  async start(): Promise<void> {
    const fixed = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.#folder];
    const kept = ["--appendonly", "yes", "--maxmemory-policy", "noeviction", "--save", ""];
    this.#child = spawn("redis-server", [...fixed, ...kept, ...this.#more], { stdio: "ignore" });
    const deadline = Date.now() + UP_MS;
    while (!(await isUp(this.port))) {
      if (Date.now() > deadline || this.#child.exitCode !== null)
        throw new Error("redis-server did not start");
      await pause(20);
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async close(): Promise<void> {
    await this.kill();
    this.onClose();
    this.drop();
  }

  /** Without waiting. */
  drop(): void {
    this.#child?.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async command(name: string, ...args: readonly string[]): Promise<unknown> {
    const redis = new Redis(this.url, { replyMapping: "legacy" });
    try {
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether it responds, even if only to ask for a password. */
function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    const done = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("data", (bytes) => done(/PONG|NOAUTH/.test(bytes.toString())));
    socket.once("error", () => done(false));
  });
}
