/** The versions of the schema. A migration is never changed once it was released: add another one. */

import type { Database } from "./database.ts";

interface Migration {
  readonly version: number;
  /** The oldest version of this package's schema that can work with the result. */
  readonly oldestReader: number;
  readonly sql: (schema: string) => string;
}

const MIGRATIONS: readonly Migration[] = [
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
];

const LATEST = MIGRATIONS.at(-1)?.version ?? 0;

/** Brings the schema up to date. Several processes can do so at once: one does the work, the others wait. */
export async function migrate(database: Database, schema: string): Promise<void> {
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
    const oldestReader = Number(rows.at(-1)?.["oldest_reader"] ?? 0);
    if (oldestReader > LATEST)
      throw new Error(
        `The schema ${schema} was migrated by a newer version of @runahead/postgres and needs version ${oldestReader} ` +
          `of the schema (this one has ${LATEST}). Update @runahead/postgres.`,
      );
    const done = new Set(rows.map((row) => Number(row["version"])));
    for (const { version, oldestReader: oldest, sql } of MIGRATIONS) {
      if (done.has(version)) continue;
      await run(sql(schema));
      await run(`INSERT INTO ${schema}.migrations (version, oldest_reader) VALUES ($1, $2)`, [
        version,
        oldest,
      ]);
    }
  });
}
