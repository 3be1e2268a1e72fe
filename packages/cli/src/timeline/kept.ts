/** What a recorder has kept so far, within limits. */

import type { Timeline, TimelineAgent, TimelineCall, TimelineMark, TimelineTurn } from "./model.ts";

/** The same, while it may still change. */
export type Draft<Kind> = { -readonly [Name in keyof Kind]: Kind[Name] };

type WithoutPlace<Kind> = Kind extends unknown ? Omit<Kind, "agent" | "atMs"> : never;
export type MarkFacts = WithoutPlace<TimelineMark>;

interface Lists {
  readonly agents: Draft<TimelineAgent>[];
  readonly turns: Draft<TimelineTurn>[];
  readonly calls: Draft<TimelineCall>[];
  readonly marks: Draft<TimelineMark>[];
}

/** Beyond these the first are kept, and the others counted. */
const MOST: Readonly<Record<keyof Lists, number>> = {
  agents: 10_000,
  turns: 50_000,
  calls: 100_000,
  marks: 50_000,
};

/** The place of what was left out. */
export const LEFT_OUT = -1;

export class Kept {
  readonly lists: Lists = { agents: [], turns: [], calls: [], marks: [] };
  #leftOut = 0;

  /** Gives its place, or `LEFT_OUT`. */
  add<Name extends keyof Lists>(name: Name, item: Lists[Name][number]): number {
    const list = this.lists[name] as Lists[Name][number][];
    if (list.length >= MOST[name]) return this.leaveOut();
    return list.push(item) - 1;
  }

  leaveOut(): number {
    this.#leftOut++;
    return LEFT_OUT;
  }

  snapshot(facts: { readonly title: string; readonly firstMs: number; readonly lastMs: number }): Timeline {
    const { agents, turns, calls, marks } = this.lists;
    // A request is older than the first word of its answer.
    const origin = turns.reduce((least, { requestMs }) => Math.min(least, requestMs), facts.firstMs);
    return {
      title: facts.title,
      agents: agents.map((agent) => ({ ...agent })),
      turns: turns.map((turn) => since(origin, turn)),
      calls: calls.map((call) => since(origin, call)),
      marks: marks.map((mark) => since(origin, mark)),
      endMs: since(origin, { atMs: facts.lastMs }).atMs,
      leftOut: this.#leftOut,
    };
  }
}

/** Every point in time counted from the origin, to the microsecond; `waitMs` is a span. */
function since<Item extends object>(origin: number, item: Item): Item {
  const entries = Object.entries(item).map(([name, value]: [string, unknown]) =>
    name.endsWith("Ms") && name !== "waitMs" && typeof value === "number"
      ? [name, Math.round((value - origin) * 1000) / 1000]
      : [name, value],
  );
  return Object.fromEntries(entries) as Item;
}
