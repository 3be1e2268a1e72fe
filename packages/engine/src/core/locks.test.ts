import fc from "fast-check";
import { expect, test } from "vitest";
import { type Claim, claimsConflict } from "./access.ts";
import { type Call, type LockHolder, QUEUED } from "./call.ts";
import { LockTable, type Ticket } from "./locks.ts";

function callOf(id: number, toolName: string, claims: readonly Claim[]): Call {
  return {
    index: id,
    id: `${id}`,
    toolName,
    access: { claims, readOnly: false, interrupt: "block", onError: "isolate" },
    delegates: false,
    hooked: false,
    phase: QUEUED,
    epoch: 0,
    wasStale: false,
    approved: undefined,
    input: 0,
    requests: [],
    gate: undefined,
    isRunning: false,
    isUnlocated: false,
    ticket: undefined,
    before: undefined,
    after: undefined,
  };
}

const holders = ["one", "two", "three"].map((owner): LockHolder => ({ owner, granted: () => {} }));

const someStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("request" as const),
      holder: fc.nat({ max: 2 }),
      tool: fc.constantFrom("Fetch", "Edit"),
      claims: fc.array(
        fc.record({
          mode: fc.constantFrom("read" as const, "write" as const),
          place: fc.constantFrom("*", "fs:/a", "fs:/a/b", "fs:/c", "mcp:/github/x"),
        }),
        { maxLength: 2 },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("leave" as const), at: fc.nat() }) },
);

type Step = typeof someStep extends fc.Arbitrary<infer Value> ? Value : never;

const MAX = 3;
const LIMITS = { "tool:/Fetch": 1, "mcp:/github": 1 };

/** The tickets that have not left, and what must hold of them. */
class Tickets {
  readonly table = new LockTable(
    MAX,
    Object.fromEntries(Object.entries(LIMITS).map(([place, concurrent]) => [place, { concurrent }])),
  );
  readonly live: Ticket[] = [];
  #given = 0;

  take(step: Step): void {
    if (step.act === "leave") return this.leave(this.live[step.at % Math.max(1, this.live.length)]);
    const { tool, claims } = step;
    const holder = holders[step.holder] as LockHolder;
    const own = this.live.filter((other) => other.holder === holder);
    // Its own turn has kept it from asking.
    if (own.some((other) => claimsConflict(other.access.claims, claims))) return;
    const call = callOf(this.#given++, tool, claims);
    this.live.push(this.table.request(call, holder));
  }

  leave(ticket: Ticket | undefined): void {
    if (ticket === undefined) return;
    this.live.splice(this.live.indexOf(ticket), 1);
    ticket.leave();
  }

  check(): void {
    const granted = this.live.filter(({ standing }) => standing === "granted");
    expect(granted.length).toBeLessThanOrEqual(MAX);
    expect(granted.filter(isFetch).length).toBeLessThanOrEqual(1);
    expect(granted.filter(isOfGithub).length).toBeLessThanOrEqual(1);
    for (const ticket of this.live) this.#checkTicket(ticket, granted);
  }

  #checkTicket(ticket: Ticket, granted: readonly Ticket[]): void {
    const before = this.live.filter((other) => other.index < ticket.index);
    const isBlocked = before.some((other) => claimsConflict(other.access.claims, ticket.access.claims));
    if (ticket.standing === "granted") return expect(isBlocked).toBe(false);
    const isLimited = isFetch(ticket) || isOfGithub(ticket);
    // What needs no limited room waits for a claim or a slot, and for nothing else.
    if (!isLimited && !isBlocked) expect(granted).toHaveLength(MAX);
  }
}

const isFetch = ({ call }: Ticket): boolean => call.toolName === "Fetch";
const isOfGithub = ({ access }: Ticket): boolean =>
  access.claims.some(({ place }) => place.startsWith("mcp:/github"));

test("a ticket is granted if no earlier one conflicts with it and there is room, and not before", () => {
  fc.assert(
    fc.property(fc.array(someStep, { minLength: 5, maxLength: 40 }), (steps) => {
      const tickets = new Tickets();
      for (const step of steps) {
        tickets.take(step);
        tickets.check();
      }
      // Those that hold leave, and so every ticket gets its turn.
      while (tickets.live.length > 0) {
        const next = tickets.live.find(({ standing }) => standing === "granted");
        expect(next).toBeDefined();
        tickets.leave(next);
        tickets.check();
      }
      expect(tickets.table.empty).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("tickets that are granted later come out once, in the order of asking", () => {
  const table = new LockTable(1, {});
  const tickets = holders.map((holder, at) => table.request(callOf(at, "Edit", []), holder));
  expect(tickets.map(({ standing }) => standing)).toEqual(["granted", "waiting", "waiting"]);
  tickets[1]?.leave();
  tickets[0]?.leave();
  expect(table.takeGranted()).toBe(tickets[2]);
  expect(table.takeGranted()).toBeUndefined();
});

test("tickets that leave a full room are not kept while it stays full", () => {
  const table = new LockTable(1, {});
  const first = table.request(callOf(0, "Edit", []), holders[0] as LockHolder);
  const room = first.rooms[0] as { readonly waiting: { readonly size: number } };
  for (let at = 1; at < 5_000; at++)
    table.request(callOf(at, "Edit", []), holders[at % 3] as LockHolder).leave();
  expect(room.waiting.size).toBeLessThan(200);
  first.leave();
  expect(table.empty).toBe(true);
});

test("tickets that leave are not kept while an earlier one still waits for the same claim", () => {
  const table = new LockTable(10, {});
  const write: Claim[] = [{ mode: "write", place: "*" }];
  const [first, second] = [0, 1].map((at) =>
    table.request(callOf(at, "Edit", write), holders[at] as LockHolder),
  );
  for (let at = 2; at < 5_000; at++)
    table.request(callOf(at, "Edit", write), holders[at % 3] as LockHolder).leave();
  expect(second?.gate?.size).toBeLessThan(200);
  first?.leave();
  expect(table.takeGranted()).toBe(second);
  second?.leave();
  expect(table.empty).toBe(true);
});
