/** Records when an agent did what, as numbers and short strings. */

import { anObject, isShape, required, wrong } from "@runahead/base";
import type { AgentEvent } from "../loop/event.ts";
import { initialView, reduce } from "../view/reduce.ts";
import type { AgentView, CallChange, CallView, TurnView, ViewStep } from "../view/view.ts";
import { CallContents } from "./content.ts";
import { type Draft, Kept, LEFT_OUT, type MarkFacts } from "./kept.ts";
import type { Timeline, TimelineCall, TimelinePart, TimelineTurn } from "./model.ts";
import { detailOf, numberOf, readBy } from "./reading.ts";
import { oneLine } from "./words.ts";

export interface RecorderOptions {
  readonly title?: string;
  /** Whether to record the beginnings of inputs and outputs (default: false). */
  readonly hasContent?: boolean;
}

const NAME_CHARS = 64;
const TITLE_CHARS = 200;
const DESCRIPTION_CHARS = 120;

/**
 * Records a timeline from the events of an agent.
 */
export class TimelineRecorder {
  readonly #options: RecorderOptions;
  readonly #kept = new Kept();
  readonly #contents: CallContents;
  /** Without content, because a turn can have 100,000 calls with large inputs. */
  readonly #view = initialView({ keepsContent: false });
  /** The indexes of agents, and of turns and calls that have not ended. */
  readonly #agents = new WeakMap<AgentView, number>();
  readonly #turns = new Map<TurnView, number>();
  readonly #calls = new Map<CallView, number>();
  #firstMs: number | undefined;
  #nowMs = 0;

  constructor(options: RecorderOptions = {}) {
    required(anObject)(options, 'createTimelineRecorder: "options"');
    this.#options = options;
    this.#contents = new CallContents(options.hasContent ?? false);
    this.#agentPlace(this.#view);
  }

  /** Records an event. `atMs` is monotonic time; a time before the last one counts as the last one. */
  hear(event: AgentEvent, atMs: number = performance.now()): void {
    if (!isShape(event)) throw wrong("hear: the event", "an event of an agent", event);
    this.#tick(atMs);
    const step = reduce(this.#view, event, this.#nowMs);
    if (step === undefined) return;
    this.#agentPlace(step.agent);
    // A turn is added before its calls, and removed from the map after them.
    for (const turn of step.turns) this.#noteTurn(turn);
    for (const change of step.calls) this.#noteCall(change);
    for (const turn of step.turns) if (turn.stop !== "open") this.#turns.delete(turn);
    this.#mark(step);
  }

  /** Returns a copy of what is recorded so far. */
  timeline(): Timeline {
    const title = oneLine(this.#options.title, TITLE_CHARS);
    return this.#kept.snapshot({ title, firstMs: this.#firstMs ?? 0, lastMs: this.#nowMs });
  }

  /** Returns what was recorded since the last call. Call it when a turn has ended, so that no item is incomplete. */
  take(): TimelinePart {
    return this.#kept.take({ firstMs: this.#firstMs ?? 0, lastMs: this.#nowMs });
  }

  /** Drops what `take` returned, once it is stored. Later timelines begin after it. */
  dropTaken(): void {
    this.#kept.dropTaken();
  }

  #tick(atMs: number): void {
    const forward = Number.isFinite(atMs) ? atMs : this.#nowMs;
    this.#nowMs = this.#firstMs === undefined ? forward : Math.max(this.#nowMs, forward);
    this.#firstMs ??= this.#nowMs;
  }

  #agentPlace(agent: AgentView): number {
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    const agentType = oneLine(agent.agentType, NAME_CHARS);
    const call = agent.call === undefined ? undefined : (this.#calls.get(agent.call) ?? LEFT_OUT);
    const place = call === LEFT_OUT ? this.#kept.leaveOut() : this.#kept.add("agents", { agentType, call });
    this.#agents.set(agent, place);
    return place;
  }

  #noteTurn(turn: TurnView): void {
    const place = this.#turns.get(turn);
    if (place === undefined) return void this.#turns.set(turn, this.#addTurn(turn));
    const draft = this.#kept.at("turns", place);
    if (draft !== undefined) Object.assign(draft, momentsOf(turn));
  }

  #addTurn(turn: TurnView): number {
    const agent = this.#agentPlace(turn.agent);
    if (agent === LEFT_OUT) return this.#kept.leaveOut();
    const { number } = turn;
    const model = oneLine(turn.model, NAME_CHARS);
    return this.#kept.add("turns", { agent, number: numberOf(number), model, ...momentsOf(turn) });
  }

  #noteCall({ what, call }: CallChange): void {
    if (what === "began") return void this.#calls.set(call, this.#addCall(call));
    const draft = this.#kept.at("calls", this.#calls.get(call) ?? LEFT_OUT);
    if (what === "ended") this.#calls.delete(call);
    if (draft !== undefined) this.#update(draft, { what, call });
  }

  #update(draft: Draft<TimelineCall>, { what, call }: CallChange): void {
    const { completeMs, queue, startedMs, endedMs, end } = call;
    Object.assign(draft, { completeMs, queue, startedMs, endedMs });
    if (call.limit !== undefined) draft.limit = oneLine(call.limit, NAME_CHARS);
    if (what === "input") {
      draft.description = descriptionOf(call);
      draft.content = this.#contents.begin(call.input);
    }
    if (end === undefined) return;
    draft.outcome = end.how;
    draft.detail = detailOf(end.outcome);
    if (end.outcome !== undefined) draft.content = this.#contents.end(draft.content, readBy(end.outcome));
  }

  #addCall({ agent, parent: maker, toolName, arrivedMs, completeMs }: CallView): number {
    const turn = agent.turn === undefined ? LEFT_OUT : (this.#turns.get(agent.turn) ?? LEFT_OUT);
    const parent = maker === undefined ? undefined : (this.#calls.get(maker) ?? LEFT_OUT);
    if (turn === LEFT_OUT || parent === LEFT_OUT) return this.#kept.leaveOut();
    return this.#kept.add("calls", {
      turn,
      ...(parent === undefined ? {} : { parent }),
      toolName: oneLine(toolName, NAME_CHARS),
      description: "",
      arrivedMs,
      completeMs,
      queue: [],
      startedMs: undefined,
      endedMs: undefined,
      outcome: "unfinished",
      detail: "",
      content: undefined,
    });
  }

  /** Records what happens between turns. */
  #mark({ agent, event }: ViewStep): void {
    const facts = markOf(event, agent);
    if (facts === undefined) return;
    this.#kept.add("marks", { agent: this.#agentPlace(agent), atMs: this.#nowMs, ...facts });
  }
}

/** Removes the tool name from the description, because it is shown before it. */
function descriptionOf({ toolName, description }: CallView): string {
  const words = oneLine(description, DESCRIPTION_CHARS);
  const name = oneLine(toolName, NAME_CHARS);
  return words.startsWith(`${name} `) ? words.slice(name.length + 1) : words;
}

type Moments = Omit<TimelineTurn, "agent" | "number" | "model">;

function momentsOf({
  requestMs,
  firstContentMs,
  responseEndMs,
  endedMs,
  stop,
  usage,
}: TurnView): Draft<Moments> {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    requestMs,
    firstContentMs,
    responseEndMs,
    endedMs,
    stop,
    inputTokens: numberOf(inputTokens) + numberOf(cacheReadTokens) + numberOf(cacheWriteTokens),
    outputTokens: numberOf(outputTokens),
  };
}

function markOf(event: ViewStep["event"], agent: AgentView): MarkFacts | undefined {
  switch (event.type) {
    case "retry": {
      const { attempt, waitMs, error } = event;
      return { type: "retry", attempt, waitMs, reason: oneLine(error.kind, NAME_CHARS) };
    }
    case "call-retried": {
      const { attempt, waitMs, toolName } = event;
      return { type: "retry", attempt, waitMs, reason: `${oneLine(toolName, NAME_CHARS)} failed` };
    }
    case "compacted": {
      const { how, beforeTokens, afterTokens } = event;
      return { type: "compacted", how, beforeTokens, afterTokens };
    }
    case "prompt-attached":
      // The prompt of a sub-agent is already shown as its call.
      return agent.id === "" ? { type: "prompt" } : undefined;
    case "ended":
      if (agent.id !== "") return undefined;
      return { type: "ended", reason: oneLine(event.result.reason, NAME_CHARS) };
    default:
      return undefined;
  }
}

/**
 * Creates a recorder of the events of an agent.
 *
 * @example
 * ```ts
 * const recorder = createTimelineRecorder({ title: "my run" });
 * const { close } = await codingAgent({ onEvent: (event) => recorder.hear(event) });
 * console.log(textTimeline(recorder.timeline(), 100));
 * ```
 */
export function createTimelineRecorder(options: RecorderOptions = {}): TimelineRecorder {
  return new TimelineRecorder(options);
}
