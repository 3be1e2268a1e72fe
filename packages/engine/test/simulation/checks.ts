/** The promises, as checks on a simulated world. Numbers as in docs/promises.md. */

import { type Claim, claimsConflict } from "../../src/core/access.ts";
import { checkHistory } from "../../src/history/history.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { Engine } from "../support/engine-under-test.ts";
import { ModelFiles } from "./model-files.ts";
import { FOLDERS, RETRY_ATTEMPTS } from "./extras.ts";
import { needsPerson } from "./plan.ts";
import { checkLost, checkReplay } from "./checks-of-journal.ts";
import { type CallRecord, type Input, isException, keyOf, saysThatItRan } from "./record.ts";
import { willRetry } from "./world-tools.ts";
import type { World } from "./world.ts";

/** At the moment a tool's code is entered. */
export function checkStart(world: World, record: CallRecord, input: Input): void {
  const { plan } = record;
  if (record.started) world.fail("4", `${plan.id} was started twice`);
  checkPermitted(world, record, input);
  if (!sameClaims(record.ranWith, claimsOf(record)))
    world.fail("2", `${plan.id} runs with other claims than those that the engine holds for it`);
  checkTurnAllows(world, record);
  for (const other of world.records.values()) {
    if (other === record || other.outcome !== undefined) continue;
    const isRunning = other.started;
    // Unless it has changed what it claims after this one was let on.
    const isEarlier = other.index < record.index && other.changedAt <= record.decidedAt;
    if (
      (isRunning || isEarlier) &&
      claimsConflict(isRunning ? other.ranWith : claimsOf(other), record.ranWith)
    ) {
      world.fail("2", `${plan.id} starts while ${other.plan.id} is ${other.state} and conflicts with it`);
    }
  }
  if (world.executing().length > world.plan.limit) world.fail("6", `more than ${world.plan.limit} calls run`);
}

/** At the moment a tool's code is entered again. */
export function checkAttempt(world: World, record: CallRecord): void {
  const { plan, attempts, state, ranReadOnly } = record;
  world.count("tried again");
  if (state !== "running") world.fail("5", `${plan.id} is tried again though it is ${state}`);
  if (attempts > RETRY_ATTEMPTS) world.fail("4", `${plan.id} is tried ${attempts} times`);
  if (attempts > plan.failures + 1) world.fail("4", `${plan.id} is tried again though it did not fail`);
  if (!ranReadOnly && plan.tool !== "Slow") world.fail("4", `${plan.id} writes and is tried again`);
}

function checkPermitted(world: World, record: CallRecord, input: Input): void {
  const { plan, hookAsked, hookFailed, approved, refused, judged, ranIn } = record;
  const key = keyOf(input, ranIn);
  if (refused) world.fail("3", `${plan.id} runs though a person said no`);
  if (!judged.has(key))
    world.fail("3", `${plan.id} runs with an input that the rules have not seen as they are`);
  const hook = !world.plan.hooks ? "none" : hookFailed ? "silent" : plan.hook;
  if (plan.tool === "Missing" || plan.invalid) world.fail("3", `${plan.id} must not run at all`);
  if (hook !== "none" && !hookAsked) world.fail("3", `${plan.id} runs though its hook was not asked`);
  if (hook === "deny") world.fail("3", `${plan.id} runs against its hook`);
  if (["deny", "deny-end", "throw"].includes(plan.rule)) world.fail("3", `${plan.id} runs against a rule`);
  if (world.rulesVersion > 0 && plan.deniedLater)
    world.fail("3", `${plan.id} runs against a rule that has changed`);
  const isAsked = hook === "ask" || (needsPerson(plan, world.rulesVersion) && hook !== "allow");
  if (isAsked && approved !== key) world.fail("3", `${plan.id} runs though nobody said yes`);
}

function claimsOf({ access }: CallRecord): readonly Claim[] {
  return access?.claims ?? [];
}

function sameClaims(some: readonly Claim[], others: readonly Claim[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

function checkTurnAllows(world: World, { plan, index, ranReadOnly: readOnly }: CallRecord): void {
  const { start } = world.plan;
  if (world.discarded) world.fail("3", `${plan.id} starts in a discarded turn`);
  if (world.stopped) world.fail("5", `${plan.id} starts in a stopped turn`);
  if (world.ended === "refusal") world.fail("4", `${plan.id} starts after a refusal`);
  const holds = start === "after" || (start === "reads" && !readOnly);
  if (holds && world.ended !== "well") world.fail("4", `${plan.id} starts though "${start}" holds it back`);
  for (const other of world.records.values()) {
    if (other.index < index && !readOnly && cancelsLater(other))
      world.fail("5", `${plan.id} starts though ${other.plan.id} failed`);
  }
  const { arrivedBeforeMessage: arrived } = world;
  if (arrived !== undefined && (index >= arrived || plan.interrupt === "cancel")) {
    world.fail("5", `${plan.id} starts after a new message`);
  }
}

/** After everything that an action set off has happened. */
export function checkAfterAction(world: World): void {
  const records = [...world.records.values()];
  const asking = records.filter(
    (record) =>
      record.state === "asking" &&
      !record.isDeferred &&
      (record.plan.tool !== "Unsafe" || !isBlocked(record, records)),
  ).length;
  const isAnswering = world.pendingKinds.includes("schema");
  const isAsked = world.openQuestions === 1 || (asking === 0 && world.openQuestions === 0);
  if (!isAsked && !isAnswering) {
    world.fail("7", `${asking} calls ask, ${world.openQuestions} questions are open`);
  }
  if (world.executing().length > world.plan.limit) world.fail("6", `more than ${world.plan.limit} calls run`);
  const hooksWaiting = records.filter(({ hookAsked, outcome }) => hookAsked && outcome === undefined).length;
  // A call whose end a hook looks at has a timer for that too, and one for its grace if it was stopped.
  const postHooks = world.plan.postHooks ? world.executing().length * 2 : 0;
  const backingOff = world.executing().filter(({ isTrying }) => !isTrying).length;
  if (world.timersLeft > world.executing().length + hooksWaiting + postHooks + backingOff)
    world.fail("5", "a timer outlives its call");
  if (world.discarded) return;
  checkNothingIdles(world, records);
}

/** A call that nothing stands in the way of has started: as early as is safe. */
function checkNothingIdles(world: World, records: readonly CallRecord[]): void {
  const judging = records.filter(({ state }) => state === "judging");
  const consulting = judging.filter(({ plan }) => plan.hook !== "none");
  // After a change of folder, a call that is judged once more before it starts takes a place.
  const executing = world.executing().length + (world.plan.isWild ? judging.length : 0);
  if (executing >= world.plan.limit || consulting.length >= world.plan.limit) return;
  // A writer whose start is not safe on record waits, and takes a place meanwhile.
  if (world.isSaving) return;
  for (const record of records) {
    if (record.state !== "waiting" || isHeld(world, record) || isAnswered(world, record)) continue;
    if (!isBlocked(record, records)) world.fail("as early as is safe", `${record.plan.id} waits for nothing`);
  }
}

/** An unfinished call is in its way. */
function isBlocked(record: CallRecord, records: readonly CallRecord[]): boolean {
  return records.some(
    (other) =>
      other !== record &&
      other.outcome === undefined &&
      isBefore(other, record) &&
      claimsConflict(heldBy(other, records), claimsOf(record)),
  );
}

/** While an earlier call can go to another folder, a call that depends on the folder can claim anything. */
function heldBy(record: CallRecord, records: readonly CallRecord[]): readonly Claim[] {
  const claims = claimsOf(record);
  const isOfFolder = ({ place }: Claim): boolean => place === "context:/cwd";
  const canMove = (other: CallRecord): boolean =>
    other.index < record.index &&
    other.outcome === undefined &&
    claimsOf(other).some((claim) => isOfFolder(claim) && claim.mode === "write");
  if (!claims.some(isOfFolder) || !records.some(canMove)) return claims;
  const isWriter = claims.some((claim) => claim.mode === "write" && !isOfFolder(claim));
  return [...claims, { mode: isWriter ? "write" : "read", place: "*" }];
}

function isBefore(other: CallRecord, record: CallRecord): boolean {
  return other.index < record.index || other.state === "running" || other.state === "stopping";
}

/** A person has changed its input, which its schema still looks at. */
function isAnswered(world: World, { plan }: CallRecord): boolean {
  return plan.tool === "Slow" && plan.answer === "change" && world.pendingKinds.includes("schema");
}

function isHeld(world: World, { access }: CallRecord): boolean {
  if (world.ended !== "open") return false;
  const { start } = world.plan;
  return start === "after" || (start === "reads" && access?.readOnly !== true);
}

/** When the turn is over. */
export function checkEnd(world: World, engine: Engine): void {
  const records = [...world.records.values()];
  const isParked = world.executor.parked !== undefined;
  for (const update of world.updates)
    if (update.type === "result") checkNotes(world, update.callId, update.result.content);
  if (isParked) checkParked(world, records);
  for (const record of records) if (!isParked || record.outcome !== undefined) checkOutcome(world, record);
  if (!isParked) checkResults(world, records);
  if (world.timersLeft > 0) world.fail("5", `${world.timersLeft} timers are left`);
  if (world.openQuestions > 0) world.fail("5", "a question is left open");
  if (world.executor.inProgress.size > 0) world.fail("5", "a call is left in progress");
  checkSerial(world, records);
  if (world.lost > 0) checkLost(world, engine);
  else checkReplay(world, engine);
}

/** Nothing but an answer is missing: calls wait for one, or for a call that does. */
function checkParked(world: World, records: readonly CallRecord[]): void {
  world.count("parked");
  const parked = world.executor.parked ?? [];
  const open = records.filter(({ outcome }) => outcome === undefined);
  if (!open.some(({ isDeferred }) => isDeferred)) world.fail("7", "the turn is parked without a question");
  for (const record of open) {
    const { plan, state, isDeferred } = record;
    // A question about a call with a check waits too.
    const canWait = state === "waiting" || (state === "asking" && plan.tool === "Unsafe");
    const waits = canWait && isBlocked(record, records);
    if (!waits && !(isDeferred && state === "asking"))
      world.fail("7", `${plan.id} is parked while it is ${state}`);
  }
  const results = world.updates.flatMap((update) => (update.type === "result" ? [update.callId] : []));
  const expected = records.map(({ plan }) => plan.id).join();
  if ([...results, ...parked.map(({ callId }) => callId)].join() !== expected)
    world.fail("1", "results and parked calls together are not all calls in their order");
  for (const { callId, result } of parked)
    if ((result === undefined) !== (world.records.get(callId)?.outcome === undefined))
      world.fail("1", `${callId} is parked with the wrong result`);
}

/** A result names the abandoned calls that may still be changing the same files, and no others. */
function checkNotes(world: World, callId: string, content: unknown): void {
  const record = world.records.get(callId) as CallRecord;
  const [, list] =
    /\(Note: (.*) (?:was|were) stopped but may still be modifying/.exec(JSON.stringify(content)) ?? [];
  const named = list?.split(", ") ?? [];
  // The event of its end is recorded after it is reported.
  const isOver = ({ endedLateAt }: CallRecord): boolean => endedLateAt + 1 < record.settledAt;
  for (const id of named) {
    const other = world.records.get(id);
    if (other === undefined || !isAbandoned(other) || isOver(other))
      world.fail("4", `${callId} says that ${id} may still be running`);
  }
  if (!record.started) return;
  const missing = [...world.records.values()].filter(
    (other) =>
      other.index < record.index &&
      isAbandoned(other) &&
      other.settledAt < record.settledAt &&
      other.endedLateAt === Infinity &&
      claimsConflict(other.ranWith, record.ranWith),
  );
  if (named.length > 0) world.count("a result names a call that may still be running");
  if (missing.length > 0 && named.length === 0)
    world.fail("4", `${callId} does not say that ${missing[0]?.plan.id} may still be running`);
}

function isAbandoned({ outcome }: CallRecord): boolean {
  return outcome?.type === "aborted" && outcome.abandoned;
}

function checkOutcome(world: World, record: CallRecord): void {
  const { plan, outcome, started, returned, failed, finishes } = record;
  if (finishes > 1) world.fail("4", `two ends of ${plan.id} are recorded`);
  if (failed && outcome?.type === "succeeded") world.fail("4", `${plan.id} failed, and is reported as done`);
  if (outcome === undefined) return world.fail("1", `${plan.id} was never settled`);
  const saysRan = saysThatItRan(outcome);
  if (started && !saysRan) world.fail("4", `${plan.id} ran and is reported as ${outcome.type}`);
  if (!started && saysRan) world.fail("4", `${plan.id} did not run and is reported as ${outcome.type}`);
  checkSibling(world, outcome, plan.id);
  const refusal =
    outcome.type === "denied" &&
    (outcome.reason === "no more" || (outcome.by === "the person" && outcome.reason === ""));
  // A hook that looks at its end can keep a call that was stopped.
  if (record.endedBetween && outcome.type === "aborted" && outcome.abandoned && !world.plan.postHooks)
    world.fail("5", `${plan.id} was abandoned while nothing of it ran`);
  if (record.endedBetween && outcome.type === "failed")
    world.fail("4", `${plan.id} failed though another attempt was possible`);
  if (refusal && world.executor.endedBy === undefined)
    world.fail("5", `${plan.id} was refused outright, yet the turn went on`);
  if (outcome.type === "succeeded" && !returned)
    world.fail("4", `${plan.id} is reported as done before it was`);
}

/** Its last attempt failed, and another one would have followed. */
export function isBetweenAttempts(record: CallRecord): boolean {
  const { plan, attempts, isTrying } = record;
  return !isTrying && attempts > 0 && attempts <= plan.failures && willRetry(record);
}

/** Only the failure of an earlier call that says so cancels a later one. */
function checkSibling(world: World, outcome: Outcome, callId: string): void {
  if (outcome.type !== "aborted" || outcome.cause.kind !== "sibling-error") return;
  const failed = world.records.get(outcome.cause.callId) as CallRecord;
  const { index, access, plan, wasJudged } = world.records.get(callId) as CallRecord;
  if (plan.tool === "Slow" && !wasJudged)
    world.fail("5", `${callId} was cancelled before it was known whether it writes`);
  if (access?.readOnly === true) world.fail("5", `${callId} only reads, and was cancelled by a failure`);
  if (!cancelsLater(failed) || failed.index >= index)
    world.fail("5", `${failed.plan.id} cannot have cancelled ${callId}`);
}

function cancelsLater({ plan, started, outcome }: CallRecord): boolean {
  if (!started || plan.onError !== "cancel-later" || outcome === undefined) return false;
  return isException(outcome) || (outcome.type === "aborted" && outcome.cause.kind === "timeout");
}

function checkResults(world: World, records: readonly CallRecord[]): void {
  const results = world.updates.filter((update) => update.type === "result");
  if (world.discarded) return;
  const delivered = results.map(({ callId }) => callId).join();
  const expected = records.map(({ plan }) => plan.id).join();
  if (delivered !== expected) world.fail("1", `results came as ${delivered}, not as ${expected}`);
  const seen = new Set<string>();
  for (const update of world.updates) {
    if (update.type === "result") seen.add(update.callId);
    else if (seen.has(update.callId)) world.fail("8", `progress of ${update.callId} came after its result`);
  }
  const calls = records.map(({ plan }) => ({ type: "tool_use", id: plan.id, name: plan.tool, input: {} }));
  if (calls.length === 0) return;
  const history = [
    { role: "user" as const, content: "go" },
    { role: "assistant" as const, content: calls },
    { role: "user" as const, content: results.map(({ result }) => ({ ...result })) },
  ];
  const [problem] = checkHistory(history);
  if (problem !== undefined) world.fail("1", problem.message);
}

/** Every result, and the state of the world, as running one after the other would have given (promise 2). */
function checkSerial(world: World, records: readonly CallRecord[]): void {
  if (world.lateEffect) return world.count("late effects: not compared");
  const ran = records.filter(({ started }) => started);
  const overtaken = ran.some((record) => ran.some((other) => overtook(world, other, record)));
  if (overtaken) world.count("claimed anew after a later call");
  const order = overtaken ? ran.toSorted((one, other) => one.startOrder - other.startOrder) : ran;
  const files = new ModelFiles();
  if (!overtaken) checkFolders(world, order);
  for (const { plan, parts, ranWith, seen } of order) {
    const serial = parts.map((part) => files.touch(ranWith, plan.id, part));
    if (serial.join() !== seen.join()) world.fail("2", `${plan.id} saw something else than in a serial run`);
  }
  if (files.digest !== world.files.digest) world.fail("2", "the world ended otherwise than in a serial run");
}

/** A change of folder holds for all later calls, whatever became of the call that made it. */
function checkFolders(world: World, ran: readonly CallRecord[]): void {
  let folder = FOLDERS[0];
  for (const { plan, ranIn } of ran) {
    if (plan.relative && ranIn !== folder) world.fail("2", `${plan.id} ran in ${ranIn}, not in ${folder}`);
    folder = plan.to ?? folder;
  }
}

/** A later call may come first only if it had started before the earlier one changed what it claims. */
function overtook(world: World, later: CallRecord, earlier: CallRecord): boolean {
  if (later.index <= earlier.index || later.startOrder > earlier.startOrder) return false;
  if (!claimsConflict(later.ranWith, earlier.ranWith)) return false;
  if (later.decidedAt >= earlier.changedAt) world.fail("2", `${later.plan.id} overtook ${earlier.plan.id}`);
  return true;
}
