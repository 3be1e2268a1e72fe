/** Hand-made faults in the engine: the simulation must notice each of them. */

export interface Mutant {
  readonly title: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    title: "a write does not wait for reads below it",
    file: "claims.ts",
    find: "[READ_BELOW, WRITE_BELOW, READ, WRITE]",
    replace: "[WRITE_BELOW, READ, WRITE]",
  },
  {
    title: "a later call overtakes an earlier one that only waits",
    file: "claims.ts",
    find: "request.call.index <= barrier(request.node, request.mode)",
    replace: "(barrier(request.node, request.mode), true)",
  },
  {
    title: "calls that are behind a new claim are not held back",
    file: "claims.ts",
    find: "for (const other of INCOMPATIBLE[mode] as readonly Mode[]) revoke(node.lines[other], call, started);",
    replace: "",
  },
  {
    title: "a new claim does not wait for a later call that runs already",
    file: "claims.ts",
    find: "const granted = call.index <= barrier(node, mode) && !startedAfter(request, started);",
    replace: "const granted = call.index <= barrier(node, mode);",
  },
  {
    title: "whoever waits for a claim is never let on",
    file: "claims.ts",
    find: "if (--request.call.blocked === 0) freed.push(request.call);",
    replace: "--request.call.blocked;",
  },
  {
    title: "one call too many runs",
    file: "move.ts",
    find: "turn.running < turn.limit",
    replace: "turn.running <= turn.limit",
  },
  {
    title: "results are delivered before they are there",
    file: "move.ts",
    find: 'if (call === undefined || call.phase.state !== "settled") return;',
    replace: "if (call === undefined) return;",
  },
  {
    title: "the start policy holds nothing back",
    file: "move.ts",
    find: 'if (turn.responseEnded || turn.start === "eager") return false;',
    replace: "return false;",
  },
  {
    title: "a failure cancels earlier calls too",
    file: "move.ts",
    find: "if (call.index > failed.index) cancel(turn, call, cause);",
    replace: "cancel(turn, call, cause);",
  },
  {
    title: "calls that arrive after a failure are run",
    file: "move.ts",
    find: "  close(turn, cause);\n  for (const call of turn.unfinished) if",
    replace: "  for (const call of turn.unfinished) if",
  },
  {
    title: "a stopped call is settled before it has stopped",
    file: "move.ts",
    find: 'move(turn, call, { state: "stopping", cause });',
    replace: "settle(turn, call, notRun(cause));",
  },
  {
    title: "a response is discarded though a writer has started",
    file: "stopping.ts",
    find: "if (turn.writerStarted) return;",
    replace: "",
  },
  {
    title: "rules that change do not concern calls that were judged",
    file: "step.ts",
    find: "for (const call of turn.unfinished) judgeAgain(turn, call);",
    replace: "",
  },
  {
    title: "a person's yes beats the rules that have changed meanwhile",
    file: "step.ts",
    find: "if (isCurrent) return wait(turn, call, true);",
    replace: "if (isCurrent || true) return wait(turn, call, true);",
  },
  {
    title: "what should be asked is run",
    file: "step.ts",
    find: 'judgement.behavior === "ask" && !call.approved',
    replace: "false",
  },
  {
    title: "a call that ran is reported as not run",
    file: "step.ts",
    find: "settle(turn, call, stopped(call.phase.cause, ending));",
    replace: "settle(turn, call, notRun(call.phase.cause));",
  },
  {
    title: "calls start after a refusal",
    file: "stopping.ts",
    find: 'reason === "refusal"',
    replace: "false",
  },
  {
    title: "a new message does not concern calls whose access is not known yet",
    file: "stopping.ts",
    find: "turn.interrupted ??= cause;",
    replace: "",
  },
  {
    title: "a verdict of an earlier round counts",
    file: "step.ts",
    find: '(state === "judging" || state === "asking") && event.round === round',
    replace: 'state === "judging" || state === "asking"',
  },
  {
    title: "a call that writes starts before its record is safe",
    file: "shell.ts",
    find: "if (saved === undefined || access.readOnly) return this.#launch(live);",
    replace: "if (saved !== null) return this.#launch(live);",
  },
  {
    title: "an event is recorded after its effects",
    file: "shell.ts",
    find: "const saved = this.#record(event);\n    for (const effect of step(this.turn, event)) this.#perform(effect, saved);",
    replace:
      "for (const effect of step(this.turn, event)) this.#perform(effect, undefined);\n    this.#record(event);",
  },
  {
    title: "a timer outlives its call",
    file: "shell.ts",
    find: "if (live !== undefined) this.#deadlines.end(live);",
    replace: "",
  },
  {
    title: "progress is told after the result",
    file: "shell.ts",
    find: 'if (live.call === undefined || statusOf(live.call.phase.state) !== "executing") return;',
    replace: "if (live.call === undefined) return;",
  },
  {
    title: "two questions are open at a time",
    file: "prompts.ts",
    find: "if (this.#asked !== undefined) return;",
    replace: "",
  },
  {
    title: "after a crash, what was running is said not to have run",
    file: "recover.ts",
    find: 'call.phase.state === "running" || call.phase.state === "stopping"',
    replace: "false",
  },
];
