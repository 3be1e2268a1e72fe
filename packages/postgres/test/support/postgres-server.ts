/** A real Postgres server for tests: on this machine only, on a port and in a folder of its own. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

export interface PostgresServer {
  readonly port: number;
  readonly url: string;
  /** Ends it without waiting for anything, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again, on the same port and with what it had committed. */
  start(): Promise<void>;
  close(): Promise<void>;
  /** Runs one statement. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

const VERSIONS = "/usr/lib/postgresql";
const MISSING = "Postgres is missing. Run: sudo apt-get install -y postgresql";
const UP_MS = 30_000;

/** Debian does not put the programs of the server on the PATH. */
function programs(): string {
  const [newest] = existsSync(VERSIONS) ? readdirSync(VERSIONS).toSorted().toReversed() : [];
  if (newest !== undefined) return join(VERSIONS, newest, "bin");
  if (spawnSync("postgres", ["--version"]).status !== 0) throw new Error(MISSING);
  return "";
}

/** Postgres refuses to run as root. */
function asUser(program: string, args: readonly string[]): [string, string[]] {
  return process.getuid?.() === 0
    ? ["runuser", ["-u", "postgres", "--", program, ...args]]
    : [program, [...args]];
}

export async function postgresServer(): Promise<PostgresServer> {
  const bin = programs();
  const folder = mkdtempSync(join(tmpdir(), "runahead-postgres-"));
  if (process.getuid?.() === 0) spawnSync("chown", ["postgres", folder]);
  const data = join(folder, "data");
  const options = ["-D", data, "--auth=trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--no-locale"];
  const made = spawnSync(...asUser(join(bin, "initdb"), options), { encoding: "utf8", cwd: folder });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ""}`);
  const server = new Server({ bin, folder, data, port: await freePort() });
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

interface Place {
  readonly bin: string;
  readonly folder: string;
  readonly data: string;
  readonly port: number;
}

class Server implements PostgresServer {
  readonly port: number;
  readonly url: string;
  readonly #place: Place;
  #child: ChildProcess | undefined;
  onClose: () => void = () => {};

  constructor(place: Place) {
    this.#place = place;
    this.port = place.port;
    this.url = `postgres://postgres@127.0.0.1:${place.port}/postgres`;
  }

  async start(): Promise<void> {
    const { bin, data, folder, port } = this.#place;
    // The tests end the server, never the machine, so the operating system keeps what was written.
    const settings = ["listen_addresses=127.0.0.1", `port=${port}`, "fsync=off", "max_connections=200"];
    const args = ["-D", data, "-k", folder, ...settings.flatMap((one) => ["-c", one])];
    const child = spawn(...asUser(join(bin, "postgres"), args), { stdio: "ignore", cwd: folder });
    this.#child = child;
    const deadline = Date.now() + UP_MS;
    while (!(await this.#isUp())) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error("Postgres did not start");
      await pause(20);
    }
  }

  async #isUp(): Promise<boolean> {
    const isListening = await new Promise<boolean>((resolve) => {
      const socket = connect(this.port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    return (
      isListening &&
      (await this.query("SELECT 1").then(
        () => true,
        () => false,
      ))
    );
  }

  async crash(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    this.#signal("immediate");
    await gone;
  }

  async close(): Promise<void> {
    await this.crash();
    this.onClose();
    this.drop();
  }

  drop(): void {
    this.#signal("immediate");
    rmSync(this.#place.folder, { recursive: true, force: true });
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  #signal(mode: "immediate"): void {
    const { bin, data } = this.#place;
    if (!existsSync(data)) return;
    spawnSync(...asUser(join(bin, "pg_ctl"), ["stop", "-D", data, "-m", mode]), {
      stdio: "ignore",
      cwd: "/",
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
