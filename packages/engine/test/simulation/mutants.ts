/** Hand-made faults in the engine: one of the simulations must notice each of them. */

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

/** Each undoes what closes a class of faults that were found from outside. Both simulations notice it. */
const CLASSES: readonly Omit<Mutant, "noticedBy">[] = [
  {
    title: "class 1: a hook that says something truthy is skipped",
    file: "runtime/judge.ts",
    find: "return Boolean(answer);",
    replace: "return answer === true;",
  },
  {
    title: "class 2: what a post hook answers is used as it is",
    file: "runtime/execute.ts",
    find: "return checkedAnswer(await withLimit(run.timers(clock), HOOK_LIMIT_MS, ask?.(call)));",
    replace: "return (await withLimit(run.timers(clock), HOOK_LIMIT_MS, ask?.(call))) as never;",
  },
  {
    title: "class 3: a change of the context need not be a function",
    file: "runtime/execute.ts",
    find: 'if (typeof modify === "function") return this.#run.change(modify);',
    replace: "return this.#run.change(modify);",
  },
  {
    title: "class 4: a call that is about to start counts as running",
    file: "core/move.ts",
    find: '    case "running":\n      move(turn, call, { state: "stopping", cause });',
    replace:
      '    case "starting":\n    case "running":\n      move(turn, call, { state: "stopping", cause });',
  },
  {
    title: "class 5: a verdict counts though the rules have changed",
    file: "core/verdict.ts",
    find: "if (isStale(turn, call)) return judgeStale(turn, call);",
    replace: "",
  },
  {
    title: "class 6: what a tool or a listener says takes effect later",
    file: "runtime/runtime.ts",
    find: "if (this.#isStepping) return this.#events.push(event);",
    replace:
      'if (this.#isStepping) return this.#events.push(event);\n    if (this.#isPerforming && event.type === "turn-interrupted") return queueMicrotask(() => this.dispatch(event));',
  },
  {
    title: "class 7: a person's no to a question that was withdrawn is lost",
    file: "core/verdict.ts",
    find: "return hasStarted(phase) ? undefined : deny(turn, call, judgement);",
    replace: 'return phase.state === "asking" ? deny(turn, call, judgement) : undefined;',
    from: { outside: 15_000 },
  },
  {
    title: "class 8: input that a person changed is not judged",
    file: "core/verdict.ts",
    find: "if (change(turn, call, judgement.change)) judge(turn, call);",
    replace: "if (change(turn, call, judgement.change)) permit(turn, call);",
  },
  {
    title: "class 9: the time limit of a hook outlives its call",
    file: "runtime/judged-call.ts",
    find: "this.#timers?.end();",
    replace: "",
  },
  {
    title: "class 9: the time limit of a hook after a call outlives the call",
    file: "runtime/run.ts",
    find: "this.#timers?.end();",
    replace: "",
  },
  {
    title: "class 10: a tool that ends twice is heard twice",
    file: "runtime/execute.ts",
    find: "if (isThenable(value)) this.#await(run, value);",
    replace:
      "if (isThenable(value))\n        value.then(\n          (output) => this.#returned(run, output),\n          (error: unknown) => this.#failed(run, error),\n        );",
  },
  {
    title: "class 11: a record that is missing makes others worthless",
    file: "runtime/recover.ts",
    find: "      known.ran = true;\n      known.ending ??= event.ending;",
    replace: "",
  },
  {
    title: "class 11: nobody knows that records are missing",
    file: "runtime/recorder.ts",
    find: "this.#hasLost = true;",
    replace: "",
  },
  {
    title: "class 14: a call that comes to write after the response was cut is run",
    file: "core/verdict.ts",
    find: "const cause = forbidden(turn, call);",
    replace: "const cause = undefined as ReturnType<typeof forbidden>;",
  },
  {
    title: "class 15: a failure cancels later calls that only read",
    file: "core/move.ts",
    find: "if (call.index > failed.index && !call.access.readOnly) cancel(turn, call, cause);",
    replace: "if (call.index > failed.index) cancel(turn, call, cause);",
  },
  {
    title: "class 18: a change of the context does not concern calls that were judged",
    file: "core/step.ts",
    find: "turn.epochs.contextChanged(index);",
    replace: "",
  },
  {
    title: "class 18: a call that is about to start is not judged again when the context changes",
    file: "core/step.ts",
    find: "for (const call of turn.starting.list()) if (call.index > index) judgeStale(turn, call);",
    replace: "",
    from: { inside: 900 },
  },
  {
    title: "class 18: a call that is judged again because of the rules is not located",
    file: "core/move.ts",
    find: 'if (isLost(turn, call)) emit(turn, { type: "locate", call });',
    replace: "",
  },
  {
    title: "class 25: a call is overtaken whose folder an earlier call can still change",
    file: "core/claims.ts",
    find: "call.isUnlocated = requests.some(({ node, mode }) => isInTheWay(node, mode, call.index));",
    replace: "call.isUnlocated = false;",
  },
  {
    title: "class 19: an input counts though the verdict on it does not",
    file: "runtime/judged-call.ts",
    find: "return this.inputAt(this.call.input);",
    replace: "return this.inputAt(this.#changed?.length ?? 0);",
  },
];

/** Noticed from outside only: it has to do with real links, or with turns too large to be checked after every event. */
const OUTSIDE: readonly Omit<Mutant, "noticedBy">[] = [
  {
    title: "class 13: calls that have ended are kept while one with the same time limit runs",
    file: "runtime/deadlines.ts",
    find: "this.#lines.get(call.limitMs)?.calls.remove(call);",
    replace: "",
  },
  {
    title: "class 20: a call that is added while another one is being added arrives before it",
    file: "runtime/engine.ts",
    find: "if (this.#takingIn !== undefined || this.#later.size > 0) {",
    replace: "if (this.#later.size > 0) {",
  },
  {
    title: "class 20: a call whose arrival is not processed yet can be added again",
    file: "runtime/runtime.ts",
    find: "return this.turn.known.has(id) || this.#taken.has(id);",
    replace: "return this.turn.known.has(id);",
    from: { outside: 2_300 },
  },
  {
    title: "class 21: a hook that reaches its time limit is not asked to stop",
    file: "runtime/judge.ts",
    find: "asking.cancel(error);",
    replace: "",
  },
  {
    title: "class 21: a hook after a call that reaches its time limit is not asked to stop",
    file: "runtime/execute.ts",
    find: "asking.cancel(error);",
    replace: "",
  },
  {
    title: "class 22: after a crash, a result does not name the call that may still be running",
    file: "runtime/recover.ts",
    find: "result: toToolResult(id, outcome, stillRunningAt(call, outcome)),",
    replace: "result: toToolResult(id, outcome, []),",
    from: { outside: 3_000 },
  },
  {
    title: "class 23: a turn that two hooks end is reported to have ended twice",
    file: "runtime/runtime.ts",
    find: "if (this.endedBy !== undefined) return;",
    replace: "",
    from: { outside: 600 },
  },
  {
    title: "class 24: a call runs though its turn was stopped when its time limit was asked for",
    file: "runtime/runtime.ts",
    find: "const run = new Run(taken, call, { input, startedAt, limitMs });",
    replace:
      "const run = new Run(taken, call, { input, startedAt, limitMs: limitMs && limitOf(tool, input) });",
  },
  {
    title: "class 26: a person is asked about a folder that the call would not run in",
    file: "runtime/prompts.ts",
    find: "return entry.own?.isOutdated() === true ? this.#skip(entry) : void this.#put(entry);",
    replace: "return void this.#put(entry);",
    from: { outside: 2_000 },
  },
  {
    title: "class 16: a reader that has got a result wakes the next one before it returns",
    file: "runtime/outbox.ts",
    find: "for (let left = this.#waiting.size; left > 0; left--) this.#waiting.shift()?.wake();",
    replace:
      "const next = this.#waiting.shift();\n    next?.wake();\n    if (next !== undefined) this.wakeAll();",
  },
  {
    title: "class 17: a change of the context has every call that waits judged again",
    file: "core/step.ts",
    find: "for (const call of turn.starting.list()) if (call.index > index) judgeStale(turn, call);",
    replace:
      "for (const call of unfinished(turn))\n    if (call.index > index && !hasStarted(call.phase)) judgeStale(turn, call);",
  },
  {
    title: "class 17: every change of the context leads to a new verdict on every call that is judged",
    file: "core/verdict.ts",
    find: "if (isForContext && call.wasStale) return waitStale(turn, call);",
    replace: "",
  },
  {
    title: "class 17: a call waits as if it had a verdict while a new one is pending",
    file: "core/verdict.ts",
    find: 'phase.state === "judging" && isLost(turn, call) && ',
    replace: 'phase.state === "judging" && ',
    from: { outside: 7_003_000 },
  },
  {
    title: "class 12: a link is resolved without looking at the links in it",
    file: "runtime/file-place.ts",
    find: "return realPath(paths.isAbsolute(target) ? target : `${real}${paths.sep}${target}`, links + 1);",
    replace: "return realPath(paths.join(paths.isAbsolute(target) ? paths.sep : real, target), links + 1);",
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...INSIDE.map((mutant) => ({ ...mutant, noticedBy: ["inside"] as const })),
  ...CLASSES.map((mutant) => ({ ...mutant, noticedBy: ["inside", "outside"] as const })),
  ...OUTSIDE.map((mutant) => ({ ...mutant, noticedBy: ["outside"] as const })),
  ...TREES.map((mutant) => ({ ...mutant, noticedBy: ["trees"] as const })),
];
