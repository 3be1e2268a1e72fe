/** Locks that several executors share, and one executor's access to them. */

import { placeSegments } from "../core/access.ts";
import type { Call } from "../core/call.ts";
import { type Blocker, type LockHolder, LockTable, type Ticket } from "../core/locks.ts";
import { DEFAULT_LIMIT } from "../core/turn.ts";
import { rejectUnknown, shown } from "./shapes.ts";

/** Configures {@link createLocks}. */
export interface LocksOptions {
  /** How many calls run at a time, over all executors with these locks. Default: 10. */
  readonly maxConcurrency?: number;
  /**
   * How many calls run at a time that touch a place or something below it (`{ "mcp:/github": 2 }`), or that use a tool
   * (`{ "tool:/WebFetch": 2 }`). A call that waits for such a limit does not delay calls that the limit is not for.
   */
  readonly limits?: Readonly<Record<string, number>>;
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
 *   const locks = createLocks({ maxConcurrency: 10, limits: { "tool:/WebFetch": 2 } });
 *   return ["tests", "docs"].map((owner) => new StreamingToolExecutor({ tools, locks, owner }));
 * }
 * ```
 */
export function createLocks(options: LocksOptions = {}): Locks {
  rejectUnknown(options, ["maxConcurrency", "limits"], WHERE);
  const { maxConcurrency = DEFAULT_LIMIT, limits = {} } = options;
  checkLimit("maxConcurrency", maxConcurrency);
  if (typeof limits !== "object" || limits === null)
    throw new TypeError(`${WHERE}: limits must be an object, not ${shown(limits)}.`);
  for (const [place, most] of Object.entries(limits)) {
    if ((placeSegments(place)?.length ?? 0) === 0)
      throw new TypeError(
        `${WHERE}: limits: "${place}" is not a place. Write "mcp:/github" or "tool:/WebFetch".`,
      );
    checkLimit(`limits: "${place}"`, most);
  }
  const locks: Locks = Object.freeze({ maxConcurrency });
  shared.set(locks, new SharedLocks(new LockTable(maxConcurrency, limits)));
  return locks;
}

function checkLimit(name: string, limit: number): void {
  if ((Number.isInteger(limit) || limit === Infinity) && limit >= 1) return;
  throw new RangeError(`${WHERE}: ${name} must be a whole number of at least 1, not ${shown(limit)}.`);
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
  #isPassingOn = false;

  constructor(table: LockTable) {
    this.table = table;
  }

  /**
   * Starts the calls that were granted. What they set off can grant others, which are started here too and not deeper
   * in the stack: a chain of thousands of calls that end at once must not overflow it.
   */
  passOn(): void {
    if (this.#isPassingOn) return;
    this.#isPassingOn = true;
    try {
      for (let next = this.table.takeGranted(); next !== undefined; next = this.table.takeGranted())
        next.holder.granted(next.call);
    } finally {
      this.#isPassingOn = false;
    }
  }
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
    const ticket = this.#shared.table.request(call, this);
    call.ticket = ticket;
    return ticket.standing === "granted";
  }

  /** Calls of other turns can have been granted. */
  passOn(): void {
    if (this.#shared.table.hasGranted) this.#shared.passOn();
  }

  /** The call of another turn that a queued call waits for, if it waits for one. */
  blockerOf({ ticket, phase }: Call): Blocker | undefined {
    return phase.state === "queued" ? this.#shared.table.blockerOf(ticket as Ticket) : undefined;
  }
}
