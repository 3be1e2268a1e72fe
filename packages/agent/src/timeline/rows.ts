/** A timeline as rows, top to bottom: each turn with its calls behind it, and sub-agents behind their call. */

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
import { duration } from "./words.ts";

export interface Row {
  readonly type: "turn" | "call" | "mark";
  /** How many agents are above it. */
  readonly depth: number;
  readonly name: string;
  readonly text: string;
  /** How long it took, or nothing. */
  readonly note: string;
  /** Of a call. */
  readonly outcome: CallOutcome | undefined;
  /** The call that it waited for, in words; empty where it did not wait for one. */
  readonly behind: string;
  /** It decided when its turn ended. */
  readonly isCritical: boolean;
  readonly segments: readonly Segment[];
  /** When the response of its turn streamed. */
  readonly streamed: readonly [fromMs: number, toMs: number] | undefined;
  readonly facts: readonly Fact[];
  /** Of a call, where it is to be shown. */
  readonly content: CallContent | undefined;
}

export function rowsOf(timeline: Timeline, savings: readonly TurnSavings[] = allSavings(timeline)): Row[] {
  const tree = new Tree(timeline, savings);
  tree.agent(0, 0);
  return tree.rows;
}

class Tree {
  readonly rows: Row[] = [];
  readonly #timeline: Timeline;
  readonly #savings: readonly TurnSavings[];
  readonly #callsOf: Map<number, number[]>;
  readonly #agentsOf: Map<number, number[]>;
  readonly #turnsOf: Map<number, number[]>;
  readonly #marksOf: Map<number, number[]>;

  constructor(timeline: Timeline, savings: readonly TurnSavings[]) {
    this.#timeline = timeline;
    this.#savings = savings;
    this.#callsOf = placesBy(timeline.calls, ({ turn }) => turn);
    this.#agentsOf = placesBy(timeline.agents, ({ call }) => call);
    this.#turnsOf = placesBy(timeline.turns, ({ agent }) => agent);
    this.#marksOf = placesBy(timeline.marks, ({ agent }) => agent);
  }

  /** Its turns and what happened between them, by time. */
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
    // A prompt comes before the turn that it begins, if both are heard in one moment.
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
      text: turn.stop === "again" ? "asked for again" : turn.model,
      note: duration((turn.endedMs ?? endMs) - turn.requestMs),
      outcome: undefined,
      behind: "",
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
    const before = calls[savings?.behind.get(place) ?? -1];
    this.rows.push({
      type: "call",
      depth,
      name: call.toolName,
      text: call.description,
      note: call.startedMs === undefined ? "" : duration((call.endedMs ?? endMs) - call.startedMs),
      outcome: call.outcome,
      behind: before === undefined ? "" : `${before.toolName} ${before.description}`.trimEnd(),
      isCritical: savings?.critical.has(place) ?? false,
      segments: callSegments(call, endMs),
      streamed: streamOf(turns[call.turn] as TimelineTurn, endMs),
      facts: callFacts(call, { before, endMs, turn: turns[call.turn] as TimelineTurn }),
      content: call.content,
    });
    for (const agent of this.#agentsOf.get(place) ?? []) this.agent(agent, depth + 1);
  }

  #mark(mark: TimelineMark, depth: number): void {
    const { name, text, segments, facts } = markWords(mark);
    const note = mark.type === "retry" ? duration(mark.waitMs) : "";
    const rest = {
      outcome: undefined,
      behind: "",
      isCritical: false,
      streamed: undefined,
      content: undefined,
    };
    this.rows.push({ type: "mark", depth, name, text, note, segments, facts, ...rest });
  }
}

function streamOf({ requestMs, responseEndMs }: TimelineTurn, endMs: number): readonly [number, number] {
  return [requestMs, responseEndMs ?? endMs];
}

function placesBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => number | undefined,
): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const [place, item] of items.entries()) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const list = places.get(key);
    if (list === undefined) places.set(key, [place]);
    else list.push(place);
  }
  return places;
}
