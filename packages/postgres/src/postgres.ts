/** The session store in Postgres. Positions are the numbers of lines. */

import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import {
  type DueSession,
  type LeaseOptions,
  type ListOptions,
  NoSuchSession,
  type PostMailOptions,
  type ReadPlace,
  SessionExists,
  type SessionLease,
  SessionLocked,
  type SessionMail,
  type SessionStore,
  type SessionSummary,
  type StoredLine,
  checkSessionId,
} from "@runahead/agent";
import {
  type Check,
  aBoolean,
  aPositiveNumber,
  aString,
  anObject,
  checkOptions,
  codeOf,
  wrong,
} from "@runahead/base";
import type { ResultBucket } from "./bucket.ts";
import { Database, type Row } from "./database.ts";
import { PostgresLease } from "./lease.ts";
import { LATEST, checkVersion, migrate } from "./migrations.ts";
import { type Statements, UNFIT, statements } from "./statements.ts";

/** Options of {@link postgres}. */
export interface PostgresOptions {
  /** The schema that holds the tables. It is created if it does not exist. Default: `runahead`. */
  readonly schema?: string;
  /** How long a lease is valid without renewal, in milliseconds. Default: 10,000. */
  readonly leaseMs?: number;
  /** The maximum number of connections of this process. Default: 10. */
  readonly connections?: number;
  /** How long a statement is repeated while the database cannot be reached, in milliseconds. Default: 20,000. */
  readonly patienceMs?: number;
  /**
   * Whether statements are prepared once per connection. Set it to false for a connection pooler that does not support
   * that, such as PgBouncer before 1.21 in transaction mode. Default: true.
   */
  readonly preparedStatements?: boolean;
  /** Keeps large results outside of the database, such as {@link s3Bucket}. Default: in the database. */
  readonly results?: ResultBucket;
}

/** A {@link SessionStore} in Postgres. */
export interface PostgresStore extends SessionStore {
  /** Connects and brings the tables up to date. The first use does the same. Call it to fail early. */
  ready(): Promise<void>;
}

const OPTIONS: Readonly<Record<keyof PostgresOptions, Check>> = {
  schema: aString,
  leaseMs: aPositiveNumber,
  connections: aPositiveNumber,
  patienceMs: aPositiveNumber,
  preparedStatements: aBoolean,
  results: anObject,
};
const SCHEMA = /^[a-z_][a-z0-9_]{0,40}$/;
const TENANT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const PAGE_LINES = 200;
const DELETED_AT_ONCE = 16;
const DEFAULTS = {
  schema: "runahead",
  leaseMs: 10_000,
  connections: 10,
  patienceMs: 20_000,
  preparedStatements: true,
};

/**
 * Stores sessions in Postgres. The tables are created and migrated on first use.
 *
 * What was appended is committed before a call with effects starts. The database compares the fencing number of the lease
 * in the same statement as every append, so a process that was paused cannot write after another one took over.
 *
 * Throws a TypeError for invalid options. Methods reject with an Error if the database cannot be reached.
 *
 * @example
 * ```ts
 * import { anthropic, createAgent, sessions } from "@runahead/agent";
 * import { postgres } from "@runahead/postgres";
 *
 * const store = postgres("postgres://runahead@db.example.com/runahead");
 * const session = await sessions({ store }).create();
 * const agent = createAgent({ model: anthropic({ model: "claude-sonnet-4-6" }), tools: [], session });
 * await agent.send("Hello.");
 * await agent.close();
 * await store.close();
 * ```
 */
export function postgres(url: string, options: PostgresOptions = {}): PostgresStore {
  if (typeof url !== "string" || url === "")
    throw wrong("postgres: the URL", "a string such as postgres://user@host/database", url);
  checkOptions(options, OPTIONS, "postgres");
  const {
    schema,
    leaseMs,
    connections,
    patienceMs,
    preparedStatements: isPrepared,
  } = { ...DEFAULTS, ...options };
  if (!SCHEMA.test(schema))
    throw new TypeError(
      `postgres: "schema" must be lower-case letters, digits and "_", got ${JSON.stringify(schema)}.`,
    );
  // Quoted, because the name can be a word of SQL.
  const quoted = `"${schema}"`;
  const database = new Database({ url, connections, patienceMs, isPrepared });
  const { results } = options;
  let migrated: Promise<void> | undefined;
  const ready = async (): Promise<void> => {
    migrated ??= migrate(database, quoted).catch((error: unknown) => {
      migrated = undefined;
      throw error;
    });
    await migrated;
  };
  const run = async (sql: string, values: readonly unknown[]): Promise<readonly Row[]> => {
    await ready();
    return database.run(sql, values).catch(async (error: unknown) => {
      if (codeOf(error) === UNFIT) await checkVersion(database, quoted);
      throw error;
    });
  };
  const close = (): Promise<void> => database.close();
  const parts = { name: nameOf(url), sql: statements(quoted, LATEST), run, ready, close, leaseMs, results };
  return new Store(parts, "default");
}

/** The address without credentials. */
function nameOf(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `postgres ${searchParams.get("host") ?? (host || "localhost")}${pathname}`;
  } catch {
    return "postgres";
  }
}

export interface StoreParts {
  readonly name: string;
  readonly sql: Statements;
  readonly run: (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;
  readonly ready: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly leaseMs: number;
  readonly results: ResultBucket | undefined;
}

class Store implements PostgresStore {
  readonly name: string;
  readonly tenant: string;
  readonly #parts: StoreParts;

  constructor(parts: StoreParts, tenant: string) {
    this.#parts = parts;
    this.name = parts.name;
    this.tenant = tenant;
  }

  ready(): Promise<void> {
    return this.#parts.ready();
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  forTenant(tenant: string): PostgresStore {
    if (!TENANT.test(tenant))
      throw new TypeError(
        `A tenant must be 1 to 64 letters, digits, "-" or "_", got ${JSON.stringify(tenant)}.`,
      );
    return new Store(this.#parts, tenant);
  }

  async lease(id: string, { isNew, status = "idle" }: LeaseOptions = {}): Promise<SessionLease> {
    checkSessionId(id);
    const { sql, leaseMs } = this.#parts;
    const statement = isNew === undefined ? sql.lease : isNew ? sql.leaseNew : sql.leaseExisting;
    const key = keyOf(id);
    const validUntil = performance.now() + leaseMs;
    const values = [this.tenant, key, id, randomUUID(), leaseMs, status];
    const [row] = await this.#parts.run(statement, values);
    if (row === undefined) throw await this.#whyNot(id, isNew);
    return new PostgresLease(this.#parts, {
      id,
      key,
      tenant: this.tenant,
      fence: Number(row["fence"]),
      end: Number(row["length"]),
      validUntil,
      mail: mailIn(row),
    });
  }

  async #whyNot(id: string, isNew: boolean | undefined): Promise<Error> {
    const [row] = await this.#parts.run(this.#parts.sql.state, [this.tenant, keyOf(id)]);
    const existing = row === undefined ? undefined : String(row["id"]);
    if (existing === undefined || (isNew === false && existing !== id))
      return new NoSuchSession(id, this.name, existing === undefined ? [] : [existing]);
    if (isNew === true || existing !== id) return new SessionExists(id, existing);
    return new SessionLocked(id, 0, "another process. Wait until it ends, or until its lease expires.");
  }

  async read(id: string, { journal = "", from = 0 }: ReadPlace = {}): Promise<readonly StoredLine[]> {
    const values = [this.tenant, keyOf(id), journal, from, PAGE_LINES];
    const rows = await this.#parts.run(this.#parts.sql.read, values);
    return rows.map((row) => ({ line: String(row["line"]), next: Number(row["seq"]) + 1 }));
  }

  async lastCompaction(id: string, journal = ""): Promise<number> {
    const [row] = await this.#parts.run(this.#parts.sql.lastCompaction, [this.tenant, keyOf(id), journal]);
    return Number(row?.["seq"] ?? 0);
  }

  async journals(id: string): Promise<readonly string[]> {
    const rows = await this.#parts.run(this.#parts.sql.journals, [this.tenant, keyOf(id)]);
    return rows.map((row) => String(row["name"]));
  }

  async ends(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#parts.run(this.#parts.sql.ends, [this.tenant, ids, ids.map(keyOf)]);
    return new Map(rows.map((row) => [String(row["id"]), Number(row["length"])]));
  }

  async list({ limit }: ListOptions = {}): Promise<readonly SessionSummary[]> {
    const rows = await this.#parts.run(this.#parts.sql.list, [this.tenant, limit ?? null]);
    return rows.map((row) => ({
      id: String(row["id"]),
      path: `${this.name}/${String(row["id"])}`,
      cwd: String(row["cwd"]),
      createdAt: (row["created_at"] as Date).toISOString(),
      updatedAt: (row["updated_at"] as Date).toISOString(),
      sizeBytes: Number(row["size_bytes"]),
      firstPrompt: String(row["first_prompt"]),
      isLocked: row["leased"] === true,
    }));
  }

  async result(id: string, name: string): Promise<string | undefined> {
    const { sql, results } = this.#parts;
    const [row] = await this.#parts.run(sql.result, [this.tenant, keyOf(id), name]);
    if (row === undefined) return undefined;
    const { text } = row;
    return typeof text === "string" ? text : results?.get(`${this.tenant}/${keyOf(id)}/${basename(name)}`);
  }

  async post(
    id: string,
    { id: mail, body }: SessionMail,
    { isNew = false }: PostMailOptions = {},
  ): Promise<boolean> {
    checkSessionId(id);
    const { sql } = this.#parts;
    const values = [this.tenant, keyOf(id), id, mail, JSON.stringify(body)];
    const [row] = await this.#parts.run(isNew ? sql.postNew : sql.post, values);
    const isPut = Number(row?.["put"] ?? 0) > 0;
    // The same mail again, as after a lost reply, is not a second session, also if a worker has taken it since.
    if (isNew && !isPut && row?.["known"] !== true) throw new SessionExists(id);
    return isPut;
  }

  async inbox(id: string): Promise<readonly SessionMail[]> {
    const rows = await this.#parts.run(this.#parts.sql.inbox, [this.tenant, keyOf(id)]);
    return rows.map((row) => ({ id: String(row["id"]), body: bodyIn(String(row["body"])) }));
  }

  async due(limit: number, after?: DueSession): Promise<readonly DueSession[]> {
    const values = [limit, after?.tenant ?? "", keyOf(after?.id ?? "")];
    const rows = await this.#parts.run(this.#parts.sql.due, values);
    return rows.map((row) => ({
      tenant: String(row["tenant"]),
      id: String(row["id"]),
      fence: Number(row["fence"]),
    }));
  }

  async delete(id: string): Promise<boolean> {
    const { sql, results } = this.#parts;
    const key = keyOf(id);
    const lease = results === undefined ? undefined : await this.#emptyBucket(id, results);
    const [row] = await this.#parts.run(sql.delete, [this.tenant, key, id, lease?.fence ?? 0]);
    if (Number(row?.["gone"]) > 0) return true;
    const [found] = await this.#parts.run(sql.state, [this.tenant, key]);
    if (found?.["id"] !== id) return false;
    throw new SessionLocked(id, 0, "another process. Wait until it ends, or until its lease expires.");
  }

  /**
   * Deletes the results in the bucket while the rows still name them, and under a lease, so that none is added. If that fails,
   * the session is still there, and deleting it again does the rest. Undefined if there is nothing in the bucket.
   */
  async #emptyBucket(id: string, results: ResultBucket): Promise<SessionLease | undefined> {
    const key = keyOf(id);
    const named = (): Promise<readonly Row[]> =>
      this.#parts.run(this.#parts.sql.resultNames, [this.tenant, key]);
    if ((await named()).length === 0) return undefined;
    const lease = await this.lease(id, { isNew: false });
    try {
      const objects = (await named()).map(({ name }) => `${this.tenant}/${key}/${String(name)}`);
      for (let at = 0; at < objects.length; at += DELETED_AT_ONCE) {
        await Promise.all(objects.slice(at, at + DELETED_AT_ONCE).map((object) => results.delete(object)));
        await lease.renew();
      }
    } catch (error) {
      // A worker finds out what the session was waiting for.
      await lease.release({ status: "running" });
      throw error;
    }
    return lease;
  }
}

/** Undefined if mail was posted while the statement waited for the row: then the inbox must be read. */
function mailIn({ mail, inbox }: Row): readonly SessionMail[] | undefined {
  const found = Array.isArray(inbox) ? (inbox as { id: string; body: string }[]) : [];
  if (found.length !== Number(mail)) return undefined;
  return found.map(({ id, body }) => ({ id, body: bodyIn(body) }));
}

/** Mail that cannot be read has no body, so that the worker drops it. */
function bodyIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keyOf(id: string): string {
  return id.toLowerCase();
}
