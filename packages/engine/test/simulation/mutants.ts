/** Hand-made faults in the engine: one of the simulations must notice each of them. */

import { CLASSES, OUTSIDE } from "./mutants-of-classes.ts";
import { TREES } from "./mutants-of-trees.ts";

export interface Mutant {
  readonly title: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The simulations that notice it: this one, the one that sees the engine from outside, and that of agents. */
  readonly noticedBy: readonly ("inside" | "outside" | "trees")[];
  /** Where to begin, for one that few worlds show. */
  readonly from?: { readonly inside?: number; readonly outside?: number; readonly trees?: number };
}

/** Noticed by this simulation. */
const INSIDE: readonly Omit<Mutant, "noticedBy">[] = [
  {
    title: "a turn counts as parked while a call is judged",
    file: "core/turn.ts",
    find: 'new Set(["deferred", "permitted", "waiting"])',
    replace: 'new Set(["deferred", "permitted", "waiting", "judging", "asking"])',
  },
  {
    title: "a turn with a question that is answered later never ends",
    file: "core/turn.ts",
    find: 'new Set(["deferred", "permitted", "waiting"])',
    replace: 'new Set(["deferred"])',
  },
  {
    title: "a call whose answer comes later is not counted",
    file: "core/move.ts",
    find: 'if (phase.state === "deferred") turn.deferred++;',
    replace: "",
  },
  {
    title: "a call that was stopped is tried again",
    file: "runtime/retry.ts",
    find: "if (retry === undefined || run.hasEnded || run.isCancelled) return undefined;",
    replace: "if (retry === undefined) return undefined;",
  },
  {
    title: "a call that writes is tried again",
    file: "runtime/retry.ts",
    find: " || !(writes || run.call.access.readOnly)",
    replace: "",
  },
  {
    title: "a call is tried once too often",
    file: "runtime/retry.ts",
    find: "run.attempt >= attempts",
    replace: "run.attempt > attempts",
  },
  {
    title: "a wait between attempts does not end when the call is stopped",
    file: "runtime/retry.ts",
    find: "onAbort(run.signal, () => {",
    replace: "onAbort(new AbortController().signal, () => {",
  },
  {
    title: "a call is tried again though no further attempt can help",
    file: "runtime/retry.ts",
    find: "return on === undefined || on(error);",
    replace: "return true;",
  },
  {
    title: "a call that ends after it was abandoned asks its hooks",
    file: "runtime/execute.ts",
    find: "if (run.hasEnded) return undefined;",
    replace: "",
    from: { inside: 1_600 },
  },
  {
    title: "a result names a call that has ended since it was abandoned",
    file: "core/step.ts",
    find: "turn.abandoned.remove(id);",
    replace: "",
  },
  {
    title: "a result does not name a call that was abandoned and still runs",
    file: "core/move.ts",
    find: "turn.abandoned.inTheWayOf(call)",
    replace: "NOBODY",
    from: { inside: 2_100 },
  },
  {
    title: "a start that a listener renewed is not recorded first",
    file: "runtime/runtime.ts",
    find: " || call.epoch !== epoch) return;",
    replace: ") return;",
    from: { inside: 2_800 },
  },
  {
    title: "a write does not wait for reads below it",
    file: "core/claim-queue.ts",
    find: 'case "write":\n      return (\n        isBefore(queues["read-below"], index) ||',
    replace: 'case "write":\n      return (',
  },
  {
    title: "a later call overtakes an earlier one that only waits",
    file: "core/claim-queue.ts",
    find: "if (one !== undefined && one.index < index) return true;",
    replace: "",
  },
  {
    title: "calls after one whose claims changed are not held back",
    file: "core/claim-queue.ts",
    find: "return other !== undefined && other.index < index;",
    replace: "return false;",
  },
  {
    title: "a call does not wait for a later one that runs already",
    file: "core/claim-queue.ts",
    find: "if (this.running > 0) return true;",
    replace: "",
  },
  {
    title: "a call that waits for a claim is never let on",
    file: "core/claims.ts",
    find: "for (const gate of node.gates ?? []) this.candidates[gate.purpose].open(gate);",
    replace: "",
  },
  {
    title: "one call too many runs",
    file: "core/move.ts",
    find: "while (turn.executing < turn.limit) {",
    replace: "while (turn.executing <= turn.limit) {",
  },
  {
    title: "results are delivered before they are there",
    file: "core/move.ts",
    find: 'if (call === undefined || call.phase.state !== "settled") return;',
    replace: "",
  },
  {
    title: "the start policy holds nothing back",
    file: "core/move.ts",
    find: "return !hasEnded(turn) && isHeldByPolicy(turn, call);",
    replace: "return false;",
  },
  {
    title: "a failure cancels earlier calls too",
    file: "core/move.ts",
    find: "if (call.index > failed.index && !call.access.readOnly) cancel(turn, call, cause);",
    replace: "if (!call.access.readOnly) cancel(turn, call, cause);",
  },
  {
    title: "calls that arrive after a failure are run",
    file: "core/move.ts",
    find: "if (failed !== undefined && failed.index < call.index && !call.access.readOnly) causes.push(failed.cause);",
    replace: "",
  },
  {
    title: "a stopped call is settled before it has stopped",
    file: "core/move.ts",
    find: 'move(turn, call, { state: "stopping", cause });',
    replace: "settle(turn, call, notRun(cause));",
  },
  {
    title: "class 27: a failure cancels a call of which it is not known whether it writes",
    file: "runtime/intake.ts",
    find: "  readOnly: true,\n",
    replace: "  readOnly: false,\n",
  },
  {
    title: "a response is discarded though a writer has started",
    file: "core/step.ts",
    find: "turn.writerStarted ||= !call.access.readOnly;",
    replace: "",
  },
  {
    title: "rules that change do not concern calls that were judged",
    file: "core/step.ts",
    find: "for (const call of unfinished(turn)) judgeAgain(turn, call);",
    replace: "",
  },
  {
    title: "a person's yes beats the rules that have changed meanwhile",
    file: "core/verdict.ts",
    find: 'if (phase.state === "asking" && phase.judged !== call.epoch) {',
    replace: 'if (phase.state === "settled") {',
  },
  {
    title: "what should be asked is run",
    file: "core/verdict.ts",
    find: 'if (judgement.behavior === "ask" && !isApproved(turn, call)) return ask(turn, call);',
    replace: "",
  },
  {
    title: "a call that ran is reported as not run",
    file: "core/step.ts",
    find: "settle(turn, call, stopped(call.phase.cause, ending));",
    replace: "settle(turn, call, notRun(call.phase.cause));",
  },
  {
    title: "calls start after a refusal",
    file: "core/move.ts",
    find: 'response.cut === "refusal" || ',
    replace: "",
  },
  {
    title: "a new message does not concern calls whose access is not known yet",
    file: "core/move.ts",
    find: 'call.index >= message.arrived || call.access.interrupt === "cancel"',
    replace: "call.index >= message.arrived",
  },
  {
    title: "a verdict that was asked for earlier counts",
    file: "core/verdict.ts",
    find: "if (!isJudged(phase) || epoch !== call.epoch) return;",
    replace: "if (!isJudged(phase)) return;",
  },
  {
    title: "a call that writes starts before its record is safe",
    file: "runtime/runtime.ts",
    find: "if (saved === undefined || call.access.readOnly) return this.#launch(taken, call);",
    replace: "if (saved !== null) return this.#launch(taken, call);",
  },
  {
    title: "an event is recorded after its effects",
    file: "runtime/runtime.ts",
    find: "const saved = this.#recorder.record(event);",
    replace: "const saved = undefined;\n    queueMicrotask(() => this.#recorder.record(event));",
  },
  {
    title: "a timer outlives its call",
    file: "runtime/runtime.ts",
    find: "if (run !== undefined) this.#deadlines.end(run);",
    replace: "",
  },
  {
    title: "progress is reported after the result",
    file: "runtime/runtime.ts",
    find: "if (!hasStarted(phase)) return;",
    replace: "",
  },
  {
    title: "two questions are open at a time",
    file: "runtime/prompts.ts",
    find: "if (this.#open !== undefined) return;",
    replace: "",
  },
  {
    title: "after a crash, what was running is said not to have run",
    file: "runtime/recover.ts",
    find: "const mayHaveRun = ran || hasGap || isUntraced || (call !== undefined && isUnderWay(call));",
    replace: "const mayHaveRun = false;",
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...INSIDE.map((mutant) => ({ ...mutant, noticedBy: ["inside"] as const })),
  ...CLASSES.map((mutant) => ({ ...mutant, noticedBy: ["inside", "outside"] as const })),
  ...OUTSIDE.map((mutant) => ({ ...mutant, noticedBy: ["outside"] as const })),
  ...TREES.map((mutant) => ({ ...mutant, noticedBy: ["trees"] as const })),
];
