/** What the next program finds after a crash of the whole session: the records that were safe, and the files. */

import type { CallRecord, TurnRecord } from "./record.ts";
import { claimsOf } from "./record.ts";
import type { TreeWorld } from "./world.ts";

type Fate = ReturnType<TreeWorld["engine"]["recoverTurn"]>[number];

export function recover(world: TreeWorld): void {
  for (const turn of world.turns) {
    if (turn.life !== world.life - 1) continue;
    loseUnsaved(world, turn);
    recoverTurn(world, turn);
  }
}

/** Of the records that were being written, some are there. */
function loseUnsaved(world: TreeWorld, turn: TurnRecord): void {
  const unsaved = turn.journal.length - turn.saved;
  if (turn.plan.asyncJournal) turn.journal.length -= world.random.below(unsaved + 1);
}

function recoverTurn(world: TreeWorld, turn: TurnRecord): void {
  const { journal, limit, plan, calls } = turn;
  const fates = world.engine.recoverTurn(journal, { limit, start: plan.start });
  if (journal.some(({ type }) => type === "turn-discarded")) {
    if (fates.length > 0) world.fail("1", `${turn.name} was discarded, yet it has results after the crash`);
    return;
  }
  const arrived = journal.flatMap((event) => (event.type === "call-arrived" ? [event.id] : []));
  if (fates.map(({ callId }) => callId).join() !== arrived.join())
    world.fail("1", `after the crash the results of ${turn.name} are not those of its calls`);
  // The results of a turn that was read are part of the conversation already.
  if (!turn.isRead) world.recovered.push(...arrived);
  for (const [at, call] of calls.entries()) checkCall(world, call, fates[at]);
}

function checkCall(world: TreeWorld, call: CallRecord, fate: Fate | undefined): void {
  const { plan, turn } = call;
  const kind = fate?.fate ?? "never-started";
  world.count(`crash: ${kind}`);
  if (turn.results.includes(plan.id) && kind !== "finished")
    world.fail("1", `the model has read the result of ${plan.id}, which is ${kind} after the crash`);
  // What only reads can start before its record is safe.
  const isKnownToRun = call.started && call.access?.readOnly === false;
  if (isKnownToRun && kind === "never-started")
    world.fail("4", `${plan.id} ran, yet after the crash it is said not to have`);
  if (kind === "unknown" && call.decidedAt === 0)
    world.fail("4", `${plan.id} was never about to run, yet after the crash that is unknown`);
  if (kind === "finished") checkFinished(world, call, fate as Fate);
  if (kind === "never-started" && writes(call) && world.files.writers.has(plan.id))
    world.fail("4", `${plan.id} wrote, yet after the crash it is said not to have run`);
}

function checkFinished(world: TreeWorld, call: CallRecord, { outcome, callId }: Fate): void {
  if (call.outcome !== undefined && JSON.stringify(outcome) !== JSON.stringify(call.outcome))
    world.fail("4", `the result of ${callId} is another after the crash`);
  if (outcome.type !== "succeeded") return;
  if (!call.started) world.fail("4", `${callId} never ran, yet it has a result after the crash`);
  if (writes(call) && !call.delegates && !world.files.writers.has(callId))
    world.fail("no lost update", `what ${callId} wrote is lost, yet it has a result`);
}

/** A call that only reads can change the context, which ends with the program. */
function writes(call: CallRecord): boolean {
  return call.access?.readOnly === false && claimsOf(call).some(({ mode }) => mode === "write");
}
