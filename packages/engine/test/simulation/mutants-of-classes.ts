/** Mutants that undo what closes the classes of faults that were found from outside. */

import type { Mutant } from "./mutants.ts";

/** Both simulations notice them. */
export const CLASSES: readonly Omit<Mutant, "noticedBy">[] = [
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
export const OUTSIDE: readonly Omit<Mutant, "noticedBy">[] = [
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
