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
  readonly #lists: Lists = { agents: [], turns: [], calls: [], marks: [] };
  /** How many items before the first of each list were dropped. */
  readonly #dropped = { agents: 0, turns: 0, calls: 0, marks: 0 };
  #leftOut = 0;
  #origin: number | undefined;
  #taken = NOTHING;

  /** Returns the index of the item, or `LEFT_OUT`. */
  add<Name extends keyof Lists>(name: Name, item: Lists[Name][number]): number {
    const list = this.#lists[name] as Lists[Name][number][];
    if (this.#count(name) >= MOST[name]) return this.leaveOut();
    return this.#dropped[name] + list.push(item) - 1;
  }

  /** Returns the item with this index; undefined if it was left out or dropped. */
  at<Name extends keyof Lists>(name: Name, index: number): Lists[Name][number] | undefined {
    return this.#lists[name][index - this.#dropped[name]];
  }

  /**
   * Drops what `take` returned. Call it when that is stored elsewhere: a session can have any number of turns. Agents
   * stay, because later items refer to them.
   */
  dropTaken(): void {
    for (const name of ["turns", "calls", "marks"] as const) {
      this.#lists[name].splice(0, this.#taken[name] - this.#dropped[name]);
      this.#dropped[name] = this.#taken[name];
    }
  }

  #count(name: keyof Lists): number {
    return this.#dropped[name] + this.#lists[name].length;
  }

  leaveOut(): number {
    this.#leftOut++;
    return LEFT_OUT;
  }

  /** Returns what is recorded and was not dropped. */
  snapshot(facts: { readonly title: string } & Moments): Timeline {
    const part = this.#since(this.#dropped, facts);
    const { turns: dropped, calls: droppedCalls } = this.#dropped;
    const kept = [...part.calls.entries()].filter(([, { turn }]) => turn >= dropped);
    const places = new Map(kept.map(([before], now) => [before + droppedCalls, now]));
    const calls = kept.map(([, { parent, ...call }]) => {
      const made = parent === undefined ? undefined : places.get(parent);
      return { ...call, turn: call.turn - dropped, ...(made === undefined ? {} : { parent: made }) };
    });
    return { title: facts.title, ...part, calls };
  }

  /** Returns what was recorded since the last call. From the first call on, the origin of time is fixed. */
  take(facts: Moments): TimelinePart {
    this.#origin ??= this.#originOf(facts);
    const part = this.#since(this.#taken, facts);
    const leftOut = this.#leftOut - this.#taken.leftOut;
    this.#taken = {
      agents: this.#count("agents"),
      turns: this.#count("turns"),
      calls: this.#count("calls"),
      marks: this.#count("marks"),
      leftOut: this.#leftOut,
    };
    return { ...part, leftOut };
  }

  #since(taken: Record<keyof Lists, number>, facts: Moments): TimelinePart {
    const origin = this.#origin ?? this.#originOf(facts);
    const from = (name: keyof Lists): number => Math.max(0, taken[name] - this.#dropped[name]);
    const { agents, turns, calls, marks } = this.#lists;
    return {
      agents: agents.slice(from("agents")).map((agent) => ({ ...agent })),
      turns: turns.slice(from("turns")).map((turn) => since(origin, turn)),
      calls: calls.slice(from("calls")).map((call) => ({
        ...since(origin, call),
        queue: call.queue.map((span) => spanSince(origin, span)),
      })),
      marks: marks.slice(from("marks")).map((mark) => since(origin, mark)),
      endMs: micros(facts.lastMs - origin),
      leftOut: this.#leftOut,
    };
  }

  /** The first request was sent before the first event arrived. */
  #originOf({ firstMs }: Moments): number {
    return this.#lists.turns.reduce((least, { requestMs }) => Math.min(least, requestMs), firstMs);
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
