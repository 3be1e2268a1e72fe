/** The promises about the journal, as checks on a simulated world: a replay, records that are missing, and crashes. */

import type { Engine } from "../support/engine-under-test.ts";
import { type CallRecord, saysThatItRan } from "./record.ts";
import type { World } from "./world.ts";

/** The journal alone leads to the same outcomes, also when events are mixed in that nobody asked for. */
export function checkReplay(world: World, engine: Engine): void {
  const outcomes = (noise: boolean): string => {
    const turn = engine.newTurn(world.plan.limit, world.plan.start);
    const settled: string[] = [];
    for (const [at, event] of world.journal.entries()) {
      for (const effect of engine.step(turn, event)) {
        if (effect.type === "settle") settled.push(`${effect.call.id} ${JSON.stringify(effect.outcome)}`);
        if (effect.type === "start") checkRecordedFirst(world, effect.call.id, at);
        if (effect.type === "deliver") settled.push(`${effect.call.id} delivered`);
      }
      if (noise)
        for (const unasked of unaskedEvents(world, turn))
          settled.push(...engine.step(turn, unasked).map(({ type }) => type));
    }
    if (!turn.claims.empty && world.executor.parked === undefined) world.fail("5", "claims are left");
    return settled.join("\n");
  };
  const replayed = outcomes(false);
  for (const { plan, outcome } of world.records.values()) {
    if (outcome !== undefined && !replayed.includes(`${plan.id} ${JSON.stringify(outcome)}`))
      world.fail("replay", `${plan.id} ended otherwise`);
  }
  if (outcomes(true) !== replayed) world.fail("replay", "an event that does not fit changed something");
}

/** The event that starts a call is recorded, and saved where it writes, before the call starts (promise 4). */
function checkRecordedFirst(world: World, callId: string, at: number): void {
  const { started, recordedAtStart, savedAtStart, ranReadOnly } = world.records.get(callId) as CallRecord;
  if (!started) return;
  if (recordedAtStart <= at) world.fail("4", `${callId} started before it was recorded`);
  if (world.plan.asyncJournal && !ranReadOnly && savedAtStart <= at)
    world.fail("4", `${callId} writes before its record was safe`);
}

type Event = Parameters<Engine["step"]>[1];
type Turn = Parameters<Engine["step"]>[0];

function unaskedEvents(world: World, turn: Turn): Event[] {
  const known = [...turn.known];
  if (known.length === 0) return [];
  const id = world.random.pick(known);
  const call = turn.live.get(id);
  const state = call?.phase.state ?? "settled";
  const allow = { behavior: "allow" } as const;
  const ending = { type: "succeeded", content: "unasked", ranMs: 1, output: "" } as const;
  const isExecuting = state === "running" || state === "stopping";
  const isJudged = !["judging", "consulting", "rejudging", "asking"].includes(state);
  const access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" } as const;
  const events: Event[] = [
    { type: "call-judged", id, epoch: (call?.epoch ?? 0) - 1, judgement: allow },
    { type: "call-answered", id, question: -1, judgement: allow },
    { type: "question-closed", id, question: -1 },
    { type: "call-deferred", id, question: -1, reason: "unasked" },
    { type: "call-arrived", id, toolName: "Declared", access, hooked: false, permitted: true },
    { type: "call-finished", id: "nobody", ending },
    { type: "call-retried", id, attempt: 9, waitMs: 1, message: "unasked" },
  ];
  if (isJudged) events.push({ type: "call-judged", id, epoch: call?.epoch ?? 0, judgement: allow });
  if (state !== "starting") events.push({ type: "call-launched", id });
  if (isExecuting || state === "settled") events.push({ type: "call-located", id, access });
  if (!isExecuting) events.push({ type: "call-timed-out", id, limitMs: 1 });
  if (state !== "stopping") events.push({ type: "call-ignored-stop", id, ranMs: 1, output: "" });
  if (!isExecuting && state !== "settled") events.push({ type: "call-finished", id, ending });
  if (turn.response !== "open") events.push({ type: "response-ended", ok: false, reason: "refusal" });
  return events;
}

/** A crash at the end, where records are missing: a call that ran is not reported as not run. */
export function checkLost(world: World, engine: Engine): void {
  world.count("records lost");
  const { limit, start } = world.plan;
  if (world.journal.some(({ type }) => type === "turn-discarded")) return;
  for (const { callId, fate, outcome } of engine.recoverTurn(world.journal, { limit, start })) {
    const isRecorded = world.journal.some((event) => event.type === "call-finished" && event.id === callId);
    // A loss that no later record notes cannot be seen.
    if (world.records.get(callId)?.started !== true || (world.isLossOpen && !isRecorded)) continue;
    if (fate === "never-started" || !saysThatItRan(outcome))
      world.fail("4", `${callId} ran, yet without the lost records it is said not to have`);
    if (isRecorded && fate !== "finished") world.fail("4", `the recorded end of ${callId} is lost`);
  }
}

/** A crash after any recorded event: one truthful result per call, nothing finished lost. */
export function checkCrashes(world: World, engine: Engine): void {
  const { limit, start } = world.plan;
  for (let length = 0; length <= world.journal.length; length++) {
    const events = world.journal.slice(0, length);
    const fates = engine.recoverTurn(events, { limit, start });
    const arrived = events.filter(({ type }) => type === "call-arrived" || type === "call-rejected");
    if (events.some(({ type }) => type === "turn-discarded") && fates.length === 0) continue;
    if (fates.length !== arrived.length)
      world.fail("1", `after a crash ${arrived.length} calls have ${fates.length} results`);
    for (const [at, { callId, fate, outcome }] of fates.entries()) {
      const record = world.records.get(callId) as CallRecord;
      if (record.index !== at) world.fail("1", "after a crash the results are out of order");
      const hadStarted = record.started && record.recordedAtStart <= length;
      if (hadStarted && fate === "never-started")
        world.fail("4", `${callId} ran, yet after the crash it is said not to have`);
      if (fate === "finished" && JSON.stringify(outcome) !== JSON.stringify(record.outcome)) {
        world.fail("4", `the result of ${callId} is another after the crash`);
      }
    }
  }
}
