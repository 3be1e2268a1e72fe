/** Connections to the database: reconnects, and repeats statements that did not reach it. */

import { createHash } from "node:crypto";
import { codeOf, messageOf } from "@runahead/base";
import pg from "pg";

export type Row = Readonly<Record<string, unknown>>;
export type RunStatement = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface DatabaseOptions {
  readonly url: string;
  readonly connections: number;
  /** How long a statement is repeated while the database cannot be reached. */
  readonly patienceMs: number;
  /** Whether statements are parsed and planned once per connection. */
  readonly isPrepared: boolean;
}

/** Classes of SQLSTATE that say that the server or the connection failed, not the statement. */
const CONNECTION = /^(?:08|57P0[123]|53300|25006)/;
const NO_CONNECTION = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "EHOSTUNREACH",
]);
/** pg reports these with a plain Error. */
const LOST =
  /Connection terminated|timeout exceeded|Query read timeout|Client has encountered a connection error/;
/** Of two transactions that conflict, Postgres ends one: it can be repeated. */
const CONFLICT = new Set(["40001", "40P01"]);
const CONNECT_MS = 5_000;
const STATEMENT_MS = 15_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

export class Database {
  readonly #pool: pg.Pool;
  readonly #patienceMs: number;
  readonly #isPrepared: boolean;

  constructor({ url, connections, patienceMs, isPrepared }: DatabaseOptions) {
    this.#isPrepared = isPrepared;
    this.#patienceMs = patienceMs;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    // An idle connection that breaks is replaced by the next statement.
    this.#pool.on("error", () => {});
  }

  /**
   * Runs a statement, and repeats it while the database cannot be reached. So every statement must be one that can be
   * repeated after its reply was lost.
   */
  async run(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const named = this.#isPrepared ? { name: nameOf(sql) } : {};
    return this.#patiently(
      async () => (await this.#pool.query({ ...named, text: sql, values: [...values] })).rows as Row[],
    );
  }

  async transaction(work: (run: RunStatement) => Promise<void>): Promise<void> {
    await this.#patiently(async () => {
      const client = await this.#pool.connect();
      let problem: Error | undefined;
      client.on("error", ignore);
      try {
        await client.query("BEGIN");
        await work(async (sql, values = []) => (await client.query(sql, [...values])).rows as Row[]);
        await client.query("COMMIT");
      } catch (error) {
        problem = error as Error;
        throw error;
      } finally {
        client.off("error", ignore);
        // A connection with an open transaction is not used again.
        client.release(problem);
      }
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #patiently<Value>(work: () => Promise<Value>): Promise<Value> {
    const deadline = performance.now() + this.#patienceMs;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (performance.now() > deadline) throw withCode(error);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }
}

function ignore(): void {}

function isTransient(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return CONNECTION.test(code) || NO_CONNECTION.has(code) || CONFLICT.has(code);
  return LOST.test(messageOf(error));
}

/** Errors of the pool have no code, by which callers see that the database failed and not what they asked for. */
function withCode(error: unknown): unknown {
  return error instanceof Error && codeOf(error) === "" ? Object.assign(error, { code: "ETIMEDOUT" }) : error;
}

const NAMES = new Map<string, string>();

/** A name for each statement. */
function nameOf(sql: string): string {
  const known = NAMES.get(sql);
  if (known !== undefined) return known;
  const name = `runahead_${createHash("sha1").update(sql).digest("hex").slice(0, 16)}`;
  NAMES.set(sql, name);
  return name;
}
