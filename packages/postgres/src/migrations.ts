/** The versions of the schema. A migration is never changed once it was released: add another one. */

import type { Database } from "./database.ts";

export interface Migration {
  readonly version: number;
  /**
   * The oldest version of this package's schema that can work with the result. If that is not the previous one, processes of
   * older versions lose their leases and can neither take one nor post mail.
   */
  readonly oldestReader: number;
  readonly sql: (schema: string) => string;
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    oldestReader: 1,
    sql: (schema) => `
      CREATE SEQUENCE ${schema}.fences;
      CREATE TABLE ${schema}.sessions (
        tenant text NOT NULL,
        key text NOT NULL,
        id text NOT NULL,
        cwd text NOT NULL DEFAULT '',
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        first_prompt text NOT NULL DEFAULT '',
        length bigint NOT NULL DEFAULT 0,
        size_bytes bigint NOT NULL DEFAULT 0,
        mail integer NOT NULL DEFAULT 0,
        status text NOT NULL DEFAULT 'idle',
        wake_at timestamptz,
        fence bigint NOT NULL DEFAULT 0,
        holder text,
        lease_until timestamptz,
        PRIMARY KEY (tenant, key)
      ) WITH (fillfactor = 70);
      CREATE INDEX sessions_listed ON ${schema}.sessions (tenant, updated_at DESC);
      CREATE INDEX sessions_due ON ${schema}.sessions (tenant, key)
        WHERE mail > 0 OR status = 'running' OR wake_at IS NOT NULL;
      CREATE TABLE ${schema}.entries (
        tenant text NOT NULL,
        key text NOT NULL,
        journal text NOT NULL,
        seq bigint NOT NULL,
        fence bigint NOT NULL,
        line text NOT NULL,
        PRIMARY KEY (tenant, key, journal, seq)
      );
      CREATE INDEX entries_compacted ON ${schema}.entries (tenant, key, journal, seq)
        WHERE line LIKE '{"type":"compacted"%';
      CREATE TABLE ${schema}.journals (
        tenant text NOT NULL,
        key text NOT NULL,
        name text NOT NULL,
        length bigint NOT NULL,
        PRIMARY KEY (tenant, key, name)
      );
      CREATE TABLE ${schema}.mail (
        tenant text NOT NULL,
        key text NOT NULL,
        id text NOT NULL,
        number bigserial,
        body text NOT NULL,
        PRIMARY KEY (tenant, key, id)
      );
      CREATE TABLE ${schema}.results (
        tenant text NOT NULL,
        key text NOT NULL,
        name text NOT NULL,
        text text,
        PRIMARY KEY (tenant, key, name)
      );`,
  },
  {
    // Postgres used the first index to find one session while the table had no statistics, and read all of the tenant.
    version: 2,
    oldestReader: 1,
    sql: (schema) => `
      DROP INDEX ${schema}.sessions_listed;
      CREATE INDEX sessions_newest ON ${schema}.sessions ((tenant || ''), updated_at DESC);`,
  },
];

/** The version of the schema that this package works with. */
export const LATEST = latestOf(MIGRATIONS);

function latestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

function tooOld(schema: string, needed: number, latest: number): Error {
  return new Error(
    `The schema ${schema} was migrated by a newer version of @runahead/postgres and needs version ${needed} ` +
      `of the schema (this one has ${latest}). Update @runahead/postgres.`,
  );
}

/** Throws if an incompatible migration was made by a newer version of this package. */
export async function checkVersion(database: Database, schema: string): Promise<void> {
  const [row] = await database.run(`SELECT max(oldest_reader) AS needed FROM ${schema}.migrations`);
  const needed = Number(row?.["needed"] ?? 0);
  if (needed > LATEST) throw tooOld(schema, needed, LATEST);
}

/** Brings the schema up to date. Several processes can do so at once: one does the work, the others wait. */
export async function migrate(
  database: Database,
  schema: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await database.transaction(async (run) => {
    await run("SELECT pg_advisory_xact_lock(hashtext($1))", [`runahead ${schema}`]);
    await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await run(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (
         version integer PRIMARY KEY,
         oldest_reader integer NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
    );
    const rows = await run(`SELECT version, oldest_reader FROM ${schema}.migrations ORDER BY version`);
    const oldestReader = Math.max(0, ...rows.map((row) => Number(row["oldest_reader"])));
    const latest = latestOf(migrations);
    if (oldestReader > latest) throw tooOld(schema, oldestReader, latest);
    const done = new Set(rows.map((row) => Number(row["version"])));
    const missing = migrations.filter(({ version }) => !done.has(version));
    const isIncompatible = done.size > 0 && missing.some((one) => one.oldestReader > Math.max(...done));
    // Waits for statements that write, and lets none begin before the migration is done.
    if (isIncompatible) await run(`LOCK TABLE ${schema}.sessions IN EXCLUSIVE MODE`);
    for (const { version, oldestReader: oldest, sql } of missing) {
      await run(sql(schema));
      const values = [version, oldest];
      await run(`INSERT INTO ${schema}.migrations (version, oldest_reader) VALUES ($1, $2)`, values);
    }
    // A session at work is due, so a newer worker takes it; the fencing number stops the older one.
    if (isIncompatible)
      await run(
        `UPDATE ${schema}.sessions SET fence = nextval('${schema}.fences'), holder = NULL, lease_until = NULL
         WHERE lease_until IS NOT NULL`,
      );
  });
}
