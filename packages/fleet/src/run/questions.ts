/** Questions to people. The turn that asks is parked in the journal, the run ends, and no worker waits. */

import type { OpenQuestion, SessionStore } from "@runahead/agent";
import {
  type ParkedTurn,
  changedState,
  linesFrom,
  parkedIn,
  parseLine,
  questionsOf,
  withAnswer,
} from "@runahead/agent/internal";
import { isShape, shapeOf, stringOf } from "@runahead/base";
import type { Answer, Question } from "@runahead/engine";

/** What the model of a sub-agent reads: only the turn of a main agent can be parked. */
const SUB_AGENT_WORDS =
  "This call needs the approval of a person, and a sub-agent cannot wait for one. Do not try it again. " +
  "Finish what you can, and name this call in your report: the agent that started you can make it, and then a person is asked.";

/** The answer comes later, in another run and perhaps from another process. */
export function ask({ context }: Question): Answer {
  if (context.agent === undefined) return { behavior: "defer" };
  return { behavior: "deny", message: SUB_AGENT_WORDS, endTurn: false, isUnanswered: true };
}

/** Whether a call was answered and has not run yet. */
export function hasAnswers(parked: ParkedTurn | undefined): boolean {
  return (parked?.calls ?? []).some(({ answer, result }) => answer !== undefined && result === undefined);
}

export interface SessionReading {
  /** The state with this name. */
  readonly state: unknown;
  readonly questions: readonly OpenQuestion[];
}

/** Reads a state and the open questions of a session from its journal, without taking the lease. */
export async function readSession(store: SessionStore, id: string, name: string): Promise<SessionReading> {
  const compacted = await store.lastCompaction(id);
  return (
    (await readFrom({ store, id, name }, compacted)) ?? (await readFrom({ store, id, name }, 0)) ?? NOTHING
  );
}

const NOTHING: SessionReading = { state: undefined, questions: [] };

interface Wanted {
  readonly store: SessionStore;
  readonly id: string;
  readonly name: string;
}

/** Undefined if it begins with a compaction that cannot be read. Other lines that cannot be read are skipped. */
async function readFrom({ store, id, name }: Wanted, from: number): Promise<SessionReading | undefined> {
  let state: unknown;
  let parked: ParkedTurn | undefined;
  let isFirst = from > 0;
  for await (const { line } of linesFrom({ store, id }, from)) {
    const type = /^\{"type":"([a-z-]+)"/.exec(line)?.[1] ?? "";
    const isUsed = READ.has(type) && (parked !== undefined || !ONLY_PARKED.has(type));
    const entry = isUsed ? parseLine(Buffer.from(line)) : undefined;
    if (isFirst && entry === undefined) return undefined;
    isFirst = false;
    if (entry === undefined) continue;
    if (type === "compacted") state = shapeOf(entry["state"])[name];
    else if (type === "state" && entry["name"] === name) state = changedState(state, entry);
    parked = parkedAfter(parked, type, entry);
  }
  return { state, questions: questionsOf(parked) };
}

/** Entries that end or change a parked turn. */
const ONLY_PARKED = new Set(["message", "turn-begun", "rewound", "answered"]);
const READ = new Set([...ONLY_PARKED, "compacted", "state", "turn-parked"]);

function parkedAfter(
  parked: ParkedTurn | undefined,
  type: string,
  entry: Readonly<Record<string, unknown>>,
): ParkedTurn | undefined {
  switch (type) {
    case "turn-parked":
      return parkedIn(entry);
    case "compacted":
      return parkedIn(entry["parked"]);
    case "rewound":
      return undefined;
    case "turn-begun":
      return entry["continues"] === true ? parked : undefined;
    case "message":
      return shapeOf(entry["message"])["role"] === "assistant" ? undefined : parked;
    case "answered": {
      const { answer } = entry;
      if (parked === undefined || !isShape(answer)) return parked;
      return withAnswer(parked, stringOf(entry["id"]), answer as unknown as Answer);
    }
    default:
      return parked;
  }
}
