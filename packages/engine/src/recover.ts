/** After a crash: what the journal of a turn says became of each of its calls. */

import type { JournalEvent } from "./event.ts";
import { type Outcome, type ToolResult, notRun, toToolResult } from "./outcome.ts";
import { step } from "./step.ts";
import { type CallEffect, DEFAULT_LIMIT, type Effect, type Start, type Turn, newTurn } from "./turn.ts";

export interface Fate {
  readonly callId: string;
  readonly toolName: string;
  /** `finished`: its result is kept. `unknown`: it was running. `never-started`: it did not run. */
  readonly fate: "finished" | "unknown" | "never-started";
  readonly outcome: Outcome;
  readonly result: ToolResult;
}

/** As the executor of the turn was made. */
export interface TurnOptions {
  readonly limit?: number;
  readonly start?: Start;
}

type Settled = Extract<CallEffect, { type: "settle" }>;

/** The turn that these events lead to: replaying is resuming. */
function replay(
  events: Iterable<JournalEvent>,
  turn: Turn,
  each?: (effects: readonly Effect[]) => void,
): Turn {
  for (const event of events) each?.(step(turn, event));
  return turn;
}

/**
 * One result per call that arrived, in the model's order. An event is recorded before its effects, so a call that
 * the record says was running may have run (promise 4), and one that it does not say was running has not.
 */
export function recoverTurn(events: Iterable<JournalEvent>, made: TurnOptions = {}): Fate[] {
  const fates: Fate[] = [];
  const settled = new Map<string, Settled>();
  const turn = newTurn(made.limit ?? DEFAULT_LIMIT, made.start ?? "eager");
  replay(events, turn, (effects) => {
    for (const effect of effects) if (effect.type === "settle") settled.set(effect.call.id, effect);
  });
  if (turn.discarded) return [];
  for (const { call, outcome } of settled.values())
    fates[call.index] = fateOf(call.id, call.toolName, outcome);
  for (const call of turn.unfinished) {
    const ran = call.phase.state === "running" || call.phase.state === "stopping";
    const outcome = ran
      ? ({ ...notRun({ kind: "crashed" }), effect: "unknown" } as Outcome)
      : notRun({ kind: "crashed" });
    fates[call.index] = fateOf(call.id, call.toolName, outcome);
  }
  return fates;
}

function fateOf(callId: string, toolName: string, outcome: Outcome): Fate {
  const crashed = outcome.type === "aborted" && outcome.cause.kind === "crashed";
  const fate = !crashed ? "finished" : outcome.effect === "unknown" ? "unknown" : "never-started";
  return { callId, toolName, fate, outcome, result: toToolResult(callId, outcome, []) };
}
