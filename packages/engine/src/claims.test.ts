import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Claim, claimsConflict } from "./access.ts";
import type { Call, Phase } from "./call.ts";
import { ClaimTree } from "./claims.ts";

const WAITING: Phase = { state: "waiting", permitted: true };
const RUNNING: Phase = { state: "running", launched: true };

function callOf(index: number, claims: readonly Claim[]): Call {
  return {
    index,
    id: `call-${index}`,
    toolName: "Tool",
    access: { claims, readOnly: false, interrupt: "block", onError: "isolate" },
    hooked: false,
    phase: WAITING,
    round: 0,
    approved: false,
    requests: [],
    blocked: 0,
  };
}

const reads = (place: string): Claim => ({ mode: "read", place });
const writes = (place: string): Claim => ({ mode: "write", place });

/** The definition, without an index: what the tree must always agree with. */
class World {
  readonly tree = new ClaimTree();
  readonly calls: Call[] = [];
  #arrived = 0;

  isFree(call: Call): boolean {
    return !this.calls.some((other) => {
      if (other === call || !claimsConflict(other.access.claims, call.access.claims)) return false;
      return other.index < call.index || other.phase.state === "running";
    });
  }

  free(): Set<Call> {
    return new Set(this.calls.filter((call) => call.phase.state !== "running" && this.isFree(call)));
  }

  request(claims: readonly Claim[]): void {
    const call = callOf(this.#arrived++, claims);
    this.calls.push(call);
    this.tree.request(call);
  }

  start(call: Call): void {
    if (call.blocked !== 0) return;
    call.phase = RUNNING;
    this.tree.start(call);
  }

  release(call: Call): void {
    const before = this.free();
    this.calls.splice(this.calls.indexOf(call), 1);
    this.#checkFreed(before, this.tree.release(call), call);
  }

  /** A call that runs and is judged again does not run any more, and claims anew. */
  reclaim(call: Call, claims: readonly Claim[]): void {
    const before = this.free();
    call.phase = WAITING;
    call.access = { ...call.access, claims };
    this.#checkFreed(before, this.tree.reclaim(call), call);
  }

  #checkFreed(before: ReadonlySet<Call>, freed: readonly Call[], cause: Call): void {
    const expected = [...this.free()].filter((call) => !before.has(call) && call !== cause);
    expect(ids(freed).sort()).toEqual(ids(expected).sort());
  }

  check(): void {
    const waiting = this.calls.filter((call) => call.phase.state !== "running");
    const granted = waiting.filter((call) => call.blocked === 0);
    expect(ids(granted)).toEqual(ids(waiting.filter((call) => this.isFree(call))));
  }
}

function ids(calls: readonly Call[]): string[] {
  return calls.map((call) => call.id);
}

const someClaims = fc.array(
  fc.record({
    mode: fc.constantFrom("read" as const, "write" as const),
    place: fc.constantFrom("*", "fs:/", "fs:/a", "fs:/a/b", "fs:/a/b/c", "fs:/a/d", "fs:/e", "mcp:/a"),
  }),
  { maxLength: 3 },
);

const someStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant("request" as const), claims: someClaims }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("start" as const), at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("release" as const), at: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant("reclaim" as const), at: fc.nat(), claims: someClaims }),
  },
);

type Step = typeof someStep extends fc.Arbitrary<infer Value> ? Value : never;

function take(world: World, step: Step): void {
  if (step.act === "request") return world.request(step.claims);
  const call = world.calls[step.at % Math.max(1, world.calls.length)];
  if (call === undefined) return;
  if (step.act === "start") return world.start(call);
  if (step.act === "release") return world.release(call);
  world.reclaim(call, step.claims);
}

describe("Who is free", () => {
  test("A call is free if and only if no call before it that is not released conflicts with it", () => {
    fc.assert(
      fc.property(fc.array(someStep, { minLength: 5, maxLength: 40 }), (steps) => {
        const world = new World();
        for (const step of steps) {
          take(world, step);
          world.check();
        }
        for (const call of world.calls.toReversed()) world.release(call);
        expect(world.tree.empty).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("Whoever is free runs and is released, and so every call gets its turn", () => {
    fc.assert(
      fc.property(fc.array(someStep, { minLength: 5, maxLength: 40 }), (steps) => {
        const world = new World();
        for (const step of steps) take(world, step);
        while (world.calls.length > 0) {
          const next = world.calls.find((call) => call.blocked === 0);
          expect(next).toBeDefined();
          if (next !== undefined) world.release(next);
        }
        expect(world.tree.empty).toBe(true);
      }),
    );
  });

  test("A call that claims nothing is free, and a call never waits for its own claims", () => {
    const tree = new ClaimTree();
    const everything = callOf(0, [writes("*"), reads("fs:/a"), writes("fs:/a"), writes("fs:/a")]);
    const nothing = callOf(1, []);
    for (const call of [everything, nothing]) tree.request(call);
    expect([everything.blocked, nothing.blocked]).toEqual([0, 0]);
    expect(tree.empty).toBe(false);
  });

  test("A place of unknown form is a write to everything, whatever mode it comes with", () => {
    const tree = new ClaimTree();
    const [first, second] = [callOf(0, [reads("no place")]), callOf(1, [reads("fs:/a")])];
    for (const call of [first, second]) tree.request(call);
    expect(second.blocked).toBeGreaterThan(0);
    expect(ids(tree.release(first))).toEqual(["call-1"]);
  });

  test("A call that was never requested can be released", () => {
    const tree = new ClaimTree();
    expect(tree.release(callOf(0, [writes("*")]))).toEqual([]);
    expect(tree.empty).toBe(true);
  });
});

describe("Claiming anew", () => {
  function claimed(...claims: Claim[][]): { tree: ClaimTree; calls: Call[] } {
    const tree = new ClaimTree();
    const calls = claims.map((own, index) => callOf(index, own));
    for (const call of calls) tree.request(call);
    return { tree, calls };
  }

  function reclaim(tree: ClaimTree, call: Call, ...claims: Claim[]): string[] {
    call.access = { ...call.access, claims };
    return ids(tree.reclaim(call));
  }

  test("A later call that was free and has not started waits for an earlier one that claims its place", () => {
    const { tree, calls } = claimed([writes("fs:/a")], [writes("fs:/b")]);
    const [first, second] = calls as [Call, Call];
    expect(reclaim(tree, first, writes("fs:/b"))).toEqual([]);
    expect([first.blocked === 0, second.blocked === 0]).toEqual([true, false]);
    expect(ids(tree.release(first))).toEqual(["call-1"]);
  });

  test("A later call that has started goes on, and the earlier one waits for it", () => {
    const { tree, calls } = claimed([writes("fs:/a")], [writes("fs:/b")]);
    const [first, second] = calls as [Call, Call];
    tree.start(second);
    expect(reclaim(tree, first, reads("*"))).toEqual([]);
    expect([first.blocked === 0, second.blocked === 0]).toEqual([false, true]);
    expect(ids(tree.release(second))).toEqual(["call-0"]);
  });

  test("Giving up a place frees those who waited for it, but not those who wait for the new one", () => {
    const { tree, calls } = claimed([writes("*")], [writes("fs:/a")], [writes("fs:/b")]);
    expect(reclaim(tree, calls[0] as Call, writes("fs:/b"))).toEqual(["call-1"]);
    expect(ids(tree.release(calls[0] as Call))).toEqual(["call-2"]);
  });

  test("The old position in the order is kept: calls before it are waited for, calls after it are not", () => {
    const { tree, calls } = claimed([writes("fs:/a")], [writes("fs:/b")], [writes("fs:/a")]);
    const [first, second, third] = calls as [Call, Call, Call];
    expect(reclaim(tree, second, writes("fs:/a"))).toEqual([]);
    expect(ids(tree.release(first))).toEqual([second.id]);
    expect(ids(tree.release(second))).toEqual([third.id]);
  });
});

describe("The work per call", () => {
  /** How often the order of calls is looked at, which every comparison of two requests does. */
  function counted(amount: number, claims: (index: number) => readonly Claim[]) {
    const work = { looks: 0 };
    const calls = Array.from({ length: amount }, (_, index) =>
      Object.defineProperty(callOf(index, claims(index)), "index", {
        get: () => {
          work.looks++;
          return index;
        },
      }),
    );
    return { work, calls };
  }

  type Act = (tree: ClaimTree, calls: readonly Call[]) => void;

  function looksPerCall(amount: number, claims: (index: number) => readonly Claim[], act: Act): number {
    const tree = new ClaimTree();
    const { work, calls } = counted(amount, claims);
    for (const call of calls) tree.request(call);
    act(tree, calls);
    expect(tree.empty).toBe(true);
    return work.looks / amount;
  }

  const releaseAll: Act = (tree, calls) => {
    for (const call of calls) tree.release(call);
  };
  const onOnePlace = () => [writes("fs:/a/b")];
  const readersBehindAWriter = (index: number) => [index === 0 ? writes("fs:/a") : reads("fs:/a/b")];
  const readersAndWriters = (index: number) => [index % 2 === 0 ? writes("*") : reads(`fs:/${index}`)];

  test.each<[string, (index: number) => readonly Claim[], Act]>([
    ["writers of one place that end in order", onOnePlace, releaseAll],
    [
      "writers of one place that end last first",
      onOnePlace,
      (tree, calls) => releaseAll(tree, calls.toReversed()),
    ],
    ["readers behind one writer", readersBehindAWriter, releaseAll],
    ["writers of everything between readers of files", readersAndWriters, releaseAll],
    ["calls on places of their own", (index) => [writes(`fs:/${index}`)], releaseAll],
    [
      "calls that claim one place of their own instead of everything",
      () => [writes("*")],
      (tree, calls) => {
        for (const [at, call] of calls.entries()) {
          call.access = { ...call.access, claims: [reads(`fs:/${at}`)] };
          tree.reclaim(call);
        }
        releaseAll(tree, calls);
      },
    ],
  ])("It does not grow with the number of calls: %s", (_, claims, act) => {
    const few = looksPerCall(300, claims, act);
    const many = looksPerCall(3_000, claims, act);
    // A search in an ordered list may grow by its logarithm; a walk over the list would be ten times as much.
    expect(many).toBeLessThan(few * 2 + 10);
  });

  test("100,000 writers of one place are let on one after the other", { timeout: 20_000 }, () => {
    const tree = new ClaimTree();
    const calls = Array.from({ length: 100_000 }, (_, index) => callOf(index, [writes("fs:/a/b")]));
    for (const call of calls) tree.request(call);
    const order = [calls[0] as Call];
    for (const call of calls) order.push(...tree.release(call));
    expect(order.every((call, at) => call === calls[at])).toBe(true);
    expect([order.length, tree.empty]).toEqual([100_000, true]);
  });
});
