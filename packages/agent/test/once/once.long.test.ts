import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledChild, bundledChild } from "../kill/bundled-child.ts";
import { CHARGE_CHILD, type Killed, type Killer, type Place, killed } from "./kill.ts";
import { chargeService, psql } from "./ledger.ts";
import { hasPostgres, postgresServer } from "./postgres.ts";

const KILLS = 200;
const KILLS_EACH = 4;
/** Sessions side by side: they mostly wait for the service. */
const AT_ONCE = 3;
/** A test whose kills hardly hit a running charge proves nothing. */
const LEAST_HITS = KILLS / 4;
const LIMIT = { timeout: 1_200_000 };
const MOST_SESSIONS = 1_000;

type Fault = NonNullable<Place["fault"]>;

let child: BundledChild;
beforeAll(async () => {
  child = await bundledChild(CHARGE_CHILD);
});
afterAll(() => child.remove());

/** One session from start to end, killed on the way: what happened, and the orders that were charged. */
type OneSession = (
  seed: number,
  killers: readonly Killer[],
) => Promise<Killed & { readonly charged: readonly string[] }>;

/** How long charges take on this machine, so that kills hit them on a slow one too. */
class Pace {
  ms = 0;

  /** Kills nothing, but sees how long the charges of a session take. */
  watch(): Killer {
    let begun = 0;
    return (line) => {
      if (line === "ready") begun = 0;
      if (line === "started") begun ||= performance.now();
      if (line === "ended") this.ms = performance.now() - begun;
    };
  }
}

/** Kills at moments that a seed decides: most soon after a charge has started, some while the program starts. */
function killers(seed: number, chargeMs: number): Killer[] {
  let random = seed * 7919 + 1;
  const below = (most: number): number => (random = (random * 48_271) % 2_147_483_647) % most;
  return Array.from({ length: KILLS_EACH }, () => {
    const line = below(4) === 0 ? "ready" : "started";
    const afterMs = below(chargeMs);
    let isPlanned = false;
    return (printed, kill) => {
      if (printed !== line || isPlanned) return;
      isPlanned = true;
      setTimeout(kill, afterMs);
    };
  });
}

/** Runs sessions until there were enough kills, or one is wrong. Returns what was wrong. */
async function killMany(name: string, session: OneSession): Promise<readonly unknown[]> {
  const sum = { sessions: 0, kills: 0, hits: 0, hadCharged: 0, hadNotCharged: 0 };
  const wrong: unknown[] = [];
  const pace = new Pace();
  await session(0, [pace.watch()]);
  let seed = 0;
  const work = async (): Promise<void> => {
    while (sum.kills < KILLS && seed < MOST_SESSIONS && wrong.length === 0) {
      const own = ++seed;
      const { last, charged, ...counts } = await session(own, [...killers(own, pace.ms), pace.watch()]);
      sum.sessions++;
      for (const key of ["kills", "hits", "hadCharged", "hadNotCharged"] as const) sum[key] += counts[key];
      const letters = charged.map((order) => order.slice(-1)).toSorted();
      if (last !== "completed" || letters.join() !== "a,b,c") wrong.push({ seed: own, last, charged });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(
    `${name}: ${sum.kills} kills of ${sum.sessions} sessions; ${sum.hits} hit a running charge. ` +
      `Asked afterwards: ${sum.hadCharged} had charged, ${sum.hadNotCharged} had not.`,
  );
  if (wrong.length === 0 && (sum.kills < KILLS || sum.hits < LEAST_HITS)) wrong.push(sum);
  return wrong;
}

const overHttp =
  (fault: Fault): OneSession =>
  async (_seed, killing) => {
    const service = await chargeService();
    try {
      const place = { program: child.path, kind: "http", where: service.url, fault } as const;
      return { ...(await killed(place, killing)), charged: service.charged };
    } finally {
      await service.close();
    }
  };

/** A server with the table, for one test. */
async function withTable<Result>(
  use: (session: OneSession) => Promise<Result>,
  fault: Fault,
): Promise<Result> {
  const server = postgresServer();
  try {
    await psql(server.folder, "create table charges (key text primary key, order_id text, state text);");
    return await use(async (seed, killing) => {
      const name = `s${seed}`;
      const place = { program: child.path, kind: "postgres", where: server.folder, name, fault } as const;
      const done = await killed(place, killing);
      const rows = await psql(
        server.folder,
        "select order_id from charges where state = 'charged' and order_id like :'orders';",
        { orders: `${name}-%` },
      );
      return { ...done, charged: rows.trim().split("\n") };
    });
  } finally {
    server.close();
  }
}

test(`${KILLS} kills around a service with idempotency keys charge every order once`, LIMIT, async () => {
  expect(await killMany("service", overHttp("none"))).toEqual([]);
});

test.skipIf(!hasPostgres)(
  `${KILLS} kills around a Postgres table charge every order once`,
  LIMIT,
  async () => {
    expect(await withTable((session) => killMany("table", session), "none")).toEqual([]);
  },
);

test.each(["key", "reconcile"] as const)(
  "the same kills charge an order twice if the %s is broken",
  LIMIT,
  async (fault) => {
    expect(await killMany(`service, broken ${fault}`, overHttp(fault))).not.toEqual([]);
    if (hasPostgres)
      expect(await withTable((session) => killMany(`table, broken ${fault}`, session), fault)).not.toEqual(
        [],
      );
  },
);
