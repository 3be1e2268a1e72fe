/** A timeline as rows, top to bottom: each turn is followed by its calls, and each call by its sub-agents and the calls that it made. */

import type {
  CallContent,
  CallOutcome,
  Timeline,
  TimelineCall,
  TimelineMark,
  TimelineTurn,
} from "./model.ts";
import { type TurnSavings, allSavings } from "./savings.ts";
import {
  type Fact,
  type Segment,
  callFacts,
  callSegments,
  markWords,
  turnFacts,
  turnSegments,
} from "./row-parts.ts";
import { count, duration } from "./words.ts";

export interface Row {
  readonly type: "turn" | "call" | "mark";
  /** How deeply its agent is nested. */
  readonly depth: number;
  readonly name: string;
  readonly text: string;
  /** How long it took; can be empty. */
  readonly note: string;
  /** Undefined except for calls. */
  readonly outcome: CallOutcome | undefined;
  /** The call that it waited for; empty if there is none. */
  readonly waitedFor: string;
  /** Whether it is on the critical path of its turn. */
  readonly isCritical: boolean;
  readonly segments: readonly Segment[];
  /** When the response of its turn streamed. */
  readonly streamed: readonly [fromMs: number, toMs: number] | undefined;
  readonly facts: readonly Fact[];
  /** The content of a call, if it is shown. */
  readonly content: CallContent | undefined;
}

/** `mostNested` limits the rows for calls that one call made. Others are only counted. */
export function rowsOf(
  timeline: Timeline,
  savings: readonly TurnSavings[] = allSavings(timeline),
  mostNested = Number.POSITIVE_INFINITY,
): Row[] {
  const tree = new Tree(timeline, { savings, mostNested });
  tree.agent(0, 0);
  return tree.rows;
}

class Tree {
  readonly rows: Row[] = [];
  readonly #timeline: Timeline;
  readonly #savings: readonly TurnSavings[];
  readonly #mostNested: number;
  readonly #nestedOf: Map<number, number[]>;
  readonly #callsOf: Map<number, number[]>;
  readonly #agentsOf: Map<number, number[]>;
  readonly #turnsOf: Map<number, number[]>;
  readonly #marksOf: Map<number, number[]>;

  constructor(timeline: Timeline, { savings, mostNested }: Shown) {
    this.#timeline = timeline;
    this.#savings = savings;
    this.#mostNested = mostNested;
    this.#callsOf = placesBy(timeline.calls, ({ turn, parent }) => (parent === undefined ? turn : undefined));
    // A damaged file cannot make a call its own parent.
    this.#nestedOf = placesBy(timeline.calls, ({ parent }, place) =>
      parent !== undefined && parent < place ? parent : undefined,
    );
    this.#agentsOf = placesBy(timeline.agents, ({ call }) => call);
    this.#turnsOf = placesBy(timeline.turns, ({ agent }) => agent);
    this.#marksOf = placesBy(timeline.marks, ({ agent }) => agent);
  }

  /** Adds the turns of an agent and the marks between them, by time. */
  agent(agent: number, depth: number): void {
    const { turns, marks } = this.#timeline;
    const ofTurns = (this.#turnsOf.get(agent) ?? []).map((place) => ({
      atMs: (turns[place] as TimelineTurn).requestMs,
      show: () => this.#turn(place, depth),
    }));
    const ofMarks = (this.#marksOf.get(agent) ?? []).map((place) => ({
      atMs: (marks[place] as TimelineMark).atMs,
      show: () => this.#mark(marks[place] as TimelineMark, depth),
    }));
    // Marks first: a prompt comes before its turn if both have the same time.
    const items = [...ofMarks, ...ofTurns].toSorted((one, other) => one.atMs - other.atMs);
    for (const { show } of items) show();
  }

  #turn(place: number, depth: number): void {
    const { turns, agents, endMs } = this.#timeline;
    const turn = turns[place] as TimelineTurn;
    const { agentType = "" } = agents[turn.agent] ?? {};
    this.rows.push({
      type: "turn",
      depth,
      name: agentType === "" ? `Turn ${turn.number}` : `${agentType}, turn ${turn.number}`,
      text: turn.stop === "again" ? "requested again" : turn.model,
      note: duration((turn.endedMs ?? endMs) - turn.requestMs),
      outcome: undefined,
      waitedFor: "",
      isCritical: false,
      segments: turnSegments(turn, endMs),
      streamed: streamOf(turn, endMs),
      facts: turnFacts(turn, this.#savings[place], endMs),
      content: undefined,
    });
    for (const call of this.#callsOf.get(place) ?? []) this.#call(call, depth);
  }

  #call(place: number, depth: number): void {
    const { calls, turns, endMs } = this.#timeline;
    const call = calls[place] as TimelineCall;
    const savings = this.#savings[call.turn];
    const before = calls[savings?.waitedFor.get(place) ?? -1];
    this.rows.push({
      type: "call",
      depth,
      name: call.toolName,
      text: call.description,
      note: call.startedMs === undefined ? "" : duration((call.endedMs ?? endMs) - call.startedMs),
      outcome: call.outcome,
      waitedFor: before === undefined ? "" : `${before.toolName} ${before.description}`.trimEnd(),
      isCritical: savings?.critical.has(place) ?? false,
      segments: callSegments(call, endMs),
      streamed: streamOf(turns[call.turn] as TimelineTurn, endMs),
      facts: callFacts(call, { before, endMs, turn: turns[call.turn] as TimelineTurn }),
      content: call.content,
    });
    for (const agent of this.#agentsOf.get(place) ?? []) this.agent(agent, depth + 1);
    this.#nested(this.#nestedOf.get(place) ?? [], depth + 1);
  }

  #nested(places: readonly number[], depth: number): void {
    for (const nested of places.slice(0, this.#mostNested)) this.#call(nested, depth);
    const more = places.length - this.#mostNested;
    if (more <= 0) return;
    const [name, text] = ["…", count(more, "more call")];
    this.rows.push({ type: "mark", depth, name, text, note: "", segments: [], facts: [], ...NO_CALL });
  }

  #mark(mark: TimelineMark, depth: number): void {
    const { name, text, segments, facts } = markWords(mark);
    const note = mark.type === "retry" ? duration(mark.waitMs) : "";
    this.rows.push({ type: "mark", depth, name, text, note, segments, facts, ...NO_CALL });
  }
}

/** What a row that is not a call does not have. */
const NO_CALL = {
  outcome: undefined,
  waitedFor: "",
  isCritical: false,
  streamed: undefined,
  content: undefined,
};

interface Shown {
  readonly savings: readonly TurnSavings[];
  readonly mostNested: number;
}

function streamOf({ requestMs, responseEndMs }: TimelineTurn, endMs: number): readonly [number, number] {
  return [requestMs, responseEndMs ?? endMs];
}

function placesBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item, place: number) => number | undefined,
): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const [place, item] of items.entries()) {
    const key = keyOf(item, place);
    if (key === undefined) continue;
    const list = places.get(key);
    if (list === undefined) places.set(key, [place]);
    else list.push(place);
  }
  return places;
}
