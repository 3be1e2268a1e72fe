/** Locks that several executors share, and one executor's access to them. */

import { placeSegments } from "../core/access.ts";
import type { Blocker, Call, LockHolder } from "../core/call.ts";
import { type Limit, LockTable, type Ticket } from "../core/locks.ts";
import { DEFAULT_LIMIT } from "../core/turn.ts";
import { type Clock, systemClock } from "./clock.ts";
import { COUNT, isCount, rejectUnknown, wrongRange, wrongType } from "./shapes.ts";
import { isObject } from "../wire/shape.ts";

/** Configures {@link createLocks}. */
export interface LocksOptions {
  /** How many calls run at a time, over all executors with these locks. Default: 10. */
  readonly maxConcurrency?: number;
  /**
   * The capacity of places and tools: for calls that touch a place or something below it (`"api:/github"`), or that use a
   * tool (`"tool:/WebFetch"`). A number is the same as `{ concurrent }`. Calls wait for room in the order in which they
   * ask, and do not delay calls that the limit is not for. Default: none.
   */
  readonly limits?: Readonly<Record<string, number | Capacity>>;
  /** Measures time for `perMinute`. Default: the system's clock. */
  readonly clock?: Clock;
}

/** How many calls a place or a tool can take. */
export interface Capacity {
  /** How many calls run at a time. Default: no limit of its own. */
  readonly concurrent?: number;
  /** How many calls start within any 60 seconds. Default: no limit. */
  readonly perMinute?: number;
}

/** Holds the locks of a session. Made by {@link createLocks}; pass it to executors as `locks`. */
export interface Locks {
  /** How many calls run at a time. */
  readonly maxConcurrency: number;
}

/** The state of each `Locks`, which callers do not see. */
const shared = new WeakMap<Locks, SharedLocks>();

const WHERE = "createLocks";

/**
 * Creates locks for executors that work side by side in the same files, such as those of an agent and its sub-agents.
 *
 * Of two calls that conflict and belong to different executors, one waits until the other has settled: first come,
 * first served, and no call ever overtakes an earlier one that conflicts with it. Within an executor the order is the
 * model's, as without locks. A tool whose calls run other executors with the same locks must have `delegates: true`,
 * because its calls would otherwise keep their own work waiting.
 *
 * @throws TypeError if an option is unknown or of the wrong type.
 * @throws RangeError if a limit is not a whole number of at least 1.
 *
 * @example
 * ```ts
 * import { type AnyTool, StreamingToolExecutor, createLocks } from "@runahead/engine";
 *
 * export function executors(tools: readonly AnyTool[]) {
 *   const limits = { "api:/github": { concurrent: 4, perMinute: 60 }, "tool:/WebFetch": 2 };
 *   const locks = createLocks({ maxConcurrency: 10, limits });
 *   return ["tests", "docs"].map((owner) => new StreamingToolExecutor({ tools, locks, owner }));
 * }
 * ```
 */
export function createLocks(options: LocksOptions = {}): Locks {
  rejectUnknown(options, ["maxConcurrency", "limits", "clock"], WHERE);
  const { maxConcurrency = DEFAULT_LIMIT, limits = {}, clock = systemClock } = options;
  checkLimit("maxConcurrency", maxConcurrency);
  if (!isObject(limits)) throw wrongType(`${WHERE}: limits`, "an object", limits);
  const capacities: Record<string, Limit> = {};
  for (const [place, most] of Object.entries(limits)) {
    if ((placeSegments(place)?.length ?? 0) === 0)
      throw new TypeError(
        `${WHERE}: limits: "${place}" is not a place. Write "mcp:/github" or "tool:/WebFetch".`,
      );
    capacities[place] = capacityOf(place, most);
  }
  const locks: Locks = Object.freeze({ maxConcurrency });
  shared.set(locks, new SharedLocks(new LockTable(maxConcurrency, capacities), clock));
  return locks;
}

function capacityOf(place: string, most: number | Capacity): Limit {
  const name = `limits: "${place}"`;
  if (!isObject(most)) {
    checkLimit(name, most);
    return { concurrent: most };
  }
  rejectUnknown(most, ["concurrent", "perMinute"], `${WHERE}: ${name}`);
  const given = Object.entries(most).filter(([, limit]) => limit !== undefined);
  if (given.length === 0) throw new TypeError(`${WHERE}: ${name} needs concurrent or perMinute.`);
  for (const [part, limit] of given) checkLimit(`${name}: ${part}`, limit);
  return Object.fromEntries(given);
}

function checkLimit(name: string, limit: unknown): asserts limit is number {
  if (!isCount(limit)) throw wrongRange(`${WHERE}: ${name}`, COUNT, limit);
}

/** Whether it was made by `createLocks`. */
export function isLocks(value: unknown): value is Locks {
  return shared.has(value as Locks);
}

/** Whether nothing is held and nobody waits. */
export function isUnlocked(locks: Locks): boolean {
  return shared.get(locks)?.table.empty === true;
}

class SharedLocks {
  readonly table: LockTable;
  readonly #clock: Clock;
  #timer: { readonly at: number; readonly handle: unknown } | undefined;
  #willPassOn = false;

  constructor(table: LockTable, clock: Clock) {
    this.table = table;
    this.#clock = clock;
  }

  /** Brings the table up to date, if it has limits per minute. */
  tick(): void {
    if (this.table.isMetered) this.table.tick(this.#clock.now());
  }

  /** There is a timer only while a call waits for a minute to pass. */
  #watchTime(): void {
    const at = this.table.nextAt();
    if (at === this.#timer?.at) return;
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer.handle);
    const wake = (): void => {
      this.#timer = undefined;
      this.tick();
      this.#startGranted();
      this.#watchTime();
    };
    this.#timer =
      at === undefined
        ? undefined
        : { at, handle: this.#clock.after(Math.max(0, at - this.#clock.now()), wake) };
  }

  /**
   * Starts the calls that were granted: not now, but when the code that is running has ended. A program that changes
   * rules, or stops several executors, calls one after the other; what the first one gives up must not start a call of
   * another that has not been called yet.
   */
  passOn(): void {
    if (this.table.isMetered) this.#watchTime();
    if (this.#willPassOn || !this.table.hasGranted) return;
    this.#willPassOn = true;
    queueMicrotask(this.#startGranted);
  }

  /** In a loop, so that a chain of thousands of calls that end at once does not overflow the stack. */
  readonly #startGranted = (): void => {
    this.#willPassOn = false;
    for (let next = this.table.takeGranted(); next !== undefined; next = this.table.takeGranted())
      next.holder.granted(next.call);
  };
}

/** The shared locks, as one turn sees them. */
export class TurnLocks implements LockHolder {
  readonly owner: string | undefined;
  readonly granted: (call: Call) => void;
  readonly #shared: SharedLocks;

  constructor(locks: Locks, owner: string | undefined, granted: (call: Call) => void) {
    this.#shared = shared.get(locks) as SharedLocks;
    this.owner = owner;
    this.granted = granted;
  }

  /** Whether the call can start now; else it is granted later. A call that delegates its work needs no locks. */
  hold(call: Call): boolean {
    if (call.delegates || call.ticket !== undefined) return true;
    this.#shared.tick();
    const ticket = this.#shared.table.request(call, this);
    call.ticket = ticket;
    return ticket.standing === "granted";
  }

  /** Calls of other turns can have been granted. */
  passOn(): void {
    this.#shared.passOn();
  }

  /** A call is about to be launched: its start counts from now on. */
  tick(): void {
    this.#shared.tick();
  }

  /** The call of another turn that a queued call waits for, if it waits for one. */
  blockerOf({ ticket, phase }: Call): Blocker | undefined {
    return phase.state === "queued" ? this.#shared.table.blockerOf(ticket as Ticket) : undefined;
  }

  /** The limit that a queued call waits for, if it waits for one. */
  limitOf({ ticket, phase }: Call): string | undefined {
    return phase.state === "queued" ? this.#shared.table.limitOf(ticket as Ticket) : undefined;
  }
}
