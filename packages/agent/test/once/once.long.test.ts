import { expect, test } from "vitest";
import { chargeService, psql } from "./ledger.ts";
import { type Killer, killed } from "./kill.ts";
import { hasPostgres, postgresServer } from "./postgres.ts";

const SESSIONS = 50;
const KILLS_EACH = 4;
const LIMIT = { timeout: 3_600_000 };

/** At moments that a seed decides. */
function killers(seed: number, mostMs: number): Killer[] {
  let random = seed * 7919 + 1;
  return Array.from({ length: KILLS_EACH }, () => {
    random = (random * 48_271) % 2_147_483_647;
    const afterMs = random % mostMs;
    return (kill) => void setTimeout(kill, afterMs);
  });
}

test(
  `${SESSIONS * KILLS_EACH} kills around a service with idempotency keys charge every order once`,
  LIMIT,
  async () => {
    for (let seed = 1; seed <= SESSIONS; seed++) {
      const service = await chargeService();
      const last = await killed({ kind: "http", where: service.url }, killers(seed, 120));
      expect([seed, last, service.charged.toSorted()]).toEqual([seed, "completed", ["a", "b", "c"]]);
      await service.close();
    }
  },
);

test.skipIf(!hasPostgres)(
  `${SESSIONS * KILLS_EACH} kills around a Postgres table charge every order once`,
  LIMIT,
  async () => {
    const server = postgresServer();
    try {
      for (let seed = 1; seed <= SESSIONS; seed++) {
        await psql(
          server.folder,
          "drop table if exists charges; create table charges (key text primary key, order_id text, state text);",
        );
        const last = await killed({ kind: "postgres", where: server.folder }, killers(seed, 250));
        const charged = await psql(
          server.folder,
          "select order_id from charges where state = 'charged' order by 1;",
        );
        expect([seed, last, charged.trim().split("\n")]).toEqual([seed, "completed", ["a", "b", "c"]]);
      }
    } finally {
      server.close();
    }
  },
);
