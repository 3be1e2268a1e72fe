/** Events in an order that the loop and the executor can produce, made from a list of choices. */

import type { AgentEvent } from "../../src/loop/event.ts";
import { ModelError } from "../../src/model/error.ts";
import { DENIED, FAILED, NOT_RUN, TIMED_OUT } from "./timeline.ts";

type Settled = Extract<AgentEvent, { type: "call-settled" }>;
type Pick = (count: number) => number;

const USAGE = { inputTokens: 10, outputTokens: 3, cacheReadTokens: 2, cacheWriteTokens: 1 };
const OUTCOMES: readonly Settled["outcome"][] = [
  { type: "succeeded", content: "done" },
  FAILED,
  DENIED,
  TIMED_OUT,
  NOT_RUN,
];
const QUEUES = ["judging", "asking", "waiting"] as const;
const DEEPEST = 3;

interface WorldCall {
  readonly callId: string;
  readonly toolName: string;
  phase: "arriving" | "whole" | "running";
  readonly agents: WorldAgent[];
}

/** What the world knows to be true, counted by itself. */
export interface Truth {
  turns: number;
  began: number;
  settled: number;
  /** Ended without a result: calls that never became whole, and those of sub-agents whose call ended. */
  dropped: number;
}

class WorldAgent {
  readonly #id: string;
  readonly #depth: number;
  readonly #truth: Truth;
  #calls: WorldCall[] = [];
  #turn = 0;
  #isOpen = false;
  #hasWhole = false;
  /** Ids begin anew with each turn, as some providers give them. */
  #ids = 0;

  constructor(id: string, depth: number, truth: Truth) {
    this.#id = id;
    this.#depth = depth;
    this.#truth = truth;
  }

  step(pick: Pick): AgentEvent {
    const actions = this.#isOpen ? [...this.#turnActions(pick), ...this.#callActions(pick)] : this.#between();
    return (actions[pick(actions.length)] as () => AgentEvent)();
  }

  /** What it takes to come to an end in good order. */
  *finish(): Generator<AgentEvent> {
    for (const call of this.#calls.filter(({ phase }) => phase !== "arriving"))
      yield this.#settle(call, () => 0);
    if (this.#isOpen) yield this.#endTurn();
    const result = { reason: "completed", detail: "", text: "", messages: [], turns: this.#turn } as const;
    yield { type: "ended", result: { ...result, usage: USAGE, costUsd: 1, models: [] } };
  }

  /** Its call has ended. */
  drop(): void {
    for (const call of this.#calls) this.#leave(call);
    this.#truth.dropped += this.#calls.length;
    this.#calls = [];
  }

  #between(): (() => AgentEvent)[] {
    const begin = (): AgentEvent => {
      this.#isOpen = true;
      this.#hasWhole = false;
      this.#ids = 0;
      this.#truth.turns++;
      return { type: "message-started", turn: ++this.#turn, model: "m" };
    };
    const notice = (): AgentEvent => ({ type: "notice", message: "n" });
    const prompt = (): AgentEvent => ({ type: "prompt-attached", prompt: "go" });
    return [begin, begin, begin, notice, prompt];
  }

  #turnActions(pick: Pick): (() => AgentEvent)[] {
    const isWhole = this.#calls.every(({ phase }) => phase === "arriving");
    const retry = (): AgentEvent => {
      this.#over();
      const error = new ModelError("overloaded", "529");
      return { type: "retry", attempt: 1, attempts: 10, waitMs: pick(100), error };
    };
    return [
      () => ({ type: "text", text: "t" }),
      () => ({ type: "thinking", text: "h" }),
      () => this.#arrive(pick),
      () => this.#arrive(pick),
      ...(isWhole ? [() => this.#endTurn()] : []),
      ...(this.#hasWhole ? [] : [retry]),
    ];
  }

  #arrive(pick: Pick): AgentEvent {
    const toolName = pick(3) === 0 && this.#depth < DEEPEST ? "Agent" : "Bash";
    const call: WorldCall = { callId: `call_${this.#ids++}`, toolName, phase: "arriving", agents: [] };
    this.#calls.push(call);
    this.#truth.began++;
    return { type: "call-arriving", callId: call.callId, toolName, preview: () => ({}) };
  }

  #callActions(pick: Pick): (() => AgentEvent)[] {
    return this.#calls.flatMap((call) => {
      const { callId, toolName, phase } = call;
      const about = { callId, toolName };
      if (phase === "arriving") return [() => this.#whole(call)];
      const settle = (): AgentEvent => this.#settle(call, pick);
      if (phase === "whole") return [() => queued(about, pick), () => start(call), settle];
      const data = { type: "output", content: "x" };
      const progress = (): AgentEvent => ({ type: "call-progress", ...about, data });
      const nested = (): AgentEvent => this.#nested(call, pick);
      return toolName === "Agent" ? [nested, nested, nested, settle] : [progress, settle];
    });
  }

  #whole(call: WorldCall): AgentEvent {
    const { callId, toolName } = call;
    call.phase = "whole";
    this.#hasWhole = true;
    return { type: "call-arrived", callId, toolName, input: {}, description: "d" };
  }

  #settle(call: WorldCall, pick: Pick): AgentEvent {
    const { callId, toolName } = call;
    this.#calls = this.#calls.filter((one) => one !== call);
    this.#leave(call);
    this.#truth.settled++;
    const outcome = OUTCOMES[pick(OUTCOMES.length)] as Settled["outcome"];
    return { type: "call-settled", callId, toolName, outcome, output: undefined };
  }

  #nested(call: WorldCall, pick: Pick): AgentEvent {
    const { callId, toolName, agents } = call;
    const at = pick(2);
    agents[at] ??= new WorldAgent(`${this.#id}/${callId}.${at}`, this.#depth + 1, this.#truth);
    const agent = agents[at];
    return {
      type: "agent-event",
      callId,
      toolName,
      agentId: agent.#id,
      agentType: "explore",
      event: agent.step(pick),
    };
  }

  #endTurn(): AgentEvent {
    this.#over();
    const timings = { firstContentMs: 1, responseMs: 2, totalMs: 3 };
    return { type: "turn-ended", turn: this.#turn, stop: "tool_use", usage: USAGE, timings };
  }

  #over(): void {
    this.drop();
    this.#isOpen = false;
  }

  #leave({ agents }: WorldCall): void {
    for (const agent of agents) agent?.drop();
  }
}

function queued(about: { callId: string; toolName: string }, pick: Pick): AgentEvent {
  return { type: "call-queued", ...about, state: QUEUES[pick(QUEUES.length)] ?? "waiting" };
}

function start(call: WorldCall): AgentEvent {
  call.phase = "running";
  return { type: "call-started", callId: call.callId, toolName: call.toolName };
}

/** A whole run: one event for each choice, and what it takes to end. */
export function agentWorld(choices: readonly number[]): { events: AgentEvent[]; truth: Truth } {
  const truth: Truth = { turns: 0, began: 0, settled: 0, dropped: 0 };
  const agent = new WorldAgent("main", 0, truth);
  const events = choices.map((choice) => {
    let seed = choice + 1;
    return agent.step((count) => (seed = (seed * 16_807) % 2_147_483_647) % count);
  });
  return { events: [...events, ...agent.finish()], truth };
}
