import { expect, test } from "vitest";
import type { Access, Call, PhaseName } from "./call.ts";
import type { JournalEvent, Judgement } from "./event.ts";
import { step } from "./step.ts";
import { type Effect, type Turn, newTurn } from "./turn.ts";

const access = (place: string): Access => ({
  claims: [{ mode: "write", place }],
  readOnly: false,
  interrupt: "cancel",
  onError: "isolate",
});
const ending = { type: "succeeded", content: "done", ranMs: 1, output: "" } as const;
const deny: Judgement = {
  behavior: "deny",
  outcome: { type: "denied", by: "permissions", reason: "" },
  endTurn: undefined,
};
const arrives = (
  id: string,
  place: string,
  how: { hooked?: boolean; permitted?: boolean },
): JournalEvent => ({
  type: "call-arrived",
  id,
  toolName: "Tool",
  access: access(place),
  hooked: how.hooked ?? false,
  permitted: how.permitted ?? false,
});

/** A turn with a call `before` that runs on `kv:/before`, and the call `it`, which comes after it. */
class Bench {
  readonly turn: Turn = newTurn(10, "eager");
  readonly call: Call;

  constructor(arrival: JournalEvent) {
    this.send(arrives("before", "kv:/before", { permitted: true }));
    this.send({ type: "call-launched", id: "before" });
    this.send(arrival);
    this.call = this.turn.live.get("it") as Call;
  }

  send(...events: JournalEvent[]): Effect[] {
    return events.flatMap((event) => step(this.turn, event));
  }

  judged(judgement: Judgement): JournalEvent {
    return { type: "call-judged", id: "it", epoch: this.call.epoch, judgement };
  }

  answered(judgement: Judgement): JournalEvent {
    return { type: "call-answered", id: "it", question: this.question, judgement };
  }

  deferred(): JournalEvent {
    return { type: "call-deferred", id: "it", question: this.question, reason: "" };
  }

  get question(): number {
    const { phase } = this.call;
    return phase.state === "asking" || phase.state === "closing" ? phase.question : -1;
  }
}

const FINISHED: JournalEvent = { type: "call-finished", id: "before", ending };
const MOVED: JournalEvent = { type: "context-changed", index: 0 };
const RULES: JournalEvent = { type: "permissions-changed" };
const QUEUED: JournalEvent = { type: "call-queued", id: "it" };
const LAUNCHED: JournalEvent = { type: "call-launched", id: "it" };
const STOP: JournalEvent = { type: "turn-interrupted", kind: "stop", reason: "enough" };
const ASK: Judgement = { behavior: "ask", reason: "" };
const ALLOW: Judgement = { behavior: "allow" };

/** How a call comes into each state. */
const STATES: Readonly<Record<PhaseName, () => Bench>> = {
  judging: () => new Bench(arrives("it", "kv:/it", {})),
  waiting: () => new Bench(arrives("it", "kv:/before", { hooked: true })),
  locating: () => after(STATES.waiting(), MOVED, FINISHED),
  consulting: () => new Bench(arrives("it", "kv:/it", { hooked: true })),
  asking: () => after(STATES.judging(), (bench) => bench.judged(ASK)),
  deferred: () => after(STATES.asking(), (bench) => bench.deferred()),
  closing: () => after(STATES.asking(), RULES, (bench) => bench.judged(ALLOW)),
  permitted: () => new Bench(arrives("it", "kv:/before", { permitted: true })),
  rejudging: () => after(STATES.permitted(), MOVED, FINISHED),
  queued: () => after(STATES.starting(), QUEUED),
  starting: () => new Bench(arrives("it", "kv:/it", { permitted: true })),
  running: () => after(STATES.starting(), LAUNCHED),
  stopping: () => after(STATES.running(), STOP),
  settled: () => after(STATES.starting(), STOP),
};

function after(bench: Bench, ...events: (JournalEvent | ((bench: Bench) => JournalEvent))[]): Bench {
  for (const event of events) bench.send(typeof event === "function" ? event(bench) : event);
  return bench;
}

const EVENTS: Readonly<Record<string, (bench: Bench) => JournalEvent>> = {
  "judged: allow": (bench) => bench.judged(ALLOW),
  "judged: ask": (bench) => bench.judged(ASK),
  "judged: deny": (bench) => bench.judged(deny),
  "answered: yes": (bench) => bench.answered(ALLOW),
  "answered: other input": (bench) =>
    bench.answered({ behavior: "allow", change: { input: 1, access: access("kv:/other") } }),
  "answered: no": (bench) => bench.answered(deny),
  "answer deferred": (bench) => bench.deferred(),
  "question closed": ({ question }) => ({ type: "question-closed", id: "it", question }),
  located: () => ({ type: "call-located", id: "it", access: access("kv:/elsewhere") }),
  "queued by the locks": () => QUEUED,
  "granted by the locks": () => ({ type: "call-granted", id: "it" }),
  launched: () => LAUNCHED,
  finished: () => ({ type: "call-finished", id: "it", ending }),
  "timed out": () => ({ type: "call-timed-out", id: "it", limitMs: 1 }),
  "ignored stop": () => ({ type: "call-ignored-stop", id: "it", ranMs: 1, output: "" }),
  "earlier call ended": () => FINISHED,
  "context changed": () => MOVED,
  "rules changed": () => RULES,
  "interrupted: stop": () => STOP,
  "interrupted: message": () => ({ type: "turn-interrupted", kind: "message", reason: "a message" }),
  "response refused": () => ({ type: "response-ended", ok: false, reason: "refusal" }),
};

/** What an event does to a call in a state; undefined if nothing. */
function row(state: PhaseName, event: string): string | undefined {
  const bench = STATES[state]();
  expect(bench.call.phase.state).toBe(state);
  const { epoch } = bench.call;
  const make = EVENTS[event] as (bench: Bench) => JournalEvent;
  const effects = bench.send(make(bench)).filter((effect) => "call" in effect && effect.call === bench.call);
  const now = bench.call.phase.state;
  if (effects.length === 0 && now === state && bench.call.epoch === epoch) return undefined;
  return `${state} + ${event} → ${now}${effects.length === 0 ? "" : `: ${effects.map(({ type }) => type).join(", ")}`}`;
}

test("every event in every state leads to the state and effects in the table, and any other event changes nothing", () => {
  const states = Object.keys(STATES) as PhaseName[];
  const table = states.flatMap((state) => Object.keys(EVENTS).map((event) => row(state, event)));
  expect(table.filter((line) => line !== undefined)).toMatchInlineSnapshot(`
    [
      "judging + judged: allow → starting: start",
      "judging + judged: ask → asking: ask",
      "judging + judged: deny → settled: settle",
      "judging + answered: no → settled: settle",
      "judging + interrupted: stop → settled: withdraw, settle",
      "judging + interrupted: message → settled: withdraw, settle",
      "judging + response refused → settled: withdraw, settle",
      "waiting + answered: no → settled: settle",
      "waiting + located → consulting: judge",
      "waiting + earlier call ended → consulting: judge",
      "waiting + interrupted: stop → settled: settle",
      "waiting + interrupted: message → settled: settle",
      "waiting + response refused → settled: settle",
      "locating + answered: no → settled: settle, deliver",
      "locating + located → consulting: judge",
      "locating + interrupted: stop → settled: settle, deliver",
      "locating + interrupted: message → settled: settle, deliver",
      "locating + response refused → settled: settle, deliver",
      "consulting + judged: allow → starting: start",
      "consulting + judged: ask → asking: ask",
      "consulting + judged: deny → settled: settle",
      "consulting + answered: no → settled: settle",
      "consulting + interrupted: stop → settled: withdraw, settle",
      "consulting + interrupted: message → settled: withdraw, settle",
      "consulting + response refused → settled: withdraw, settle",
      "asking + judged: allow → closing: withdraw",
      "asking + judged: deny → settled: withdraw, settle",
      "asking + answered: yes → starting: start",
      "asking + answered: other input → judging: judge",
      "asking + answered: no → settled: withdraw, settle",
      "asking + answer deferred → deferred",
      "asking + rules changed → asking: judge",
      "asking + interrupted: stop → settled: withdraw, settle",
      "asking + interrupted: message → settled: withdraw, settle",
      "asking + response refused → settled: withdraw, settle",
      "deferred + answered: no → settled: settle",
      "deferred + interrupted: stop → settled: settle",
      "deferred + interrupted: message → settled: settle",
      "deferred + response refused → settled: settle",
      "closing + answered: yes → starting: start",
      "closing + answered: other input → judging: judge",
      "closing + answered: no → settled: settle",
      "closing + answer deferred → starting: start",
      "closing + question closed → starting: start",
      "closing + interrupted: stop → settled: settle",
      "closing + interrupted: message → settled: settle",
      "closing + response refused → settled: settle",
      "permitted + answered: no → settled: settle",
      "permitted + located → starting: start",
      "permitted + earlier call ended → starting: start",
      "permitted + rules changed → judging: judge",
      "permitted + interrupted: stop → settled: settle",
      "permitted + interrupted: message → settled: settle",
      "permitted + response refused → settled: settle",
      "rejudging + judged: allow → starting: start",
      "rejudging + judged: ask → asking: ask",
      "rejudging + judged: deny → settled: settle, deliver",
      "rejudging + answered: no → settled: settle, deliver",
      "rejudging + interrupted: stop → settled: withdraw, settle, deliver",
      "rejudging + interrupted: message → settled: withdraw, settle, deliver",
      "rejudging + response refused → settled: withdraw, settle, deliver",
      "queued + answered: no → settled: settle",
      "queued + located → starting: start",
      "queued + granted by the locks → starting: start",
      "queued + rules changed → judging: judge",
      "queued + interrupted: stop → settled: settle",
      "queued + interrupted: message → settled: settle",
      "queued + response refused → settled: settle",
      "starting + answered: no → settled: settle",
      "starting + queued by the locks → queued",
      "starting + launched → running",
      "starting + context changed → judging: locate, judge",
      "starting + rules changed → judging: judge",
      "starting + interrupted: stop → settled: settle",
      "starting + interrupted: message → settled: settle",
      "starting + response refused → settled: settle",
      "running + finished → settled: settle",
      "running + timed out → stopping: stop",
      "running + interrupted: stop → stopping: stop",
      "running + interrupted: message → stopping: stop",
      "stopping + finished → settled: settle",
      "stopping + ignored stop → settled: settle",
      "settled + earlier call ended → settled: deliver",
    ]
  `);
});

test("an event of an unknown call changes nothing", () => {
  const { turn } = STATES.running();
  const before = turn.executing;
  for (const type of ["call-launched", "call-finished", "call-located"] as const)
    expect(step(turn, { type, id: "nobody", ending, access: access("*") })).toEqual([]);
  expect(turn.executing).toBe(before);
});
