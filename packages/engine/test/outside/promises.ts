/** The promises of docs/promises.md, as they can be seen from outside. */

import type * as Engine from "../../src/index.ts";
import type { Input } from "./plan.ts";
import { type Touch, clash } from "./places.ts";
import type { Seen } from "./record.ts";
import type { OutsideWorld } from "./world.ts";

/** When the code of a tool is entered. */
export function checkEntry(world: OutsideWorld, seen: Seen, input: Input): void {
  const { id } = seen.call.input;
  if (seen.entered !== undefined) world.fail(`4: ${id} was entered twice`);
  checkVerdict(world, seen, input);
  checkTurn(world, seen, input);
  for (const other of world.running()) {
    if (other !== seen && touchesClash(other.touches, seen.touches))
      world.fail(`2: ${id} runs beside ${other.call.input.id}, which touches the same`);
  }
  checkOrder(world, seen);
  if (world.running().length >= world.plan.limit) world.fail(`6: ${id} runs above the limit`);
}

/** When a person is asked: about the folder to which the earlier calls that have ended have gone. */
export function checkQuestion(world: OutsideWorld, { call, index }: Seen, cwd: string): void {
  const moved = [...world.seen.values()].filter(
    (other) => other.index < index && other.ended !== undefined && other.entered?.to !== undefined,
  );
  const settled = moved.filter((other) => other.settled !== undefined);
  // The context changes when a call has ended, a moment before it is reported as settled.
  const folders = [settled, moved].map((others) => others.at(-1)?.entered?.to ?? "/");
  if (!folders.includes(cwd))
    world.fail(`7: ${call.input.id} is asked about in ${cwd}, and would run in ${folders.join(" or ")}`);
}

function touchesClash(some: readonly Touch[], others: readonly Touch[]): boolean {
  return some.some((one) => others.some((other) => clash(one, other)));
}

/** An earlier call whose input nobody changes is not overtaken, wherever the calls before it have gone. */
function checkOrder(world: OutsideWorld, seen: Seen): void {
  if (world.plan.hooks || world.plan.rules) return;
  for (const other of world.seen.values()) {
    const isOvertaken = other.index > seen.index && other.entered !== undefined;
    if (isOvertaken && touchesClash(other.touches, seen.touches))
      world.fail(`2: ${other.call.input.id} overtook ${seen.call.input.id}`);
    const isSteady = other.index < seen.index && other.settled === undefined && other.entered === undefined;
    const { place, writes } = other.call.input;
    if (isSteady && place.includes(":") && clash({ place, writes }, seen.touches[0] as Touch))
      world.fail(`2: ${seen.call.input.id} overtook ${other.call.input.id}`);
  }
}

function checkVerdict(world: OutsideWorld, seen: Seen, input: Input): void {
  const { call } = seen;
  const { id } = call.input;
  if (seen.refused) world.fail(`3: ${id} runs though the person said no`);
  const hook = !world.plan.hooks ? "none" : seen.hookFailed ? "silent" : call.hook;
  if (hook === "deny") world.fail(`3: ${id} runs against its hook`);
  if (hook !== "none" && !seen.hookAsked) world.fail(`3: ${id} runs though its hook was not asked`);
  if (!world.plan.rules) return;
  const key = world.keyOf(input);
  const said = seen.judged.get(key);
  if (said === undefined)
    world.fail(`3: ${id} runs with an input that the rules, as they are, have not seen`);
  if (said === "deny") world.fail(`3: ${id} runs against the rules`);
  if ((said === "ask" || hook === "ask") && !seen.approved.has(key))
    world.fail(`3: ${id} runs though nobody said yes to it`);
}

function checkTurn(world: OutsideWorld, seen: Seen, { writes }: Input): void {
  const { id } = seen.call.input;
  const { start } = world.plan;
  if (world.stopped) world.fail(`5: ${id} runs after a stop`);
  if (world.discarded) world.fail(`4: ${id} runs in a discarded response`);
  if (world.message !== undefined && (seen.index >= world.message || seen.call.cancellable))
    world.fail(`5: ${id} runs after a new message`);
  const isHeld = start === "after" || (start === "reads" && writes);
  if (isHeld && world.ended !== "well") world.fail(`4: ${id} runs though it is held back`);
  if (world.ended === "refusal") world.fail(`4: ${id} runs after a refusal`);
  for (const other of world.seen.values()) {
    const failed = other.settled === "failed" && other.entered !== undefined && other.call.cancelsLater;
    if (failed && other.index < seen.index && writes)
      world.fail(`5: ${id} runs though ${other.call.input.id} failed`);
  }
}

/** When all has been read. */
export function checkEnd(world: OutsideWorld): void {
  const added = [...world.seen.keys()].join();
  if (!world.discarded && world.results.map(({ callId }) => callId).join() !== added)
    world.fail(`1: results of ${world.results.map(({ callId }) => callId).join()}, not of ${added}`);
  if (world.time.timers > 0) world.fail(`5: ${world.time.timers} timers are left`);
  for (const { call, unanswered } of world.seen.values())
    if (unanswered.some(({ aborted }) => !aborted))
      world.fail(`5: a hook of ${call.input.id} still works, and its signal is not aborted`);
  if (world.openQuestions > 0) world.fail("5: a question is left open");
  for (const result of world.results) checkResult(world, result);
  checkContext(world);
  checkRecovery(world);
}

type Result = Extract<Engine.Update, { type: "result" }>;

function saysThatItRan({ outcome }: Pick<Result, "outcome">): boolean {
  if (outcome.type === "aborted") return outcome.effect === "unknown";
  return outcome.type === "succeeded" || (outcome.type === "failed" && outcome.fault === "exception");
}

function checkResult(world: OutsideWorld, result: Result): void {
  const { outcome, callId } = result;
  const seen = world.seen.get(callId) as Seen;
  const ran = seen.entered !== undefined;
  if (ran !== saysThatItRan(result))
    world.fail(`4: ${callId} ${ran ? "ran" : "did not run"}, and is reported otherwise`);
  if (outcome.type === "succeeded" && seen.ended !== "returned") world.fail(`4: ${callId} has not succeeded`);
  if (outcome.type === "failed" && ran && seen.ended !== "threw") world.fail(`4: ${callId} has not failed`);
  if (seen.finishes > 1) world.fail(`4: two ends of ${callId} are recorded`);
  if (outcome.type !== "aborted" || outcome.cause.kind !== "sibling-error") return;
  const isReader = seen.entered !== undefined && !seen.entered.writes;
  if (isReader) world.fail(`5: ${callId} only reads, and was cancelled by a failure`);
}

/** Changes of the context apply in the model's order. */
function checkContext(world: OutsideWorld): void {
  if (world.discarded) return;
  const moved = [...world.seen.values()].filter(({ entered, ended, settled }) => entered && ended && settled);
  const last = moved.findLast(({ entered }) => entered?.to !== undefined);
  const late = [...world.seen.values()].some(({ call }) => call.ends === "ignores-signal");
  const expected = last?.entered?.to ?? "/";
  if (!late && world.executor.context.cwd !== expected) world.fail(`2: the folder is not ${expected}`);
}

/** After a crash at the end, whatever the journal has lost. */
function checkRecovery(world: OutsideWorld): void {
  const { limit, start } = world.plan;
  const events = world.journal;
  const fates = world.engine.recoverTurn(events, { limit, start });
  if (events.some(({ type }) => type === "turn-discarded")) return;
  const isWhole = !events.some(({ type }) => type === "records-lost") && !world.isLossOpen;
  const recovered = fates.map(({ result }) => result);
  if (isWhole && JSON.stringify(recovered) !== JSON.stringify(world.results.map(({ result }) => result)))
    world.fail("4: after a crash, the results are not those that were returned");
  for (const { callId, fate, outcome } of fates) {
    const seen = world.seen.get(callId);
    if (seen?.entered === undefined) continue;
    const isRecorded = events.some((event) => event.type === "call-finished" && event.id === callId);
    // A loss that no later record notes cannot be seen.
    if (!isRecorded && world.isLossOpen) continue;
    if (fate === "never-started" || !saysThatItRan({ outcome }))
      world.fail(`4: ${callId} ran, and after a crash it is said not to have`);
    if (isRecorded && fate !== "finished")
      world.fail(`4: the recorded end of ${callId} is lost after a crash`);
  }
}
