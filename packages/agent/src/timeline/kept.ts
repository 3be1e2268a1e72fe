/** What a recorder has recorded so far, up to limits. */

import type { QueueSpan } from "../view/view.ts";
import type {
  Timeline,
  TimelineAgent,
  TimelineCall,
  TimelineMark,
  TimelinePart,
  TimelineTurn,
} from "./model.ts";

/** The mutable form of a type. */
export type Draft<Kind> = { -readonly [Name in keyof Kind]: Kind[Name] };

type WithoutPlace<Kind> = Kind extends unknown ? Omit<Kind, "agent" | "atMs"> : never;
export type MarkFacts = WithoutPlace<TimelineMark>;

interface Lists {
  readonly agents: Draft<TimelineAgent>[];
  readonly turns: Draft<TimelineTurn>[];
  readonly calls: Draft<TimelineCall>[];
  readonly marks: Draft<TimelineMark>[];
}

/** Items above these limits are only counted. */
const MOST: Readonly<Record<keyof Lists, number>> = {
  agents: 10_000,
  turns: 50_000,
  calls: 100_000,
  marks: 50_000,
};

/** The index of an item that was left out. */
export const LEFT_OUT = -1;

export class Kept {
  readonly lists: Lists = { agents: [], turns: [], calls: [], marks: [] };
  #leftOut = 0;
  #origin: number | undefined;
  #taken = NOTHING;

  /** Returns the index of the item, or `LEFT_OUT`. */
  add<Name extends keyof Lists>(name: Name, item: Lists[Name][number]): number {
    const list = this.lists[name] as Lists[Name][number][];
    if (list.length >= MOST[name]) return this.leaveOut();
    return list.push(item) - 1;
  }

  leaveOut(): number {
    this.#leftOut++;
    return LEFT_OUT;
  }

  snapshot(facts: { readonly title: string } & Moments): Timeline {
    return { title: facts.title, ...this.#since(NOTHING, facts) };
  }

  /** Returns what was recorded since the last call. From the first call on, the origin of time is fixed. */
  take(facts: Moments): TimelinePart {
    this.#origin ??= this.#originOf(facts);
    const part = this.#since(this.#taken, facts);
    const { agents, turns, calls, marks } = this.lists;
    const leftOut = this.#leftOut - this.#taken.leftOut;
    this.#taken = {
      agents: agents.length,
      turns: turns.length,
      calls: calls.length,
      marks: marks.length,
      leftOut: this.#leftOut,
    };
    return { ...part, leftOut };
  }

  #since(taken: Record<keyof Lists, number>, facts: Moments): TimelinePart {
    const { agents, turns, calls, marks } = this.lists;
    const origin = this.#origin ?? this.#originOf(facts);
    return {
      agents: agents.slice(taken.agents).map((agent) => ({ ...agent })),
      turns: turns.slice(taken.turns).map((turn) => since(origin, turn)),
      calls: calls.slice(taken.calls).map((call) => ({
        ...since(origin, call),
        queue: call.queue.map((span) => spanSince(origin, span)),
      })),
      marks: marks.slice(taken.marks).map((mark) => since(origin, mark)),
      endMs: micros(facts.lastMs - origin),
      leftOut: this.#leftOut,
    };
  }

  /** The first request was sent before the first event arrived. */
  #originOf({ firstMs }: Moments): number {
    return this.lists.turns.reduce((least, { requestMs }) => Math.min(least, requestMs), firstMs);
  }
}

interface Moments {
  readonly firstMs: number;
  readonly lastMs: number;
}

const NOTHING = { agents: 0, turns: 0, calls: 0, marks: 0, leftOut: 0 };

function micros(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function spanSince(origin: number, [state, fromMs, toMs]: QueueSpan): QueueSpan {
  return [state, micros(fromMs - origin), micros(toMs - origin)];
}

/** Makes every point in time relative to the origin, in microsecond precision. `waitMs` is a duration and stays. */
function since<Item extends object>(origin: number, item: Item): Item {
  const entries = Object.entries(item).map(([name, value]: [string, unknown]) =>
    name.endsWith("Ms") && name !== "waitMs" && typeof value === "number"
      ? [name, micros(value - origin)]
      : [name, value],
  );
  return Object.fromEntries(entries) as Item;
}
