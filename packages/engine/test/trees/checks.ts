/** What must hold in a session of agents that work side by side, as checks on a simulated tree. */

import type { Engine } from "../support/engine-under-test.ts";
import { covers } from "./plan.ts";
import {
  type CallRecord,
  type TurnRecord,
  claimsOf,
  conflictBetween,
  conflictInLocks,
  conflictInTurn,
  isHolding,
  stateOf,
} from "./record.ts";
import type { TreeWorld } from "./world.ts";

/** At the moment a tool's code is entered. */
export function checkStart(world: TreeWorld, call: CallRecord): void {
  const { plan, turn } = call;
  if (call.started) world.fail("4", `${plan.id} was started twice`);
  if (turn.isStopped) world.fail("5", `${plan.id} starts in a stopped turn`);
  if (turn.isDiscarded) world.fail("3", `${plan.id} starts in a discarded turn`);
  if (plan.rule === "deny") world.fail("3", `${plan.id} runs against a rule`);
  if (call.judgedBy !== world.rulesVersion)
    world.fail("3", `${plan.id} runs by a verdict from before the rules changed`);
  if (call.judgedIn !== call.ranIn)
    world.fail("3", `${plan.id} runs in a context that the rules have not seen`);
  if (JSON.stringify(call.ranWith) !== JSON.stringify(claimsOf(call)))
    world.fail("2", `${plan.id} runs with other claims than those that the engine holds for it`);
  const { messageAt } = turn;
  if (messageAt !== undefined && (call.index >= messageAt || plan.interrupt === "cancel"))
    world.fail("messages", `${plan.id} starts after a message that interrupted its turn`);
  checkTurnOrder(world, call);
  if (!call.delegates) checkRates(world, call);
  for (const other of world.open) {
    if (other.turn === turn) continue;
    if (other.started && isHolding(other) && conflictBetween(other, call))
      world.fail(
        "apart",
        `${plan.id} starts while ${other.plan.id} of another agent runs and conflicts with it`,
      );
    if (stateOf(other) === "queued" && other.askedAt < call.askedAt && conflictBetween(other, call))
      world.fail("no overtaking", `${plan.id} starts before ${other.plan.id}, which asked earlier`);
  }
}

const MINUTE_MS = 60_000;

/** Within any minute, no more calls start than a place or a tool can take. */
function checkRates(world: TreeWorld, call: CallRecord): void {
  const now = world.clock.now();
  for (const [place, most] of Object.entries(world.plan.rates)) {
    if (!isLimited(call, place)) continue;
    const recent = (world.starts.get(place) ?? []).filter((at) => at > now - MINUTE_MS);
    world.starts.set(place, [...recent, now]);
    if (recent.length + 1 > most)
      world.fail("6", `${recent.length + 1} calls start in ${place} within a minute`);
    if (recent.length + 1 === most) world.count("rate reached");
  }
}

/** Each turn alone is as if its calls ran one by one. */
function checkTurnOrder(world: TreeWorld, call: CallRecord): void {
  for (const other of call.turn.calls) {
    if (other === call || other.outcome !== undefined) continue;
    const isRunning = other.started;
    // Unless it has changed what it claims after this one was let on.
    const isEarlier = other.index < call.index && other.changedAt <= call.decidedAt;
    if ((isRunning || isEarlier) && conflictInTurn(other, call))
      world.fail(
        "2",
        `${call.plan.id} starts while ${other.plan.id} is ${stateOf(other)} and conflicts with it`,
      );
  }
}

/** After everything that an action set off has happened. */
export function checkAfterAction(world: TreeWorld): void {
  const calls = [...world.open];
  const holding = calls.filter(isHolding);
  checkLimits(world, holding);
  const queued = calls.filter((call) => stateOf(call) === "queued");
  if (queued.length > 0) checkNothingIdles(world, queued, holding);
  for (const call of calls) if (stateOf(call) === "permitted") checkOwnTurn(world, call);
  for (const { plan, hasEnded, isStopped, inbox } of world.team)
    if (hasEnded && !isStopped && inbox.length > 0)
      world.fail("messages", `${plan.name} has ended with messages that it has not read`);
}

function checkLimits(world: TreeWorld, holding: readonly CallRecord[]): void {
  const { maxConcurrency, limits } = world.plan;
  if (holding.length > maxConcurrency) world.fail("6", `more than ${maxConcurrency} calls run`);
  for (const [place, most] of Object.entries(limits)) {
    const inside = holding.filter((call) => isLimited(call, place));
    if (inside.length > most) world.fail("6", `more than ${most} calls run in ${place}`);
  }
  for (const turn of new Set(holding.map((call) => call.turn))) {
    const own = holding.filter((call) => call.turn === turn);
    if (own.length > turn.limit) world.fail("6", `more than ${turn.limit} calls of ${turn.name} run`);
  }
}

function isLimited(call: CallRecord, place: string): boolean {
  if (place.startsWith("tool:/")) return call.plan.tool === place.slice("tool:/".length);
  return claimsOf(call).some((claim) => covers(place, claim.place));
}

/** A call that nothing stands in the way of has started: as early as is safe. */
function checkNothingIdles(
  world: TreeWorld,
  queued: readonly CallRecord[],
  holding: readonly CallRecord[],
): void {
  if (holding.length >= world.plan.maxConcurrency) return;
  const limits = [...Object.keys(world.plan.limits), ...Object.keys(world.plan.rates)];
  for (const call of queued) {
    // What waits for a limit of its own is not looked at; what does not must not be delayed by it.
    if (limits.some((place) => isLimited(call, place))) continue;
    const isBlocked =
      holding.some((other) => conflictBetween(other, call)) ||
      // Also one of its own turn, if it came to claim what a later call had asked for.
      queued.some((other) => other.askedAt < call.askedAt && conflictInLocks(other, call));
    if (!isBlocked) world.fail("as early as is safe", `${call.plan.id} waits for nothing`);
  }
}

/** A call that is permitted waits for something in its own turn. */
function checkOwnTurn(world: TreeWorld, call: CallRecord): void {
  const { shadow, plan, calls } = call.turn;
  const isHeld = shadow.response === "open" && plan.start !== "eager";
  if (isHeld || (!call.delegates && shadow.executing >= shadow.limit)) return;
  const isBlocked = calls.some(
    (other) =>
      other !== call &&
      other.outcome === undefined &&
      (other.index < call.index || isUnderWay(other)) &&
      (conflictInTurn(other, call) || (isUnlocated(other) && !other.delegates && claimsOf(call).length > 0)),
  );
  if (!isBlocked) world.fail("as early as is safe", `${call.plan.id} waits for nothing in its turn`);
}

/** It depends on the folder, to which an earlier call can still move: it can claim anything. */
function isUnlocated({ access, index, turn }: CallRecord): boolean {
  const ofFolder = (place: string): boolean => place === "context:/cwd";
  const canMove = (other: CallRecord): boolean =>
    other.index < index &&
    other.outcome === undefined &&
    claimsOf(other).some(({ mode, place }) => mode === "write" && ofFolder(place));
  return access?.claims.some(({ place }) => ofFolder(place)) === true && turn.calls.some(canMove);
}

function isUnderWay(call: CallRecord): boolean {
  return ["starting", "running", "stopping"].includes(stateOf(call));
}

/** When all agents have ended. */
export function checkEnd(world: TreeWorld, engine: Engine): void {
  for (const turn of world.turns) {
    if (turn.life === world.life) checkTurn(world, turn);
    checkCauses(world, turn);
  }
  checkMessages(world);
  checkDelivered(world);
  world.files.check((message) => world.fail("no lost update", message));
  if (!engine.isUnlocked(world.locks)) world.fail("5", "something is left in the locks");
  if (world.clock.pending > 0) world.fail("5", `${world.clock.pending} timers are left`);
}

/** Stopping an agent, or a message to it, leaves the others at work, and a message also its calls that must not be stopped. */
function checkCauses(world: TreeWorld, turn: TurnRecord): void {
  for (const { plan, outcome } of turn.calls) {
    if (outcome?.type !== "aborted" || outcome.cause.kind !== "user-interrupted") continue;
    if (turn.isStopped) continue;
    if (turn.messageAt === undefined) world.fail("5", `${plan.id} was stopped with another agent`);
    if (turn.ranAtMessage.has(plan.id) && plan.interrupt === "block")
      world.fail("messages", `${plan.id} was stopped by a message, though it must go on`);
  }
}

/** Each message is read exactly once, unless its agent was stopped; each end in the background is reported once. */
function checkMessages(world: TreeWorld): void {
  const unread = new Set(world.team.flatMap(({ inbox }) => inbox));
  for (const message of world.messages) {
    const { number, readBy } = message;
    if (readBy.length !== (unread.has(message) ? 0 : 1))
      world.fail("messages", `message ${number} was read ${readBy.length} times: ${readBy.join()}`);
  }
  for (const { plan, owedReports, reports } of world.team)
    if (owedReports !== reports)
      world.fail("messages", `the end of ${plan.name} was reported ${reports} times`);
}

/** Over all processes, each call that has a result has exactly one. */
function checkDelivered(world: TreeWorld): void {
  const read = world.turns.filter(({ isRead }) => isRead).flatMap(({ results }) => results);
  const all = [...read, ...world.recovered];
  if (new Set(all).size !== all.length) world.fail("1", "a result was delivered twice");
}

function checkTurn(world: TreeWorld, turn: TurnRecord): void {
  if (!turn.shadow.claims.empty) world.fail("5", `claims of ${turn.name} are left`);
  for (const { plan, outcome, settlements, started } of turn.calls) {
    if (outcome === undefined) return world.fail("1", `${plan.id} was never settled`);
    if (settlements !== 1) world.fail("1", `${plan.id} was settled ${settlements} times`);
    const isNotRun = outcome.type === "denied" || (outcome.type === "aborted" && outcome.effect === "none");
    if (started === isNotRun) world.fail("4", `${plan.id} is reported as ${outcome.type}, which is not true`);
    if (world.plan.isCalm && outcome.type !== "succeeded")
      world.fail("1", `${plan.id} is ${outcome.type}, though nothing can fail`);
  }
  const expected = turn.calls.map(({ plan }) => plan.id).join();
  if (!turn.isDiscarded && turn.results.join() !== expected)
    world.fail("1", `results came as ${turn.results.join()}, not as ${expected}`);
}

/** A crash after any recorded event: one truthful result per call, nothing finished lost. */
export function checkCrashes(world: TreeWorld, engine: Engine): void {
  for (const turn of world.turns) {
    const { journal, limit, plan } = turn;
    const replayed = engine.newTurn(limit, plan.start);
    for (let length = 0; length <= journal.length; length++) {
      const last = journal[length - 1];
      if (last !== undefined) engine.step(replayed, last);
      const events = journal.slice(0, length);
      if (events.some(({ type }) => type === "turn-discarded")) break;
      const fates = engine.recoverTurn(events, { limit, start: plan.start });
      const arrived = events.filter(({ type }) => type === "call-arrived");
      if (fates.length !== arrived.length) world.fail("1", `${fates.length} results after a crash`);
      for (const [at, fate] of fates.entries())
        checkFate(world, turn.calls[at] as CallRecord, {
          ...fate,
          length,
          isQueued: replayed.live.get(fate.callId)?.phase.state === "queued",
        });
    }
  }
}

type Fate = ReturnType<Engine["recoverTurn"]>[number];

function checkFate(
  world: TreeWorld,
  call: CallRecord,
  { callId, fate, outcome, length, isQueued }: Fate & { length: number; isQueued: boolean },
): void {
  if (call.plan.id !== callId) world.fail("1", "after a crash the results are out of order");
  if (call.started && call.recordedAtStart <= length && fate === "never-started")
    world.fail("4", `${callId} ran, yet after the crash it is said not to have`);
  if (isQueued && fate !== "never-started")
    world.fail("4", `${callId} waited for the locks, yet after the crash it is ${fate}`);
  if (fate === "finished" && JSON.stringify(outcome) !== JSON.stringify(call.outcome))
    world.fail("4", `the result of ${callId} is another after the crash`);
}
