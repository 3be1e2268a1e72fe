/** Hears what an agent does, notes when, and keeps numbers and short strings of it. */

import type { AgentEvent } from "../loop/event.ts";
import { CallContents } from "./content.ts";
import type { Timeline, TimelineAgent, TimelinePart } from "./model.ts";
import { type Draft, Kept, type MarkFacts } from "./kept.ts";
import { isEvent, numberOf, outcomeOf, queueStateOf } from "./reading.ts";
import { Scope } from "./scope.ts";
import { oneLine } from "./words.ts";

export interface RecorderOptions {
  readonly title?: string;
  /** Whether the beginnings of inputs and outputs are kept: not, unless told. */
  readonly hasContent?: boolean;
}

/** What an agent's tool reports of a sub-agent. */
interface AgentProgress {
  readonly type: "agent";
  readonly agentId: string;
  readonly agentType: string;
  readonly event: AgentEvent;
}

const NAME_CHARS = 64;
const TITLE_CHARS = 200;
/** Deeper than agents ever call agents: an event that holds itself comes to an end. */
const DEEPEST = 8;
/** Sub-agents at work at a time; what more of them do is counted as left out. */
const MOST_AT_WORK = 1000;

/**
 * Records a timeline from the events of an agent.
 *
 * @example
 * ```ts
 * const recorder = new TimelineRecorder({ title: "my run" });
 * const { close } = await codingAgent({ onEvent: (event) => recorder.hear(event) });
 * console.log(textTimeline(recorder.timeline(), 100));
 * ```
 */
export class TimelineRecorder {
  readonly #options: RecorderOptions;
  readonly #kept = new Kept();
  readonly #contents: CallContents;
  readonly #main: Scope;
  /** Of sub-agents at work, by their ids. */
  readonly #scopes = new Map<string, Scope>();
  #firstMs: number | undefined;
  #nowMs = 0;

  constructor(options: RecorderOptions = {}) {
    this.#options = options;
    this.#contents = new CallContents(options.hasContent ?? false);
    this.#main = this.#newScope({ agentType: "", call: undefined });
  }

  /** The time is that of the monotonic clock; one that goes back is taken to stand still. */
  hear(event: AgentEvent, atMs: number = performance.now()): void {
    this.#tick(atMs);
    this.#hear(event, this.#main, 0);
  }

  /** A copy of what is known by now. */
  timeline(): Timeline {
    const title = oneLine(this.#options.title, TITLE_CHARS);
    return this.#kept.snapshot({ title, firstMs: this.#firstMs ?? 0, lastMs: this.#nowMs });
  }

  /** What has come since it was last taken. To be asked for when a turn has ended: then nothing is half known. */
  take(): TimelinePart {
    return this.#kept.take({ firstMs: this.#firstMs ?? 0, lastMs: this.#nowMs });
  }

  #tick(atMs: number): void {
    const forward = Number.isFinite(atMs) ? atMs : this.#nowMs;
    this.#nowMs = this.#firstMs === undefined ? forward : Math.max(this.#nowMs, forward);
    this.#firstMs ??= this.#nowMs;
  }

  #newScope(agent: Draft<TimelineAgent>): Scope {
    return new Scope(this.#kept, this.#kept.add("agents", agent), this.#contents);
  }

  #hear(event: AgentEvent, scope: Scope, depth: number): void {
    const at = this.#nowMs;
    const toolName = "toolName" in event ? oneLine(event.toolName, NAME_CHARS) : "";
    switch (event.type) {
      case "message-started":
        return scope.begin({ number: numberOf(event.turn), model: oneLine(event.model, NAME_CHARS), at });
      case "text":
      case "thinking":
        return scope.content(at);
      case "call-arriving":
        return scope.arriving(event.callId, toolName, at);
      case "call-arrived":
        return scope.arrived({ ...event, toolName }, at);
      case "call-queued":
        return scope.queued(event.callId, toolName, { state: queueStateOf(event.state), at });
      case "call-started":
        return scope.started(event.callId, toolName, at);
      case "call-progress":
        return this.#progress(event, scope, depth);
      case "call-settled":
        this.#forgetAgents(scope.callIndex(event.callId));
        return scope.settled(event.callId, { toolName, at, ...outcomeOf(event.outcome) });
      case "turn-ended":
        return scope.end(event, at);
      default:
        return this.#hearBetween(event, scope);
    }
  }

  /** What happens between turns. */
  #hearBetween(event: AgentEvent, scope: Scope): void {
    const at = this.#nowMs;
    const mark = (facts: MarkFacts): void =>
      void this.#kept.add("marks", { agent: scope.agent, atMs: at, ...facts });
    switch (event.type) {
      case "retry": {
        const waitMs = numberOf(event.waitMs);
        scope.again(at, at + waitMs);
        const reason = oneLine(event.error?.kind, NAME_CHARS);
        return mark({ type: "retry", attempt: numberOf(event.attempt), waitMs, reason });
      }
      case "compacted": {
        scope.again(at, at);
        const how = oneLine(event.how, NAME_CHARS);
        const beforeTokens = numberOf(event.beforeTokens);
        return mark({ type: "compacted", how, beforeTokens, afterTokens: numberOf(event.afterTokens) });
      }
      case "prompt-attached":
        scope.idle(at);
        // That of a sub-agent is its call.
        return scope === this.#main ? mark({ type: "prompt" }) : undefined;
      case "ended":
        scope.close(at);
        return mark({ type: "ended", reason: oneLine(event.result?.reason, NAME_CHARS) });
      default:
    }
  }

  #progress(event: AgentEvent & { readonly type: "call-progress" }, scope: Scope, depth: number): void {
    const call = scope.callIndex(event.callId);
    if (call === undefined || depth >= DEEPEST || !isAgentProgress(event.data)) return;
    const { agentId, agentType, event: inner } = event.data;
    const inside = this.#scopes.get(agentId) ?? this.#agentAtWork(agentId, agentType, call);
    if (inside !== undefined) this.#hear(inner, inside, depth + 1);
  }

  #agentAtWork(agentId: string, agentType: string, call: number): Scope | undefined {
    if (this.#scopes.size >= MOST_AT_WORK) return void this.#kept.leaveOut();
    const scope = this.#newScope({ agentType: oneLine(agentType, NAME_CHARS), call });
    scope.parent = call;
    scope.idle(this.#nowMs);
    this.#scopes.set(agentId, scope);
    return scope;
  }

  /** Their caller's call has ended, and so have they. */
  #forgetAgents(call: number | undefined): void {
    if (call === undefined) return;
    for (const [id, scope] of this.#scopes) {
      if (scope.parent !== call) continue;
      scope.close(this.#nowMs);
      this.#scopes.delete(id);
    }
  }
}

/** Any tool may report anything. */
function isAgentProgress(data: unknown): data is AgentProgress {
  if (typeof data !== "object" || data === null) return false;
  const { type, agentId, event } = data as Partial<AgentProgress>;
  return type === "agent" && typeof agentId === "string" && isEvent(event);
}
