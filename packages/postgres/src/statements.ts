/** The SQL of the store. Each statement is atomic, and can be repeated after its reply was lost. */

export interface Statements {
  readonly lease: string;
  readonly leaseNew: string;
  readonly leaseExisting: string;
  readonly append: string;
  readonly appendToAgent: string;
  readonly renew: string;
  readonly release: string;
  readonly state: string;
  readonly agentLength: string;
  readonly read: string;
  readonly lastCompaction: string;
  readonly journals: string;
  readonly ends: string;
  readonly list: string;
  readonly storeResult: string;
  readonly result: string;
  readonly resultNames: string;
  readonly post: string;
  readonly postNew: string;
  readonly inbox: string;
  readonly due: string;
  readonly delete: string;
}

const NOW = "clock_timestamp()";
const ends = (value: string): string => `${NOW} + ${value} * interval '1 millisecond'`;

/** The mail that created a session is taken by one of its first lines. */
const FIRST_LINES = 50;

/** The SQLSTATE of a text that is not a number. Statements end with it if the schema needs a newer version of this package. */
export const UNFIT = "22P02";

/** `version` is the version of the schema that the statements are for. */
export function statements(schema: string, version: number): Statements {
  const sessions = `${schema}.sessions`;
  // Fails with `UNFIT` after an incompatible migration.
  const fits = `(SELECT CASE WHEN max(v.oldest_reader) > ${version}
      THEN ('needs schema version ' || max(v.oldest_reader))::integer ELSE 0 END FROM ${schema}.migrations v) = 0`;
  const inbox = `(SELECT json_agg(json_build_object('id', m.id, 'body', m.body) ORDER BY m.number)
    FROM ${schema}.mail m WHERE m.tenant = $1 AND m.key = $2)`;
  const leased = `RETURNING fence, length, mail, CASE WHEN mail > 0 THEN ${inbox} END AS inbox`;
  const free = `(s.lease_until IS NULL OR s.lease_until < ${NOW} OR s.holder = $4)`;
  const granted = `fence = CASE WHEN s.holder = $4 AND s.lease_until > ${NOW} THEN s.fence
      ELSE nextval('${schema}.fences') END,
    holder = $4, lease_until = ${ends("$5::bigint")}, status = $6, wake_at = NULL`;
  const inserted = `INSERT INTO ${sessions} AS s (tenant, key, id, fence, holder, lease_until, status)
    SELECT $1, $2, $3, nextval('${schema}.fences'), $4, ${ends("$5::bigint")}, $6 WHERE ${fits}`;
  // The fencing number is compared in the statement that writes: a lease that was taken over matches no row.
  const held = "s.tenant = $1 AND s.key = $2 AND s.fence = $3 AND s.lease_until IS NOT NULL";
  const added = "cardinality($5::text[])";
  const insertLines = (name: string, from: string): string => `INSERT INTO ${schema}.entries
      (tenant, key, journal, seq, fence, line)
    SELECT $1, $2, ${name}, $4::bigint + t.number - 1, $3, t.line
    FROM ${from}, unnest($5::text[]) WITH ORDINALITY AS t (line, number)`;
  return {
    lease: `${inserted} ON CONFLICT (tenant, key) DO UPDATE SET ${granted}
      WHERE ${free} AND s.id = $3 ${leased}`,
    leaseNew: `${inserted} ON CONFLICT (tenant, key) DO UPDATE SET ${granted}
      WHERE s.id = $3 AND s.holder = $4 ${leased}`,
    leaseExisting: `UPDATE ${sessions} AS s SET ${granted}
      WHERE s.tenant = $1 AND s.key = $2 AND s.id = $3 AND ${free} AND ${fits} ${leased}`,
    append: `WITH held AS (
        UPDATE ${sessions} AS s SET length = s.length + ${added}, updated_at = ${NOW},
          size_bytes = s.size_bytes + $6::bigint, lease_until = ${ends("$7::bigint")},
          first_prompt = CASE WHEN s.first_prompt = '' THEN $8 ELSE s.first_prompt END,
          cwd = CASE WHEN s.cwd = '' THEN $9 ELSE s.cwd END,
          mail = s.mail - (SELECT count(*) FROM ${schema}.mail m
            WHERE m.tenant = $1 AND m.key = $2 AND m.id = ANY ($10::text[]))
        WHERE ${held} AND s.length = $4::bigint RETURNING s.length),
      lines AS (${insertLines("''", "held")}),
      taken AS (DELETE FROM ${schema}.mail m USING held
        WHERE m.tenant = $1 AND m.key = $2 AND m.id = ANY ($10::text[]))
      SELECT length FROM held`,
    appendToAgent: `WITH held AS (
        UPDATE ${sessions} AS s SET updated_at = ${NOW}, lease_until = ${ends("$7::bigint")},
          size_bytes = s.size_bytes + $6::bigint
        WHERE ${held} RETURNING 1),
      moved AS (INSERT INTO ${schema}.journals AS j (tenant, key, name, length)
        SELECT $1, $2, $8, $4::bigint + ${added} FROM held
        WHERE $4::bigint = 0 OR EXISTS (SELECT 1 FROM ${schema}.journals o
          WHERE o.tenant = $1 AND o.key = $2 AND o.name = $8)
        ON CONFLICT (tenant, key, name) DO UPDATE SET length = excluded.length WHERE j.length = $4::bigint
        RETURNING j.length),
      lines AS (${insertLines("$8", "moved")})
      SELECT length FROM moved`,
    renew: `UPDATE ${sessions} AS s SET lease_until = ${ends("$4::bigint")} WHERE ${held} RETURNING 1 AS held`,
    release: `WITH held AS (
        UPDATE ${sessions} AS s SET length = s.length + ${added}, size_bytes = s.size_bytes + $6::bigint,
          updated_at = CASE WHEN ${added} > 0 THEN ${NOW} ELSE s.updated_at END,
          first_prompt = CASE WHEN s.first_prompt = '' THEN $13 ELSE s.first_prompt END,
          cwd = CASE WHEN s.cwd = '' THEN $14 ELSE s.cwd END,
          lease_until = NULL, holder = NULL, status = $7, wake_at = ${ends("$8::double precision")},
          mail = s.mail - (SELECT count(*) FROM ${schema}.mail m
            WHERE m.tenant = $1 AND m.key = $2 AND m.id = ANY ($9::text[]))
        WHERE ${held} AND ($4::bigint < 0 OR s.length = $4::bigint) RETURNING s.length, s.mail),
      lines AS (${insertLines("''", "held")}),
      taken AS (DELETE FROM ${schema}.mail m USING held
        WHERE m.tenant = $1 AND m.key = $2 AND m.id = ANY ($9::text[])),
      moved AS (INSERT INTO ${schema}.journals AS j (tenant, key, name, length)
        SELECT $1, $2, $10, $11::bigint + cardinality($12::text[]) FROM held WHERE cardinality($12::text[]) > 0
        ON CONFLICT (tenant, key, name) DO UPDATE SET length = excluded.length WHERE j.length = $11::bigint
        RETURNING 1),
      others AS (INSERT INTO ${schema}.entries (tenant, key, journal, seq, fence, line)
        SELECT $1, $2, $10, $11::bigint + t.number - 1, $3, t.line
        FROM moved, unnest($12::text[]) WITH ORDINALITY AS t (line, number))
      SELECT length, mail FROM held`,
    state: `SELECT id, fence, lease_until > ${NOW} AS leased, lease_until IS NOT NULL AS held, length
      FROM ${sessions} WHERE tenant = $1 AND key = $2`,
    agentLength: `SELECT length FROM ${schema}.journals WHERE tenant = $1 AND key = $2 AND name = $3`,
    read: `SELECT seq, line FROM ${schema}.entries WHERE tenant = $1 AND key = $2 AND journal = $3
      AND seq >= $4 ORDER BY seq LIMIT $5`,
    lastCompaction: `SELECT max(seq) AS seq FROM ${schema}.entries
      WHERE tenant = $1 AND key = $2 AND journal = $3 AND line LIKE '{"type":"compacted"%'`,
    journals: `SELECT name FROM ${schema}.journals WHERE tenant = $1 AND key = $2 ORDER BY name`,
    ends: `SELECT id, length FROM ${sessions} WHERE tenant = $1 AND id = ANY ($2::text[])
      AND key = ANY ($3::text[])`,
    list: `SELECT id, cwd, created_at, updated_at, size_bytes, first_prompt,
        coalesce(lease_until > ${NOW}, false) AS leased
      FROM ${sessions} WHERE tenant || '' = $1 ORDER BY updated_at DESC, id DESC LIMIT $2::bigint`,
    storeResult: `INSERT INTO ${schema}.results (tenant, key, name, text)
      SELECT $1, $2, $4, $5 FROM ${sessions} AS s WHERE ${held}
      ON CONFLICT (tenant, key, name) DO UPDATE SET text = excluded.text RETURNING name`,
    result: `SELECT text FROM ${schema}.results WHERE tenant = $1 AND key = $2 AND name = $3`,
    resultNames: `SELECT name FROM ${schema}.results WHERE tenant = $1 AND key = $2 AND text IS NULL`,
    post: `WITH put AS (INSERT INTO ${schema}.mail (tenant, key, id, body) SELECT $1, $2, $4, $5 WHERE ${fits}
        ON CONFLICT (tenant, key, id) DO NOTHING RETURNING 1)
      INSERT INTO ${sessions} AS s (tenant, key, id, mail) SELECT $1, $2, $3, count(*) FROM put
      ON CONFLICT (tenant, key) DO UPDATE SET mail = s.mail + excluded.mail
      RETURNING (SELECT count(*) FROM put) AS put`,
    postNew: `WITH made AS (INSERT INTO ${sessions} (tenant, key, id, mail) SELECT $1, $2, $3, 1 WHERE ${fits}
        ON CONFLICT (tenant, key) DO NOTHING RETURNING 1),
      put AS (INSERT INTO ${schema}.mail (tenant, key, id, body) SELECT $1, $2, $4, $5 FROM made RETURNING 1)
      SELECT (SELECT count(*) FROM put) AS put, CASE WHEN EXISTS (SELECT 1 FROM made) THEN true
        ELSE EXISTS (SELECT 1 FROM ${schema}.mail m WHERE m.tenant = $1 AND m.key = $2 AND m.id = $4)
          OR EXISTS (SELECT 1 FROM ${schema}.entries e WHERE e.tenant = $1 AND e.key = $2 AND e.journal = ''
            AND e.seq < ${FIRST_LINES} AND position('"mail":' || to_json($4::text)::text IN e.line) > 0)
        END AS known`,
    inbox: `SELECT id, body FROM ${schema}.mail WHERE tenant = $1 AND key = $2 ORDER BY number`,
    due: `SELECT tenant, id, fence FROM ${sessions} AS s
      WHERE (mail > 0 OR status = 'running' OR wake_at IS NOT NULL)
        AND (mail > 0 OR status = 'running' OR wake_at <= ${NOW})
        AND (lease_until IS NULL OR lease_until < ${NOW})
        AND (tenant, key) > ($2, $3) ORDER BY tenant, key LIMIT $1`,
    delete: `WITH gone AS (DELETE FROM ${sessions} AS s WHERE s.tenant = $1 AND s.key = $2 AND s.id = $3
        AND (s.lease_until IS NULL OR s.lease_until < ${NOW} OR s.fence = $4) AND ${fits} RETURNING 1),
      e AS (DELETE FROM ${schema}.entries x USING gone WHERE x.tenant = $1 AND x.key = $2),
      j AS (DELETE FROM ${schema}.journals x USING gone WHERE x.tenant = $1 AND x.key = $2),
      m AS (DELETE FROM ${schema}.mail x USING gone WHERE x.tenant = $1 AND x.key = $2),
      r AS (DELETE FROM ${schema}.results x USING gone WHERE x.tenant = $1 AND x.key = $2)
      SELECT count(*) AS gone FROM gone`,
  };
}
