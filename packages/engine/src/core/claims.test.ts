import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Claim, claimsConflict } from "./access.ts";
import { type Call, JUDGING, PERMITTED, RUNNING } from "./call.ts";
import { ClaimTree } from "./claims.ts";

function callOf(index: number, claims: readonly Claim[]): Call {
  return {
    index,
    id: `call-${index}`,
    toolName: "Tool",
    access: { claims, readOnly: false, interrupt: "block", onError: "isolate" },
    delegates: false,
    hooked: false,
    phase: PERMITTED,
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

const reads = (place: string): Claim => ({ mode: "read", place });
const writes = (place: string): Claim => ({ mode: "write", place });

/** Looks for the calls that can pass, as the core does: those that are blocked wait at a gate. */
function look(tree: ClaimTree<Call>, call: Call): void {
  const obstacle = tree.obstacle(call);
  if (obstacle === undefined) tree.candidates.start.add(call);
  else tree.waitAt(obstacle, "start");
}

/** Takes out all that can start now, in the order in which they come. */
function startable(tree: ClaimTree<Call>): Call[] {
  const free: Call[] = [];
  for (let call = tree.candidates.start.pop(); call !== undefined; call = tree.candidates.start.pop()) {
    if (call.phase !== PERMITTED) continue;
    if (tree.obstacle(call) === undefined) free.push(call);
    else look(tree, call);
  }
  return free;
}

function enter(tree: ClaimTree<Call>, call: Call): void {
  tree.enter(call);
  look(tree, call);
}

/** The definition, without an index: what the tree must always agree with. */
class World {
  readonly tree = new ClaimTree<Call>();
  readonly calls: Call[] = [];
  #arrived = 0;

  isFree(call: Call): boolean {
    return !this.calls.some((other) => {
      if (other === call || !claimsConflict(other.access.claims, call.access.claims)) return false;
      return other.index < call.index || other.phase === RUNNING;
    });
  }

  request(claims: readonly Claim[]): void {
    const call = callOf(this.#arrived++, claims);
    this.calls.push(call);
    enter(this.tree, call);
  }

  start(call: Call): void {
    if (call.phase === RUNNING || this.tree.obstacle(call) !== undefined) return;
    call.phase = RUNNING;
    this.tree.start(call);
  }

  leave(call: Call): void {
    this.calls.splice(this.calls.indexOf(call), 1);
    call.phase = JUDGING;
    this.tree.leave(call);
  }

  /** A call that runs and is judged again does not run any more. */
  reenter(call: Call, claims: readonly Claim[]): void {
    call.phase = PERMITTED;
    call.access = { ...call.access, claims };
    this.tree.reenter(call);
    look(this.tree, call);
  }

  /** A free call is found, both by asking for it and by waiting. */
  check(): void {
    const waiting = this.calls.filter((call) => call.phase !== RUNNING);
    const free = waiting.filter((call) => this.isFree(call));
    expect(ids(waiting.filter((call) => this.tree.obstacle(call) === undefined))).toEqual(ids(free));
    const found = startable(this.tree);
    expect(ids([...new Set(found)])).toEqual(ids(free));
    for (const call of found) look(this.tree, call);
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
  { weight: 3, arbitrary: fc.record({ act: fc.constant("leave" as const), at: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant("reenter" as const), at: fc.nat(), claims: someClaims }),
  },
);

type Step = typeof someStep extends fc.Arbitrary<infer Value> ? Value : never;

function take(world: World, step: Step): void {
  if (step.act === "request") return world.request(step.claims);
  const call = world.calls[step.at % Math.max(1, world.calls.length)];
  if (call === undefined) return;
  if (step.act === "start") return world.start(call);
  if (step.act === "leave") return world.leave(call);
  world.reenter(call, step.claims);
}

describe("Who is free", () => {
  test("A call is free if and only if no earlier unreleased call conflicts with it", () => {
    fc.assert(
      fc.property(fc.array(someStep, { minLength: 5, maxLength: 40 }), (steps) => {
        const world = new World();
        for (const step of steps) {
          take(world, step);
          world.check();
        }
        for (const call of world.calls.toReversed()) world.leave(call);
        expect(world.tree.empty).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("Every call eventually becomes free, runs and is released", () => {
    fc.assert(
      fc.property(fc.array(someStep, { minLength: 5, maxLength: 40 }), (steps) => {
        const world = new World();
        for (const step of steps) take(world, step);
        while (world.calls.length > 0) {
          const next =
            world.calls.find(({ phase }) => phase === RUNNING) ??
            startable(world.tree).find(({ phase }) => phase === PERMITTED);
          expect(next).toBeDefined();
          if (next === undefined) break;
          world.leave(next);
          for (const call of world.calls) look(world.tree, call);
        }
        expect(world.tree.empty).toBe(true);
      }),
    );
  });

  test("A call that claims nothing is free, and a call never waits for its own claims", () => {
    const tree = new ClaimTree<Call>();
    const everything = callOf(0, [writes("*"), reads("fs:/a"), writes("fs:/a"), writes("fs:/a")]);
    const nothing = callOf(1, []);
    for (const call of [everything, nothing]) enter(tree, call);
    expect(ids(startable(tree))).toEqual(["call-0", "call-1"]);
    expect(tree.empty).toBe(false);
  });

  test("A place of unknown form is a write to everything, whatever mode it comes with", () => {
    const tree = new ClaimTree<Call>();
    const [first, second] = [callOf(0, [reads("no place")]), callOf(1, [reads("fs:/a")])];
    for (const call of [first, second]) enter(tree, call);
    expect(ids(startable(tree))).toEqual(["call-0"]);
    tree.leave(first);
    expect(ids(startable(tree))).toEqual(["call-1"]);
  });

  test("A call that never entered can leave", () => {
    const tree = new ClaimTree<Call>();
    tree.leave(callOf(0, [writes("*")]));
    expect([startable(tree), tree.empty]).toEqual([[], true]);
  });

  test("While an earlier call can change the context, a call that depends on it claims everything", () => {
    const tree = new ClaimTree<Call>();
    const cd = callOf(0, [writes("context:/cwd")]);
    const write = callOf(1, [writes("fs:/a"), reads("context:/cwd")]);
    const others = [callOf(2, [writes("fs:/b")]), callOf(3, [reads("fs:/c")])];
    for (const call of [cd, write, ...others]) tree.enter(call);
    const blocked = (): boolean[] => others.map((other) => tree.obstacle(other) !== undefined);
    expect([write.isUnlocated, blocked()]).toEqual([true, [true, true]]);
    tree.leave(cd);
    tree.reenter(write);
    expect([write.isUnlocated, blocked()]).toEqual([false, [false, false]]);
    for (const call of [write, ...others]) tree.leave(call);
    expect(tree.empty).toBe(true);
  });

  test("A call that depends on the context and only reads does not keep other reads waiting", () => {
    const tree = new ClaimTree<Call>();
    const calls = [
      callOf(0, [writes("context:/cwd")]),
      callOf(1, [reads("fs:/a"), reads("context:/cwd")]),
      callOf(2, [reads("fs:/b")]),
      callOf(3, [writes("fs:/b")]),
    ];
    for (const call of calls) tree.enter(call);
    expect(calls.map((call) => tree.obstacle(call) !== undefined)).toEqual([false, true, false, true]);
  });

  test("A call that changes the context after another one has read it is not unlocated", () => {
    const tree = new ClaimTree<Call>();
    const calls = [callOf(0, [writes("fs:/a"), reads("context:/cwd")]), callOf(1, [writes("context:/cwd")])];
    for (const call of calls) tree.enter(call);
    expect(calls.map(({ isUnlocated }) => isUnlocated)).toEqual([false, false]);
    expect(tree.obstacle(calls[1] as Call)).toBeDefined();
  });

  test("Claims on the context come first, since others can depend on them", () => {
    const tree = new ClaimTree<Call>();
    const [cd, write] = [callOf(0, [writes("*")]), callOf(1, [writes("fs:/a"), reads("context:/cwd")])];
    for (const call of [cd, write]) enter(tree, call);
    expect(tree.obstacle(write)?.ofContext).toBe(true);
  });
});

describe("Claims that change", () => {
  function claimed(...claims: Claim[][]): { tree: ClaimTree<Call>; calls: Call[] } {
    const tree = new ClaimTree<Call>();
    const calls = claims.map((own, index) => callOf(index, own));
    for (const call of calls) enter(tree, call);
    return { tree, calls };
  }

  /** Who is free after a change. */
  function change(tree: ClaimTree<Call>, call: Call, ...claims: Claim[]): string[] {
    call.access = { ...call.access, claims };
    tree.reenter(call);
    look(tree, call);
    return startableAgain(tree);
  }

  function startableAgain(tree: ClaimTree<Call>): string[] {
    const free = new Set(startable(tree));
    for (const call of free) look(tree, call);
    return ids([...free]);
  }

  function leave(tree: ClaimTree<Call>, call: Call): string[] {
    call.phase = JUDGING;
    tree.leave(call);
    return startableAgain(tree);
  }

  test("A later call that has not started waits for an earlier call that now claims the same place", () => {
    const { tree, calls } = claimed([writes("fs:/a")], [writes("fs:/b")]);
    expect(startableAgain(tree)).toEqual(["call-0", "call-1"]);
    expect(change(tree, calls[0] as Call, writes("fs:/b"))).toEqual(["call-0"]);
    expect(leave(tree, calls[0] as Call)).toEqual(["call-1"]);
  });

  test("A later call that is already running continues, and the earlier one waits for it", () => {
    const { tree, calls } = claimed([writes("fs:/a")], [writes("fs:/b")]);
    const [first, second] = calls as [Call, Call];
    second.phase = RUNNING;
    tree.start(second);
    expect(change(tree, first, reads("*"))).toEqual([]);
    expect(leave(tree, second)).toEqual(["call-0"]);
  });

  test("Giving up a place frees the calls that waited for it, but not those that wait for the new place", () => {
    const { tree, calls } = claimed([writes("*")], [writes("fs:/a")], [writes("fs:/b")]);
    expect(startableAgain(tree)).toEqual(["call-0"]);
    expect(change(tree, calls[0] as Call, writes("fs:/b"))).toEqual(["call-0", "call-1"]);
    expect(leave(tree, calls[0] as Call)).toEqual(["call-1", "call-2"]);
  });

  test("A call keeps its position in the order: it waits for earlier calls and not for later ones", () => {
    const { tree, calls } = claimed([writes("fs:/a")], [writes("fs:/b")], [writes("fs:/a")]);
    const [first, second] = calls as [Call, Call, Call];
    expect(change(tree, second, writes("fs:/a"))).toEqual(["call-0"]);
    expect(leave(tree, first)).toEqual(["call-1"]);
    expect(leave(tree, second)).toEqual(["call-2"]);
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

  type Act = (tree: ClaimTree<Call>, calls: readonly Call[]) => void;

  function looksPerCall(amount: number, claims: (index: number) => readonly Claim[], act: Act): number {
    const tree = new ClaimTree<Call>();
    const { work, calls } = counted(amount, claims);
    for (const call of calls) enter(tree, call);
    act(tree, calls);
    expect(tree.empty).toBe(true);
    return work.looks / amount;
  }

  /** Each starts when it can, and leaves: at most one runs at a time. */
  const leaveAll: Act = (tree, calls) => {
    for (const _ of calls) {
      const call = tree.candidates.start.pop();
      if (call !== undefined) tree.leave(call);
    }
    for (const call of calls) tree.leave(call);
  };
  const onOnePlace = () => [writes("fs:/a/b")];
  const readersAfterAWriter = (index: number) => [index === 0 ? writes("fs:/a") : reads("fs:/a/b")];
  const readersAndWriters = (index: number) => [index % 2 === 0 ? writes("*") : reads(`fs:/${index}`)];

  test.each<[string, (index: number) => readonly Claim[], Act]>([
    ["writers of one place that end in order", onOnePlace, leaveAll],
    [
      "writers of one place that end last first",
      onOnePlace,
      (tree, calls) => leaveAll(tree, calls.toReversed()),
    ],
    ["readers after one writer", readersAfterAWriter, leaveAll],
    ["writers of everything between readers of files", readersAndWriters, leaveAll],
    ["calls on places of their own", (index) => [writes(`fs:/${index}`)], leaveAll],
    [
      "calls that claim one place of their own instead of everything",
      () => [writes("*")],
      (tree, calls) => {
        for (const [at, call] of calls.entries()) {
          call.access = { ...call.access, claims: [reads(`fs:/${at}`)] };
          tree.reenter(call);
          look(tree, call);
        }
        leaveAll(tree, calls);
      },
    ],
    [
      "readers of one place that become writers of it, one after the other",
      () => [reads("fs:/a"), writes("fs:/b/c")],
      (tree, calls) => {
        for (const call of calls) {
          call.access = { ...call.access, claims: [writes("fs:/a")] };
          tree.reenter(call);
          look(tree, call);
          tree.candidates.start.pop();
          tree.leave(call);
        }
      },
    ],
    [
      "calls that move to places of their own after one that does not end",
      (index: number) => [writes(`fs:/${index % 10}`)],
      (tree, calls) => {
        for (const [at, call] of calls.entries()) {
          if (at === 0) continue;
          call.access = { ...call.access, claims: [writes(`fs:/x/${at}`)] };
          tree.reenter(call);
          look(tree, call);
          tree.leave(call);
        }
        tree.leave(calls[0] as Call);
      },
    ],
  ])("It does not grow with the number of calls: %s", (_, claims, act) => {
    const few = looksPerCall(300, claims, act);
    const many = looksPerCall(3_000, claims, act);
    // A search in an ordered list may grow by its logarithm; a walk over the list would be ten times as much.
    expect(many).toBeLessThan(few * 2 + 10);
  });

  test("100,000 writers of one place are let on one after the other", { timeout: 20_000 }, () => {
    const tree = new ClaimTree<Call>();
    const calls = Array.from({ length: 100_000 }, (_, index) => callOf(index, [writes("fs:/a/b")]));
    for (const call of calls) enter(tree, call);
    const order: Call[] = [];
    for (let call = tree.candidates.start.pop(); call !== undefined; call = tree.candidates.start.pop()) {
      order.push(call);
      tree.leave(call);
    }
    expect(order.every((call, at) => call === calls[at])).toBe(true);
    expect([order.length, tree.empty]).toEqual([100_000, true]);
  });
});
